/* SPDX-License-Identifier: MIT */
/*
 * The judgement: reads a source to its end, folds it into a model, asks each detector, and makes one report
 * of what they say. The judgement prints nothing, and claims nothing that the trace does not show.
 */
#ifndef ANALYZE_ANALYZE_H
#define ANALYZE_ANALYZE_H

#include "analyze/rule.h"
#include "corotracer/ct.h"
#include "kernel/live.h"
#include "stream/stream.h"

/*
 * Further facts about a process, besides its trace, where it ran when the trace ended. The trace is of that process.
 * All zero: nothing is.
 */
struct analyze_live {
	uint64_t pid;            /* 0: no process is meant */
	const struct live *seen; /* NULL: it had ended before it was looked at */
	int64_t watched_ns; /* how long it was recorded; 0: what it had kept of its past was read */
};

/* The settings of a report, besides the events. */
struct analyze_terms {
	const struct rules *rules;
	/* NULL: no process was looked at. The look is needed until the report is made. */
	const struct analyze_live *live;
	/*
	 * So many coroutines that have ended make the model give back what it can: MODEL_ENDED. 0: at each event;
	 * UINT32_MAX: never. No word of the report depends on it; tests ask whether that is so.
	 */
	uint32_t nr_ended;
};

/*
 * analyze_source: reads the source from its first event, twice where something was found (the
 * second time for the evidence), more often where one was heard of again that had ended long
 * before, and leaves it at an undefined place. Options may be NULL. On
 * CT_OK, *ret_report is to be freed by analyze_report_free; it borrows the source's tables, so it
 * goes first.
 */
enum ct_status analyze_source(struct ct_source *source, const struct ct_analyze_options *options,
	const struct analyze_terms *terms, const struct ct_report **ret_report,
	struct ct_error *reterr);

/* analyze_report_without_room: ct_report_without_room. */
uint64_t analyze_report_without_room(const struct ct_report *report);

/* analyze_report_free: NULL is allowed. */
void analyze_report_free(const struct ct_report *report);

#endif
