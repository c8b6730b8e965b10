/* SPDX-License-Identifier: MIT */
/*
 * Metrics of a judgement, and of all those before it: what Prometheus asks again and again.
 *
 * A judgement of a recording that goes on is about its last seconds alone. What has to rise for ever, latencies and new
 * findings, is added up here from one judgement to the next.
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include "base/text.h"
#include "corotracer/control.h"
#include "corotracer/metrics.h"
#include "corotracer/report.h"
#include "corotracer/view.h"

struct metrics;

/* metrics_new: with nothing added up; NULL: out of memory. metrics_free: NULL is allowed. */
struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics);

/* What is known at the moment. */
struct metrics_given {
	struct ct_view *view;           /* the newest judgement; NULL: there is none yet */
	const struct ct_report *report; /* the view's; NULL with it */
	uint64_t generation;            /* of the judgement: it rises with each */
	bool is_growing;                /* more comes behind what was judged */
	uint64_t judged_ago_ns;
	uint64_t judging_took_ns;
	const struct ct_record_now *now; /* of the recording; NULL: none goes on here */
	bool has_engine;                 /* this process is one that lasts: its own cost is told */
};

/*
 * metrics_write: adds the judgement up, if it is newer than the last one, and writes all metrics. Any thread may call
 * it; one at a time goes on. CT_ERR_USAGE: there is no such format.
 */
enum ct_status metrics_write(struct metrics *metrics, const struct metrics_given *given,
	enum ct_metrics_format format, struct text *text, struct ct_error *reterr);

/* metrics_type: the media type of a form, as HTTP names it. */
const char *metrics_type(enum ct_metrics_format format);

/* metrics_accepted: the best form that a client accepts; NULL: it does not say. */
enum ct_metrics_format metrics_accepted(const char *accept);

#endif
