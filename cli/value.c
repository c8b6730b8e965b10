/* SPDX-License-Identifier: MIT */
/*
 * Forms of values, and how each is read.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "corotracer/ct.h"
#include "value.h"

#define COARSE_STEP_NS 100000
#define COARSE_STEP_LEAST_NS 10000
#define COARSE_STEP_MOST_NS 1000000000
#define PACK_LEVEL_MOST 19
#define LARGEST 4e18  /* a longer time counts as endless */
#define WORD_BYTES 64 /* longer than any number with its unit */

/* ---------------------------------------------------------------- numbers */

static bool read_number(const char *text, int base, uint64_t *ret_number)
{
	char *end;

	errno = 0;
	*ret_number = strtoull(text, &end, base);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *ret_number > 0;
}

bool value_number(const char *text, uint64_t *ret_number)
{
	return read_number(text, 10, ret_number);
}

int64_t value_process(const char *text)
{
	uint64_t pid;

	return value_number(text, &pid) && pid <= INT32_MAX ? (int64_t)pid : 0;
}

static bool read_count(const char *text, struct meaning *meaning)
{
	return value_number(text, &meaning->number);
}

/* 0 is a value of its own, not the default. */
static bool read_rate(const char *text, struct meaning *meaning)
{
	return strcmp(text, "0") == 0 ||
	       (read_number(text, 10, &meaning->number) && meaning->number <= CT_SAMPLE_HZ_MOST);
}

static bool read_level(const char *text, struct meaning *meaning)
{
	return read_count(text, meaning) && meaning->number <= PACK_LEVEL_MOST;
}

/* "1/100" */
static bool read_share(const char *text, struct meaning *meaning)
{
	return strncmp(text, "1/", 2) == 0 && read_count(text + 2, meaning) &&
	       meaning->number <= UINT32_MAX;
}

/* "0.5%", in millionths */
static bool read_percent(const char *text, struct meaning *meaning)
{
	char *end = NULL;
	double number = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;

	meaning->number = (uint64_t)(number * 10000);
	return meaning->number > 0 && number < 100000 && strcmp(end, "%") == 0;
}

/* "120-140" or "120": numbers of events. */
static bool read_range(const char *text, struct meaning *meaning)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	meaning->number = meaning->second = strtoull(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		meaning->second = strtoull(end + 1, &end, 10);
	return *end == '\0' && errno == 0 && meaning->number <= meaning->second;
}

/* ---------------------------------------------------------------- times and sizes */

static bool read_time(const char *text, struct meaning *meaning)
{
	int64_t ns;

	if (!ct_duration_read(text, &ns))
		return false;
	meaning->number = (uint64_t)ns;
	return true;
}

static bool read_moment(const char *text, struct meaning *meaning)
{
	ct_time moment;

	if (!ct_time_read(text, &moment))
		return false;
	meaning->number = (uint64_t)moment;
	return true;
}

static bool read_bytes(const char *text, uint64_t *ret_bytes)
{
	static const struct {
		const char *name;
		double bytes;
	} units[] = {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
	double number;
	char *end;
	size_t i;

	if (*text < '0' || *text > '9')
		return false;
	number = strtod(text, &end);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		number *= units[i].bytes;
		*ret_bytes = number < LARGEST ? (uint64_t)number : (uint64_t)LARGEST;
		return number >= 1;
	}
	return false;
}

static bool read_size(const char *text, struct meaning *meaning)
{
	return read_bytes(text, &meaning->number);
}

static bool read_ring_size(const char *text, struct meaning *meaning)
{
	return read_bytes(text, &meaning->number) && meaning->number >= CT_RING_BYTES_LEAST &&
	       meaning->number <= CT_RING_BYTES_MOST;
}

/* "counter", "coarse", or "coarse=100us": the step, or 0. */
static bool read_clock(const char *text, struct meaning *meaning)
{
	static const char step[] = "coarse=";

	if (strcmp(text, "counter") == 0)
		return true;
	meaning->number = COARSE_STEP_NS;
	if (strcmp(text, "coarse") == 0)
		return true;
	return strncmp(text, step, sizeof(step) - 1) == 0 &&
	       read_time(text + sizeof(step) - 1, meaning) &&
	       meaning->number >= COARSE_STEP_LEAST_NS && meaning->number <= COARSE_STEP_MOST_NS;
}

static bool read_bound(const char *text, size_t length, struct meaning *meaning)
{
	char word[WORD_BYTES] = "";

	if (length >= sizeof(word))
		return false;
	memcpy(word, text, length);
	return read_time(word, meaning) || read_bytes(word, &meaning->second);
}

/* "10s", "64MiB", or "10s,64MiB" */
static bool read_window(const char *text, struct meaning *meaning)
{
	size_t length = strcspn(text, ",");

	return read_bound(text, length, meaning) &&
	       (!text[length] || read_bound(text + length + 1, strlen(text + length + 1), meaning));
}

/* ---------------------------------------------------------------- forms */

static const struct form {
	const char *name;
	bool (*read)(const char *text, struct meaning *meaning);
	const char *takes;
} forms[] = {
	{"number", read_count, "a whole number from 1 on"},
	{"level", read_level, "a level from 1 (fast) to 19 (small)"},
	{"share", read_share, "a share such as 1/100"},
	{"range", read_range, "FIRST-LAST, such as 120-140"},
	{"time", read_time, "a time with its unit, such as 500ms, 10s, 2min or 1h"},
	{"moment", read_moment,
		"a time since the beginning with its unit (ns, us, ms, s, min or h), such as 12.5s "
		"or 300ms"},
	{"size", read_size, "a size, as in 512MiB or 4GiB"},
	{"ring-size", read_ring_size, "a size from 128KiB to 16MiB, as in 1MiB"},
	{"rate", read_rate, "a number of times a second, up to 1000, or 0 for none"},
	{"percent", read_percent, "a share such as 2% or 0.5%"},
	{"clock", read_clock, "counter, coarse, or a step of 10us to 1s as in coarse=100us"},
	{"window", read_window, "a time, a size or both, as in 10s,64MiB"},
};

static const struct form *find_form(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(forms[i].name, name) == 0)
			return &forms[i];
	}
	return NULL;
}

bool value_is_word(const char *words, const char *text, bool is_older, uint64_t *ret_place)
{
	size_t length = strlen(text), one;
	uint64_t place = 0;

	for (;; words += one + 1, place++) {
		one = strcspn(words, "|");
		if (one == length && (is_older ? strncasecmp(words, text, one)
					       : strncmp(words, text, one)) == 0) {
			*ret_place = place;
			return true;
		}
		if (!words[one])
			return false;
	}
}

bool value_read(const char *form, const char *text, bool is_older, struct meaning *ret_meaning)
{
	*ret_meaning = (struct meaning){0};
	if (!*form)
		return true;
	if (strchr(form, '|'))
		return value_is_word(form, text, is_older, &ret_meaning->number);
	if (is_older && strcmp(form, "number") == 0)
		return read_number(text, 0, &ret_meaning->number);
	assert(find_form(form)); /* a test checks all of options.def */
	return find_form(form)->read(text, ret_meaning);
}

const char *value_takes(const char *form)
{
	const struct form *found = find_form(form);

	if (strchr(form, '|'))
		return form;
	return found ? found->takes : NULL;
}
