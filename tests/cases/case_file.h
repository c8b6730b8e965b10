/* SPDX-License-Identifier: MIT */
/*
 * A case is a file with a text trace, which is what happened, and the expected report.
 *
 *	# what the case shows, in any number of lines
 *	--- trace
 *	...                  a text trace (src/textrace/textrace.h)
 *	--- options grace=50ms wait-limit=2s allow-site=main
 *	--- machine x86_64   where numbers of system calls matter; skipped on others
 *	--- open 100 0 1 2   the process 100 was looked at while it ran, and had these descriptors
 *	--- open 100 memory 0 7=unread   the same, of a program without a probe; a socket is =armed, =disarmed,
 *	                     =unwatched, or =unread, if it is armed and something was there at two looks
 *	--- expect
 *	finding waits-on-closed-descriptor proven
 *	  title 2 of 3 coroutines wait *
 *	...
 *
 * In a trace, the lines between `repeat 1 to 1200` and `repeat end` are copied 1200 times; in a copy, {} is its number,
 * and {+} the next number. `options` may be left out. Each line of `expect` is a pattern (*, ?, [...]) for one line of
 * the report as case_print prints it, in order; a line of three dots matches any number of lines.
 */
#ifndef TESTS_CASE_FILE_H
#define TESTS_CASE_FILE_H

#include "analyze/analyze.h"
#include "corotracer/ct.h"
#include "stream/stream.h"
#include "base/text.h"

struct case_file {
	const char *path;
	char *content;
	char *trace; /* with repeated lines expanded */
	size_t trace_bytes;
	unsigned trace_line;
	const char *expect; /* NUL-terminated, within content */
	unsigned expect_line;
	bool is_for_other_machine;
	struct analyze_live live;         /* by '--- open'; without it, no process was looked at */
	struct ct_thresholds *thresholds; /* NULL: all defaults */
	struct ct_analyze_options options;
};

/* case_read: exits with a message if the file cannot be read or is not a case. */
void case_read(const char *path, struct case_file *ret_case);
void case_fini(struct case_file *file);

/* case_judge: judges the source with the case's options; exits with a message if that fails. */
const struct ct_report *case_judge(const struct case_file *file, struct ct_source *source);

/* case_open: opens the trace as a source; exits with a message if it cannot be read. */
struct ct_source *case_open(const struct case_file *file);

/* case_print: prints a report in a stable form, a line for each fact. */
void case_print(struct text *text, const struct ct_report *report);

#endif
