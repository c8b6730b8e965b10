/* SPDX-License-Identifier: MIT */
/*
 * Metrics of the newest judgement and of all earlier ones, for Prometheus, which asks again and again.
 *
 * A judgement of a recording in progress covers only its last seconds. Values that must never decrease, such as
 * latencies and new findings, are summed here from one judgement to the next.
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include "base/text.h"
#include "corotracer/control.h"
#include "corotracer/metrics.h"
#include "corotracer/report.h"
#include "corotracer/view.h"

struct metrics;

/* metrics_new: makes empty sums; NULL: out of memory. metrics_free: NULL is allowed. */
struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics);

/* The present input. */
struct metrics_given {
	struct ct_view *view;           /* of the newest judgement; NULL: there is none yet */
	const struct ct_report *report; /* the view's; NULL if the view is */
	uint64_t generation;            /* of the judgement: increases with each */
	bool is_growing;                /* more events may follow those that were judged */
	uint64_t judged_ago_ns;
	uint64_t judging_took_ns;
	/* state of the recording; NULL: none is in progress here */
	const struct ct_record_now *now;
	bool has_engine; /* this process is long-lived: its own cost is a metric */
};

/*
 * metrics_write: adds the judgement to the sums if it is newer than the last one, and writes all metrics. Any thread
 * may call it; calls run one at a time. CT_ERR_USAGE: there is no such format.
 */
enum ct_status metrics_write(struct metrics *metrics, const struct metrics_given *given,
	enum ct_metrics_format format, struct text *text, struct ct_error *reterr);

/* metrics_type: the media type of a format, for HTTP. */
const char *metrics_type(enum ct_metrics_format format);

/* metrics_accepted: the best format that a client accepts; `accept` NULL: the client does not say. */
enum ct_metrics_format metrics_accepted(const char *accept);

#endif
