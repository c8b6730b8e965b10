/* SPDX-License-Identifier: MIT */
/*
 * A condition as people write it: what is asked, compared with a number.
 *
 *	sched_latency.p99 > 5ms      region(db.query).max >= 150ms      live_coroutines > 100000
 *	no_progress > 10s            waiting(read_reply) > 30s          finding(lost-wakeup) >= likely
 *
 * Times take ns, us, ms, s, min or h; counts take k and M; grades are suspect, likely and proven. Spaces do not matter.
 * A place is what place_matches takes, a rule one of those that reports name, with * and ?.
 */
#ifndef STAGES_WATCH_CONDITION_H
#define STAGES_WATCH_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"

enum watch_metric {
#define X(name, text, of, unit, meaning) WATCH_##name,
#include "stages/watch_metrics.def"
#undef X
	WATCH_NR_METRICS,
};

enum watch_of { WATCH_OF_VALUE, WATCH_OF_SPREAD, WATCH_OF_NAMED_VALUE, WATCH_OF_NAMED_SPREAD };
enum watch_unit { WATCH_UNIT_TIME, WATCH_UNIT_COUNT, WATCH_UNIT_GRADE };

struct watch_metric_description {
	const char *name;
	enum watch_of of;
	enum watch_unit unit;
	const char *meaning;
};

extern const struct watch_metric_description watch_metrics[WATCH_NR_METRICS];

#define CONDITION_NAME_BYTES 128

struct condition {
	enum watch_metric metric;
	char name[CONDITION_NAME_BYTES]; /* in brackets; "" where the metric takes none */
	double share;                    /* of a spread: 0.99 for p99, 1 for max */
	const char *statistic;           /* its name; "" where the metric has none */
	char comparison[3];              /* "<", "<=", ">", ">=" */
	double limit;                    /* nanoseconds, a count, or an enum ct_grade */
};

/* watch_condition_parse: CT_ERR_USAGE and one sentence that quotes what cannot be read, and names what could. */
enum ct_status watch_condition_parse(
	const char *text, struct condition *ret_condition, struct ct_error *reterr);

/* watch_condition_holds: of this value? watch_condition_is_near: not yet clearly on the other side (a tenth). */
bool watch_condition_holds(const struct condition *condition, double value);
bool watch_condition_is_near(const struct condition *condition, double value);

/* watch_condition_tell: "sched_latency.p99 is 7.31 ms, more than 5 ms". */
void watch_condition_tell(const struct condition *condition, double value, struct text *text);

#endif
