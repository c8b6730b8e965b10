/* SPDX-License-Identifier: MIT */
/*
 * One list of units for times, one for sizes.
 */
#include <stdlib.h>
#include <string.h>

#include "quantity.h"

#define LARGEST 4e18 /* what is more is as good as for ever */

struct unit {
	const char *name;
	double worth;
};

static const struct unit times[] = {
	{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}, {NULL, 0}};
static const struct unit sizes[] = {
	{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {NULL, 0}};

static bool read_number(const char *text, size_t length, const struct unit *unit, double *ret_worth)
{
	char *end;
	double number;
	size_t used;

	if (*text < '0' || *text > '9')
		return false;
	number = strtod(text, &end);
	used = (size_t)(end - text);
	for (; unit->name && used < length; unit++) {
		if (strlen(unit->name) != length - used ||
			strncmp(end, unit->name, length - used) != 0)
			continue;
		number *= unit->worth;
		*ret_worth = number < LARGEST ? number : LARGEST;
		return number >= 1;
	}
	return false;
}

bool quantity_time(const char *text, size_t length, int64_t *ret_ns)
{
	double worth;

	if (!read_number(text, length, times, &worth))
		return false;
	*ret_ns = (int64_t)worth;
	return true;
}

bool quantity_bytes(const char *text, size_t length, uint64_t *ret_bytes)
{
	double worth;

	if (!read_number(text, length, sizes, &worth))
		return false;
	*ret_bytes = (uint64_t)worth;
	return true;
}
