/* SPDX-License-Identifier: MIT */
/*
 * The judgement: reads a source to its end, folds it into a model, asks every rule, and makes one report of their
 * findings. The judgement prints nothing, and claims nothing that the trace does not show.
 */
#ifndef ANALYZE_ANALYZE_H
#define ANALYZE_ANALYZE_H

#include "analyze/rule.h"
#include "corotracer/ct.h"
#include "kernel/live.h"
#include "stream/stream.h"

/*
 * What is known about the traced process besides its trace, if the process ran when the trace ended. All zero:
 * nothing is known.
 */
struct analyze_live {
	uint64_t pid; /* 0: no process was looked at */
	/* what the kernel reported of it; NULL: the process had ended before the look */
	const struct live *seen;
	/* how long it was recorded; 0: a flight recorder's past was read instead, or another engine's recording */
	int64_t watched_ns;
	bool has_engine; /* another engine records it, whose recording was read as far as it was */
	bool has_memory; /* coroutines were looked for in its memory, too */
	/* it was not recorded, for it has no probe: its coroutines were looked for in its memory */
	bool is_from_memory;
};

/* The settings of a report, besides the events. */
struct analyze_terms {
	const struct rules *rules;
	/* NULL: no process was looked at. Borrowed until the report is made. */
	const struct analyze_live *live;
	/*
	 * The model gives back records once this many coroutines have ended: MODEL_ENDED. 0: at each event;
	 * UINT32_MAX: never. The report does not depend on this number; tests check that.
	 */
	uint32_t nr_ended;
};

/*
 * analyze_source: judges the events of a source and makes a report. Reads the source from its first event: a second
 * time for the evidence if anything was found, and again if a record that the model had given back turns out to
 * matter. Leaves the source at an undefined position. `options` may be NULL. On CT_OK the caller frees *ret_report by
 * analyze_report_free, before it closes the source, whose tables the report borrows.
 */
enum ct_status analyze_source(struct ct_source *source, const struct ct_analyze_options *options,
	const struct analyze_terms *terms, const struct ct_report **ret_report,
	struct ct_error *reterr);

/* analyze_report_without_room: implements ct_report_without_room. */
uint64_t analyze_report_without_room(const struct ct_report *report);

/* analyze_report_free: frees a report. NULL is allowed. */
void analyze_report_free(const struct ct_report *report);

#endif
