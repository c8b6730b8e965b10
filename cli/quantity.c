/* SPDX-License-Identifier: MIT */
/*
 * Times as the library reads them; sizes.
 */
#include <stdlib.h>
#include <string.h>

#include "corotracer/ct.h"
#include "quantity.h"

#define LARGEST 4e18  /* a longer time is as good as for ever */
#define WORD_BYTES 64 /* more than any number with its unit needs */

/* The library reads whole texts. */
static bool copy_word(const char *text, size_t length, char word[WORD_BYTES])
{
	if (length >= WORD_BYTES)
		return false;
	memcpy(word, text, length);
	word[length] = '\0';
	return true;
}

bool quantity_time(const char *text, size_t length, int64_t *ret_ns)
{
	char word[WORD_BYTES];

	return copy_word(text, length, word) && ct_duration_read(word, ret_ns);
}

bool quantity_bytes(const char *text, size_t length, uint64_t *ret_bytes)
{
	static const struct {
		const char *name;
		double bytes;
	} units[] = {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
	char word[WORD_BYTES], *end;
	double number;
	size_t i;

	if (!copy_word(text, length, word) || *word < '0' || *word > '9')
		return false;
	number = strtod(word, &end);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		number *= units[i].bytes;
		*ret_bytes = number < LARGEST ? (uint64_t)number : (uint64_t)LARGEST;
		return number >= 1;
	}
	return false;
}
