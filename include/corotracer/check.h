/* SPDX-License-Identifier: MIT */
/*
 * Assertions about a whole trace, for tests and continuous integration: "findings >= likely == 0",
 * "sched_latency.p99 < 2ms". A part of ct.h.
 *
 * An assertion is a condition (`corotracer help conditions`) that has to hold. Where it is about places or names of
 * which there are several, it has to hold for each of them. Where it asks a statistic of what did not happen even once,
 * it is not known whether it holds, and that is no success; nor is it known of findings and of numbers of coroutines
 * where no coroutine was seen.
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

/* One thing that conditions can ask about, for help. */
struct ct_condition_about {
	const char *example; /* "region(NAME).p99 < 50ms" */
	const char *meaning;
	bool is_live;      /* of a program that runs: `run --on` */
	bool is_of_report; /* of a whole trace: assertions */
};

/* ct_condition_about: the table, from 0 on; NULL behind its end. */
const struct ct_condition_about *ct_condition_about(unsigned index);

enum ct_verdict {
	CT_VERDICT_HOLDS = 0,
	CT_VERDICT_BROKEN,
	CT_VERDICT_UNKNOWN, /* nothing was measured that it asks about */
};

/* ct_verdict_name: "holds", "broken" or "unknown"; never NULL. */
const char *ct_verdict_name(enum ct_verdict verdict);

/* One assertion, judged. Texts and arrays are the checks', valid until the next call with these. */
struct ct_assertion {
	const char *text; /* as it was given */
	/* "FILE:LINE" of the file that it stands in; "": it was given by itself */
	const char *origin;
	enum ct_verdict verdict;
	const char *told;         /* what is the case, one sentence: "lost is 12, not 0" */
	uint32_t site;            /* the place that breaks it most; 0: none, or not known */
	uint32_t nr_findings;     /* that it counts, and that break it */
	const uint32_t *findings; /* indexes into the report's */
};

struct ct_checks;

/* ct_checks_new: none yet; the caller frees them. CT_ERR_NO_MEMORY. ct_checks_free: NULL is allowed. */
enum ct_status ct_checks_new(struct ct_checks **ret_checks, struct ct_error *reterr);
void ct_checks_free(struct ct_checks *checks);

/*
 * ct_checks_add: one more. CT_ERR_USAGE: it cannot be read; the error's offset is the place in the text.
 * ct_checks_read: all of a file, one a line; empty lines and what stands behind a # in the first column do not count.
 * A failure's text names the file and the line.
 */
enum ct_status ct_checks_add(struct ct_checks *checks, const char *text, struct ct_error *reterr);
enum ct_status ct_checks_read(struct ct_checks *checks, const char *path, struct ct_error *reterr);

/*
 * ct_checks_judge: judges all of them by one report, which has to live as long as results are asked for; NULL: by that
 * of a recording without an event. The call may be repeated with another one.
 */
enum ct_status ct_checks_judge(
	struct ct_checks *checks, const struct ct_report *report, struct ct_error *reterr);

/* ct_checks_peek: the assertions in the order in which they were added. */
const struct ct_assertion *ct_checks_peek(const struct ct_checks *checks, uint32_t *ret_count);

enum ct_checks_format {
	CT_CHECKS_TEXT = 0,
	CT_CHECKS_JSON,
	CT_CHECKS_JUNIT, /* XML, as continuous integration reads test results */
	CT_CHECKS_SARIF, /* 2.1.0: the broken assertions, and the findings */
};

struct ct_checks_options {
	size_t size;
	enum ct_checks_format format;
	bool use_colour;     /* text only */
	const char *subject; /* what was checked, a trace's path or a command; NULL: the program */
	/* SARIF: files below this folder are named from there; NULL: none */
	const char *source_root;
};

/* ct_checks_write: what was judged, to a file, whole or not at all; "-" is standard output. */
enum ct_status ct_checks_write(const struct ct_checks *checks,
	const struct ct_checks_options *options, const char *path, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
