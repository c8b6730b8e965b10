/* SPDX-License-Identifier: MIT */
/*
 * The sums over judgements.
 *
 * Judgements overlap. A delay is counted by the first judgement that ends at least a second after it, because by then
 * no event of that time can still be in another thread's ring.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/hash.h"
#include "metrics/sums.h"
#include "say/say.h"

#define SETTLING_NS INT64_C(1000000000)

#define DECADE(one) (one), (one)*5 / 2, (one)*5
const int64_t metrics_bounds_ns[METRICS_BOUNDS] = {
	DECADE(INT64_C(1000)),
	DECADE(INT64_C(10000)),
	DECADE(INT64_C(100000)),
	DECADE(INT64_C(1000000)),
	DECADE(INT64_C(10000000)),
	DECADE(INT64_C(100000000)),
	DECADE(INT64_C(1000000000)),
	INT64_C(10000000000),
};

/* ---------------------------------------------------------------- delays */

static unsigned bucket_of(int64_t ns)
{
	unsigned bucket = 0;

	while (bucket < METRICS_BOUNDS && ns > metrics_bounds_ns[bucket])
		bucket++;
	return bucket;
}

static unsigned native_bucket_of(int64_t ns)
{
	return (unsigned)(METRICS_NATIVE_ONE +
			  (int)ceil(log2((double)ns / 1e9) * (1 << METRICS_SCHEMA)));
}

static void count_delay(struct metrics_delays *delays, uint64_t coroutine, ct_time at, int64_t ns)
{
	/* If the clocks of two threads disagree, a delay can be negative. */
	int64_t taken_ns = ns < 0 ? 0 : ns;
	unsigned bucket = bucket_of(taken_ns);

	delays->counts[bucket]++;
	delays->last[bucket] = (struct metrics_delay){coroutine, taken_ns, at};
	if (taken_ns)
		delays->native[native_bucket_of(taken_ns)]++;
	else
		delays->nr_zero++;
	delays->count++;
	delays->sum_ns += (uint64_t)taken_ns;
}

static enum ct_status count_delays(struct metrics *metrics, struct ct_view *view, ct_time from,
	ct_time until, struct ct_error *reterr)
{
	static const uint32_t columns[] = {
		CT_VIEW_STATES_COROUTINE, CT_VIEW_STATES_UNTIL, CT_VIEW_STATES_DURATION};
	const struct ct_view_term terms[] = {
		{.column = CT_VIEW_STATES_IS_OPEN, .compare = CT_VIEW_EQUAL, .number = 0},
		{.column = CT_VIEW_STATES_UNTIL, .compare = CT_VIEW_AT_MOST, .number = until},
		{.column = CT_VIEW_STATES_UNTIL, .compare = CT_VIEW_MORE, .number = from},
	};
	const struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_DELAYS,
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.terms = terms,
		.nr_terms = sizeof(terms) / sizeof(terms[0])};
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	enum ct_status status = ct_view_scan_open(view, &request, &scan, reterr);
	uint64_t row;

	if (status)
		return status;
	while ((status = ct_view_scan_next(scan, &rows, reterr)) == CT_OK)
		for (row = 0; row < rows->nr_rows; row++)
			count_delay(&metrics->delays, (uint64_t)rows->columns[0][row],
				rows->columns[1][row], rows->columns[2][row]);
	ct_view_scan_close(scan);
	return status == CT_END ? CT_OK : status;
}

static enum ct_status add_delays(
	struct metrics *metrics, const struct metrics_given *given, struct ct_error *reterr)
{
	const struct ct_quality *quality = &given->report->quality;
	ct_time until = quality->observed_until, from = metrics->until;
	enum ct_status status;

	if (until == CT_NO_TIME)
		return CT_OK;
	if (given->is_growing)
		until -= SETTLING_NS;
	if (from != CT_NO_TIME && until <= from)
		return CT_OK;
	status = count_delays(
		metrics, given->view, from == CT_NO_TIME ? INT64_MIN : from, until, reterr);
	if (status)
		return status;
	if (from != CT_NO_TIME && quality->observed_from > from)
		metrics->unjudged_ns += (uint64_t)(quality->observed_from - from);
	metrics->until = until;
	return CT_OK;
}

/* ---------------------------------------------------------------- findings */

/* Did earlier judgements have this finding? When the table is full, no finding counts as new. */
static bool is_known(struct metrics *metrics, uint64_t hash)
{
	uint32_t i;

	for (i = 0; i < metrics->nr_known; i++)
		if (metrics->known[i] == hash)
			return true;
	if (metrics->nr_known == METRICS_FOUND_MAX)
		return true;
	metrics->known[metrics->nr_known++] = hash;
	return false;
}

static void add_finding(struct metrics *metrics, const struct ct_report *report,
	const struct ct_finding *finding, struct text *address)
{
	struct metrics_found *found = &metrics->found[finding->rule][finding->grade];

	text_clear(address);
	say_finding(address, report->tables, ct_rule_name(finding->rule), finding->wait_site,
		finding->cause_site);
	if (is_known(metrics, hash_text(HASH_START + finding->grade, text_peek(address))))
		return;
	found->count++;
	found->at = report->quality.observed_until;
	*found->address = '\0';
	if (address->length < METRICS_ADDRESS_BYTES)
		memcpy(found->address, text_peek(address), address->length + 1);
}

static enum ct_status add_findings(
	struct metrics *metrics, const struct ct_report *report, struct ct_error *reterr)
{
	struct text address = {0};
	enum ct_status status;
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++)
		add_finding(metrics, report, &report->findings[i], &address);
	status = text_status(&address, reterr);
	text_fini(&address);
	return status;
}

/* ---------------------------------------------------------------- all */

static uint64_t greater(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* A judgement of the last seconds knows less about earlier time than the earlier judgements did. */
static void add_counts(struct metrics *metrics, const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;

	metrics->nr_events =
		greater(metrics->nr_events, report->tables->nr_before + quality->nr_events);
	metrics->nr_lost = greater(metrics->nr_lost, quality->nr_lost);
	metrics->nr_left_out = greater(metrics->nr_left_out, quality->nr_left_out);
}

enum ct_status metrics_add_up(
	struct metrics *metrics, const struct metrics_given *given, struct ct_error *reterr)
{
	enum ct_status status = add_delays(metrics, given, reterr);

	if (status == CT_OK)
		status = add_findings(metrics, given->report, reterr);
	if (status)
		return status;
	add_counts(metrics, given->report);
	metrics->generation = given->generation;
	return CT_OK;
}

struct metrics *metrics_new(void)
{
	struct metrics *metrics = calloc(1, sizeof(*metrics));

	if (!metrics)
		return NULL;
	metrics->until = CT_NO_TIME;
	pthread_mutex_init(&metrics->lock, NULL);
	return metrics;
}

void metrics_free(struct metrics *metrics)
{
	if (!metrics)
		return;
	pthread_mutex_destroy(&metrics->lock);
	free(metrics);
}
