/* SPDX-License-Identifier: MIT */
/*
 * The thresholds of all rules: from which value on something is worth a finding (def/thresholds.def), and the places of
 * which nothing is to be said. A part of ct.h: the object goes into the options of ct_analyze.
 */
#ifndef COROTRACER_THRESHOLDS_H
#define COROTRACER_THRESHOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("X")
#undef X

enum ct_threshold {
#define X(name, text, unit, standard, least, most, rules, meaning, why) CT_THRESHOLD_##name,
#include "corotracer/def/thresholds.def"
#undef X
	CT_NR_THRESHOLDS,
};

#pragma pop_macro("X")

enum ct_unit {
	CT_UNIT_TIME, /* nanoseconds; as text with its unit: 100ms */
	CT_UNIT_COUNT,
	CT_UNIT_PERCENT, /* as text with or without '%' */
};

/* One line of the table; texts are constant. */
struct ct_threshold_about {
	const char *name;
	enum ct_unit unit;
	int64_t standard;
	int64_t least;
	int64_t most;
	const char *rules; /* names, separated by commas */
	const char *meaning;
	const char *why; /* this default */
};

/* ct_threshold_about: what the threshold means; NULL beyond the last one. */
const struct ct_threshold_about *ct_threshold_about(unsigned threshold);

/*
 * ct_threshold_text: a value as it is written in an option or a file, "100ms", "16", "50%", into the caller's buffer.
 * Returns the length it would have had; cut off at nr_bytes, always NUL-terminated.
 */
size_t ct_threshold_text(enum ct_threshold threshold, int64_t value, char *buffer, size_t nr_bytes);

struct ct_thresholds;

/*
 * ct_thresholds_new: all defaults, and no place allowed. ct_thresholds_free: NULL is allowed. The object outlives each
 * ct_analyze that it is given to, which only reads it.
 */
enum ct_status ct_thresholds_new(struct ct_thresholds **ret_thresholds, struct ct_error *reterr);
void ct_thresholds_free(struct ct_thresholds *thresholds);

/* ct_thresholds_set: takes "NAME=VALUE", with blanks anywhere. CT_ERR_USAGE: there is no such name or value. */
enum ct_status ct_thresholds_set(
	struct ct_thresholds *thresholds, const char *setting, struct ct_error *reterr);

/*
 * ct_thresholds_allow: a coroutine that waits, was started, or has its cause at such a place is in no finding, crashes
 * excepted. A place matches by its function, its name, its file, or "file:line", with the patterns of fnmatch(3); a
 * file by its path, or by an end of it from a folder's or the file's name on. A pattern that no place of the trace
 * matches is remarked on.
 */
enum ct_status ct_thresholds_allow(
	struct ct_thresholds *thresholds, const char *pattern, struct ct_error *reterr);

/*
 * ct_thresholds_read: settings from a file ("-": standard input), one a line: NAME = VALUE, or allow-site = PATTERN any
 * number of times. Empty lines do not count, nor does anything behind a '#' at the beginning of a line or behind a
 * blank. A value of 1279 bytes or more is refused. A failure's text names file and line; settings before it are set.
 */
enum ct_status ct_thresholds_read(
	struct ct_thresholds *thresholds, const char *path, struct ct_error *reterr);

/* ct_thresholds_value: the value that holds; NULL: the default. */
int64_t ct_thresholds_value(const struct ct_thresholds *thresholds, enum ct_threshold threshold);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
