/* SPDX-License-Identifier: MIT */
/*
 * Thresholds: the table, and settings as text.
 */
#include "analyze/thresholds.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/failure.h"
#include "base/io.h"

#define LONGEST_NAME 63
#define LONGEST_FILE ((size_t)1 << 20)
#define PLACE_BYTES 1280
#define ALLOW "allow-site"

static const struct ct_threshold_about table[CT_NR_THRESHOLDS] = {
#define X(name, text, unit, standard, least, most, rules, meaning, why) \
	[CT_THRESHOLD_##name] = {text, CT_UNIT_##unit, standard, least, most, rules, meaning, why},
#include "corotracer/def/thresholds.def"
#undef X
};

const struct ct_threshold_about *ct_threshold_about(unsigned threshold)
{
	return threshold < CT_NR_THRESHOLDS ? &table[threshold] : NULL;
}

int64_t ct_thresholds_value(const struct ct_thresholds *thresholds, enum ct_threshold threshold)
{
	return thresholds ? thresholds->values[threshold] : table[threshold].standard;
}

enum ct_status ct_thresholds_new(struct ct_thresholds **ret_thresholds, struct ct_error *reterr)
{
	struct ct_thresholds *thresholds = calloc(1, sizeof(*thresholds));
	unsigned i;

	if (!thresholds)
		return ct_fail_memory(reterr);
	for (i = 0; i < CT_NR_THRESHOLDS; i++)
		thresholds->values[i] = table[i].standard;
	*ret_thresholds = thresholds;
	return CT_OK;
}

void ct_thresholds_free(struct ct_thresholds *thresholds)
{
	size_t i;

	if (!thresholds)
		return;
	for (i = 0; i < thresholds->allowed.count; i++)
		free(thresholds->allowed.at[i]);
	vec_fini(&thresholds->allowed);
	free(thresholds);
}

/* ---------------------------------------------------------------- values as text */

/* Prints the time in the largest unit of which it is a whole number. */
static size_t print_time(int64_t ns, char *buffer, size_t nr_bytes)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {{"h", INT64_C(3600000000000)}, {"min", INT64_C(60000000000)},
		{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	return (size_t)snprintf(buffer, nr_bytes, "%" PRId64 "%s", ns / units[i].ns, units[i].name);
}

size_t ct_threshold_text(enum ct_threshold threshold, int64_t value, char *buffer, size_t nr_bytes)
{
	if (table[threshold].unit == CT_UNIT_TIME)
		return print_time(value, buffer, nr_bytes);
	return (size_t)snprintf(buffer, nr_bytes, "%" PRId64 "%s", value,
		table[threshold].unit == CT_UNIT_PERCENT ? "%" : "");
}

static bool read_number(const char *text, bool is_percent, int64_t *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoll(text, &end, 10);
	if (is_percent && *end == '%')
		end++;
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

static bool read_value(
	const struct ct_threshold_about *threshold, const char *text, int64_t *ret_value)
{
	bool is_read;

	if (threshold->unit == CT_UNIT_TIME)
		is_read = duration_read(text, ret_value);
	else
		is_read = read_number(text, threshold->unit == CT_UNIT_PERCENT, ret_value);
	return is_read && *ret_value >= threshold->least && *ret_value <= threshold->most;
}

static enum ct_status refuse_value(
	enum ct_threshold threshold, const char *text, struct ct_error *reterr)
{
	static const char *const units[] = {"a time with its unit (" DURATION_UNITS ")",
		"a whole number", "a share in percent"};
	char least[32], most[32];

	ct_threshold_text(threshold, table[threshold].least, least, sizeof(least));
	ct_threshold_text(threshold, table[threshold].most, most, sizeof(most));
	return ct_fail(reterr, CT_ERR_USAGE, "threshold '%s' takes %s from %s to %s, not '%.40s'",
		table[threshold].name, units[table[threshold].unit], least, most, text);
}

/* ---------------------------------------------------------------- settings */

/* Copies a word without the blanks at its ends. */
static void copy_word(char *to, size_t nr_bytes, const char *from, size_t length)
{
	while (length && isspace((unsigned char)*from)) {
		from++;
		length--;
	}
	while (length && isspace((unsigned char)from[length - 1]))
		length--;
	snprintf(to, nr_bytes, "%.*s", (int)(length < nr_bytes ? length : nr_bytes - 1), from);
}

/* Splits "NAME = VALUE". False: there is no '='. */
static bool split(const char *setting, char name[LONGEST_NAME + 1], char *value, size_t nr_bytes)
{
	size_t length = strcspn(setting, "=");

	if (!setting[length])
		return false;
	copy_word(name, LONGEST_NAME + 1, setting, length);
	copy_word(value, nr_bytes, setting + length + 1, strlen(setting + length + 1));
	return true;
}

static enum ct_status set(struct ct_thresholds *thresholds, const char *name, const char *value,
	struct ct_error *reterr)
{
	unsigned i;

	for (i = 0; i < CT_NR_THRESHOLDS; i++) {
		int64_t number;

		if (strcmp(table[i].name, name) != 0)
			continue;
		if (!read_value(&table[i], value, &number))
			return refuse_value((enum ct_threshold)i, value, reterr);
		thresholds->values[i] = number;
		return CT_OK;
	}
	return ct_fail(reterr, CT_ERR_USAGE,
		"there is no threshold '%.60s'; 'corotracer help thresholds' lists them", name);
}

enum ct_status ct_thresholds_set(
	struct ct_thresholds *thresholds, const char *setting, struct ct_error *reterr)
{
	char name[LONGEST_NAME + 1], value[PLACE_BYTES];

	if (!split(setting, name, value, sizeof(value)))
		return ct_fail(reterr, CT_ERR_USAGE,
			"a threshold is set by NAME=VALUE, not by '%.60s'", setting);
	return set(thresholds, name, value, reterr);
}

enum ct_status ct_thresholds_allow(
	struct ct_thresholds *thresholds, const char *pattern, struct ct_error *reterr)
{
	char *copy;

	if (!*pattern)
		return ct_fail(reterr, CT_ERR_USAGE, "the pattern of a place is empty");
	copy = strdup(pattern);
	if (copy && vec_push(&thresholds->allowed, copy))
		return CT_OK;
	free(copy);
	return ct_fail_memory(reterr);
}

/* ---------------------------------------------------------------- files */

/* A '#' within a word belongs to the word: {closure#0}. */
static void cut_comment(char *line)
{
	char *at = line;

	while ((at = strchr(at, '#')) && at > line && !isspace((unsigned char)at[-1]))
		at++;
	if (at)
		*at = '\0';
}

static enum ct_status take_line(
	struct ct_thresholds *thresholds, char *line, struct ct_error *reterr)
{
	char name[LONGEST_NAME + 1], value[PLACE_BYTES];

	cut_comment(line);
	if (!line[strspn(line, " \t\r")])
		return CT_OK;
	if (!split(line, name, value, sizeof(value)))
		return ct_fail(reterr, CT_ERR_USAGE, "this is no NAME = VALUE: '%.60s'",
			line + strspn(line, " \t\r"));
	if (strlen(value) == sizeof(value) - 1)
		return ct_fail(reterr, CT_ERR_USAGE, "the value of '%s' has %u bytes or more", name,
			PLACE_BYTES - 1);
	if (strcmp(name, ALLOW) == 0)
		return ct_thresholds_allow(thresholds, value, reterr);
	return set(thresholds, name, value, reterr);
}

static enum ct_status take_lines(
	struct ct_thresholds *thresholds, const char *path, char *lines, struct ct_error *reterr)
{
	unsigned number;

	for (number = 1; *lines; number++) {
		size_t length = strcspn(lines, "\n");
		bool is_last = !lines[length];
		enum ct_status status;

		lines[length] = '\0';
		status = take_line(thresholds, lines, reterr);
		if (status)
			return ct_context(reterr, status, "%s:%u", path, number);
		lines += length + !is_last;
	}
	return CT_OK;
}

enum ct_status ct_thresholds_read(
	struct ct_thresholds *thresholds, const char *path, struct ct_error *reterr)
{
	enum ct_status status;
	size_t nr_bytes;
	char *lines;

	status = io_read_file(path, LONGEST_FILE, &lines, &nr_bytes, reterr);
	if (status)
		return status;
	if (strlen(lines) != nr_bytes)
		status = ct_fail(reterr, CT_ERR_FORMAT, "'%s' is no text", path);
	else
		status = take_lines(thresholds, path, lines, reterr);
	free(lines);
	return status;
}
