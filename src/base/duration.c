/* SPDX-License-Identifier: MIT */
/*
 * Digits and a unit, exactly.
 */
#include <stddef.h>
#include <string.h>

#include "base/duration.h"

static bool unit_size(const char *unit, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1},
		{"us", 1000},
		{"ms", 1000000},
		{"s", 1000000000},
		{"m", 60 * UINT64_C(1000000000)},
		{"min", 60 * UINT64_C(1000000000)},
		{"h", 3600 * UINT64_C(1000000000)},
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, unit) == 0) {
			*ret_ns = units[i].ns;
			return true;
		}
	}
	return false;
}

static bool take_whole(const char *digits, size_t nr_digits, uint64_t *ret_value)
{
	size_t i;

	*ret_value = 0;
	for (i = 0; i < nr_digits; i++)
		if (__builtin_mul_overflow(*ret_value, UINT64_C(10), ret_value) ||
			__builtin_add_overflow(*ret_value, (uint64_t)(digits[i] - '0'), ret_value))
			return false;
	return nr_digits > 0;
}

/* Reads the digits after the point as a fraction of the unit, which must be a whole number of nanoseconds. */
static bool take_fraction(const char *digits, size_t nr_digits, uint64_t unit, uint64_t *ret_ns)
{
	size_t i;

	*ret_ns = 0;
	for (i = 0; i < nr_digits; i++) {
		if (unit % 10 && digits[i] != '0')
			return false;
		if (unit % 10)
			continue;
		unit /= 10;
		*ret_ns += unit * (uint64_t)(digits[i] - '0');
	}
	return nr_digits > 0;
}

bool duration_read(const char *text, int64_t *ret_ns)
{
	static const char digits[] = "0123456789";
	size_t nr_whole = strspn(text, digits);
	bool has_point = text[nr_whole] == '.';
	const char *behind = text + nr_whole + has_point;
	size_t nr_fraction = has_point ? strspn(behind, digits) : 0;
	uint64_t unit, whole, fraction = 0, ns;

	if (!unit_size(behind + nr_fraction, &unit) || !take_whole(text, nr_whole, &whole) ||
		(has_point && !take_fraction(behind, nr_fraction, unit, &fraction)) ||
		__builtin_mul_overflow(whole, unit, &ns) ||
		__builtin_add_overflow(ns, fraction, &ns) || ns > INT64_MAX)
		return false;
	*ret_ns = (int64_t)ns;
	return true;
}
