/* SPDX-License-Identifier: MIT */
/*
 * The thresholds of all rules: the values from which on something is worth a finding (def/thresholds.def), and the
 * places about which nothing is reported. A part of ct.h: the object goes into the options of ct_analyze.
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

/* The table uses the macro X: a caller's own X is saved here and restored after the table. */
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
	CT_UNIT_TIME, /* nanoseconds; in texts with a unit: 100ms */
	CT_UNIT_COUNT,
	CT_UNIT_PERCENT, /* in texts with or without '%' */
};

/* One line of the table; the texts are constant. */
struct ct_threshold_about {
	const char *name;
	enum ct_unit unit;
	int64_t standard;
	int64_t least;
	int64_t most;
	const char *rules; /* names, separated by commas */
	const char *meaning;
	const char *why; /* the reason for this default */
};

/* ct_threshold_about: returns the table's line for a threshold; NULL after the last one. */
const struct ct_threshold_about *ct_threshold_about(unsigned threshold);

/*
 * ct_threshold_text: writes a value as an option or a file has it, "100ms", "16", "50%", into the caller's buffer.
 * Returns the length that the text would have had; the text is cut off at nr_bytes, and always NUL-terminated.
 */
size_t ct_threshold_text(enum ct_threshold threshold, int64_t value, char *buffer, size_t nr_bytes);

struct ct_thresholds;

/*
 * ct_thresholds_new: makes thresholds with all defaults, and no allowed place. ct_thresholds_free: frees them. NULL is
 * allowed. The object must outlive each ct_analyze that it is given to, which only reads it.
 */
enum ct_status ct_thresholds_new(struct ct_thresholds **ret_thresholds, struct ct_error *reterr);
void ct_thresholds_free(struct ct_thresholds *thresholds);

/*
 * ct_thresholds_set: takes "NAME=VALUE", with blanks anywhere. CT_ERR_USAGE: there is no such name, or the value is not
 * allowed.
 */
enum ct_status ct_thresholds_set(
	struct ct_thresholds *thresholds, const char *setting, struct ct_error *reterr);

/*
 * ct_thresholds_allow: allows a place: a coroutine that waits there, was started there, or has its cause there is in no
 * finding, except crashes. A pattern matches a place by its function, its name, its file, or "file:line", with the
 * patterns of fnmatch(3); a file by its path, or by an end of the path that begins with the name of a folder or the
 * file. A report remarks on a pattern that no place of the trace matches.
 */
enum ct_status ct_thresholds_allow(
	struct ct_thresholds *thresholds, const char *pattern, struct ct_error *reterr);

/*
 * ct_thresholds_read: reads settings from a file ("-": standard input), one a line: NAME = VALUE, or allow-site =
 * PATTERN any number of times. Empty lines are ignored, and so is everything after a '#' at the beginning of a line or
 * after a blank. A value of 1279 bytes or more is refused. The text of a failure names file and line; the settings
 * before that line are set.
 */
enum ct_status ct_thresholds_read(
	struct ct_thresholds *thresholds, const char *path, struct ct_error *reterr);

/* ct_thresholds_value: returns the value in force; thresholds NULL: the default. */
int64_t ct_thresholds_value(const struct ct_thresholds *thresholds, enum ct_threshold threshold);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
