/* SPDX-License-Identifier: MIT */
/*
 * Assertions about a whole trace, for tests and continuous integration: "findings >= likely == 0", "sched_latency.p99 <
 * 2ms". A part of ct.h.
 *
 * An assertion is a condition (`corotracer help conditions`) that must hold. An assertion about several places or names
 * must hold for each of them. If an assertion asks for a statistic of something that did not happen even once, the
 * verdict is unknown, which is not a success. The verdict about findings and numbers of coroutines is unknown, too, if
 * no coroutine was seen.
 */
#ifndef COROTRACER_CHECK_H
#define COROTRACER_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"
#include "corotracer/report.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* One thing that a condition can ask about, for help texts. */
struct ct_condition_about {
	const char *example; /* "region(NAME).p99 < 50ms" */
	const char *meaning;
	bool is_live;      /* can be asked of a running program: `run --on` */
	bool is_of_report; /* can be asked of a whole trace: assertions */
};

/* ct_condition_about: returns an entry of the table, from 0 on; NULL after the last one. */
const struct ct_condition_about *ct_condition_about(unsigned index);

enum ct_verdict {
	CT_VERDICT_HOLDS = 0,
	CT_VERDICT_BROKEN,
	CT_VERDICT_UNKNOWN, /* what the assertion asks about was never measured */
};

/* ct_verdict_name: returns "holds", "broken" or "unknown"; never NULL. */
const char *ct_verdict_name(enum ct_verdict verdict);

/* One assertion, judged. Texts and arrays belong to the checks, and are valid until the next call with these checks. */
struct ct_assertion {
	const char *text; /* the assertion as it was given */
	/* "FILE:LINE" if the assertion came from a file; else "" */
	const char *origin;
	enum ct_verdict verdict;
	const char *told; /* what was observed, one sentence: "lost is 12, not 0" */
	/* the place that breaks the assertion most; 0: none, or not known */
	uint32_t site;
	uint32_t nr_findings;     /* findings that the assertion counts, and that break it */
	const uint32_t *findings; /* indexes into the report's findings */
};

struct ct_checks;

/*
 * ct_checks_new: makes an empty set of checks, which the caller frees. CT_ERR_NO_MEMORY. ct_checks_free: frees the
 * checks. NULL is allowed.
 */
enum ct_status ct_checks_new(struct ct_checks **ret_checks, struct ct_error *reterr);
void ct_checks_free(struct ct_checks *checks);

/*
 * ct_checks_add: adds one assertion. CT_ERR_USAGE: the text cannot be read; the error's offset is the place in the
 * text.
 * ct_checks_read: adds all assertions of a file, one a line; empty lines and lines that begin with # are ignored. The
 * text of a failure names the file and the line.
 */
enum ct_status ct_checks_add(struct ct_checks *checks, const char *text, struct ct_error *reterr);
enum ct_status ct_checks_read(struct ct_checks *checks, const char *path, struct ct_error *reterr);

/*
 * ct_checks_judge: judges all assertions by one report, which must live as long as results are asked for; NULL: by the
 * report of a recording without events. The call may be repeated with another report.
 */
enum ct_status ct_checks_judge(
	struct ct_checks *checks, const struct ct_report *report, struct ct_error *reterr);

/* ct_checks_peek: returns the assertions in the order in which they were added. */
const struct ct_assertion *ct_checks_peek(const struct ct_checks *checks, uint32_t *ret_count);

enum ct_checks_format {
	CT_CHECKS_TEXT = 0,
	CT_CHECKS_JSON,
	CT_CHECKS_JUNIT, /* XML, in the form in which continuous integration reads test results */
	CT_CHECKS_SARIF, /* 2.1.0: the broken assertions, and the findings */
};

struct ct_checks_options {
	size_t size;
	enum ct_checks_format format;
	bool use_colour;     /* text only */
	const char *subject; /* what was checked, a trace's path or a command; NULL: the program */
	/* SARIF: files below this folder are named relative to it; NULL: none */
	const char *source_root;
};

/*
 * ct_checks_keep: adds the verdicts of the last judgement to those that are written later, of several traces, by one
 * call of ct_checks_write with the same format. The report is not needed after the call.
 *
 * ct_checks_write: writes the verdicts that were kept, and forgets them, or else those of the last judgement, to a
 * file, whole or not at all; "-" is standard output. CT_ERR_USAGE: nothing was judged.
 */
enum ct_status ct_checks_keep(
	struct ct_checks *checks, const struct ct_checks_options *options, struct ct_error *reterr);
enum ct_status ct_checks_write(struct ct_checks *checks, const struct ct_checks_options *options,
	const char *path, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
