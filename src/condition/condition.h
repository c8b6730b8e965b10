/* SPDX-License-Identifier: MIT */
/*
 * A condition as people write it: a metric, compared with a number.
 *
 * 	sched_latency.p99 > 5ms      region(db.query).max >= 150ms      live_coroutines > 100000
 * 	no_progress > 10s            waiting(read_reply) > 30s          finding(lost-wakeup) >= likely
 * 	findings >= likely == 0      waiting(read_reply) == 0           utilisation > 40%
 *
 * Times take ns, us, ms, s, min or h; counts take k and M; shares take %; grades are suspect, likely and proven.
 * Spaces do not matter. A place is a pattern of place_matches; a rule is a rule's name as in reports, and may contain
 * * and ?. A grade before a second comparison means that only findings of that grade and above are counted.
 */
#ifndef CONDITION_CONDITION_H
#define CONDITION_CONDITION_H

#include <stdbool.h>

#include "base/failure.h"
#include "base/text.h"
#include "corotracer/report.h"

enum condition_metric {
#define X(NAME, name, of, units, where, example, meaning) CONDITION_##NAME,
#include "condition/metrics.def"
#undef X
	CONDITION_NR_METRICS,
};

enum condition_statistic {
#define X(NAME, name, share, units, where) CONDITION_STATISTIC_##NAME,
#include "condition/statistics.def"
#undef X
	CONDITION_NR_STATISTICS,
};

enum condition_of {
	CONDITION_OF_VALUE,
	CONDITION_OF_SPREAD,
	CONDITION_OF_NAMED_VALUE,
	CONDITION_OF_NAMED_SPREAD,
};

/* The kinds of a number; bits, because a metric may have several. */
enum condition_unit {
	CONDITION_TIME = 1, /* nanoseconds */
	CONDITION_COUNT = 2,
	CONDITION_GRADE = 4, /* enum ct_grade */
	CONDITION_SHARE = 8, /* 0.4 for 40% */
};

/* What a condition can be asked about; bits, because a metric may have several. */
enum condition_where {
	CONDITION_LIVE = 1,   /* a running program */
	CONDITION_REPORT = 2, /* a whole trace */
	CONDITION_BOTH = 3,
};

struct condition_metric_description {
	const char *name;
	enum condition_of of;
	unsigned units;
	unsigned where;
};

extern const struct condition_metric_description condition_metrics[CONDITION_NR_METRICS];

#define CONDITION_NAME_BYTES 128

struct condition {
	enum condition_metric metric;
	char name[CONDITION_NAME_BYTES]; /* in brackets; "" if the metric takes none */
	enum condition_statistic asked;  /* of a spread: the statistic */
	const char *statistic;           /* its name; "" if the metric has none */
	double share;                    /* of a spread: 0.99 for p99, 1 for max, 0 for others */
	enum ct_grade least;             /* findings below this grade do not count */
	char comparison[3];              /* "<", "<=", ">", ">=", "==", "!=" */
	enum condition_unit unit;        /* of the limit */
	double limit;
};

/* condition_is_spread: does the metric have many numbers, of which a statistic is asked? */
bool condition_is_spread(const struct condition *condition);

/*
 * condition_parse: parses a condition. CT_ERR_USAGE: the sentence quotes what cannot be read, and names what could
 * stand there; its offset is the position in the text. With CONDITION_REPORT, "findings >= likely" is refused, too:
 * an assertion needs the number of such findings ("findings >= likely == 0").
 */
enum ct_status condition_parse(const char *text, enum condition_where where,
	struct condition *ret_condition, struct ct_error *reterr);

/*
 * condition_holds: does the condition hold for this value? condition_is_near: does the condition hold, or is the
 * value within a tenth of the limit?
 */
bool condition_holds(const struct condition *condition, double value);
bool condition_is_near(const struct condition *condition, double value);

/*
 * condition_tell: writes "sched_latency.p99 is 7.31 ms, over the limit of 5 ms". condition_tell_asked: writes only
 * the first words, the metric.
 */
void condition_tell(const struct condition *condition, double value, struct text *text);
void condition_tell_asked(const struct condition *condition, struct text *text);

/* condition_tell_value: writes a number in the condition's unit: "7.31 ms", "12", "proven", "41.5%". */
void condition_tell_value(const struct condition *condition, double value, struct text *text);

#endif
