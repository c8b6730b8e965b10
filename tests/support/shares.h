/* SPDX-License-Identifier: MIT */
/*
 * For tests of all kinds of traces: by whatever the times of coroutines are grouped, the rows and the rest add up to
 * the total (J-13).
 */
#ifndef TESTS_SHARES_H
#define TESTS_SHARES_H

#include <inttypes.h>
#include <stdio.h>

#include "rules/rules.h"

struct shares_sum {
	struct ct_times times;
	uint64_t nr_coros;
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	uint64_t nr_delays;
	int64_t waits_ns;
};

static inline void shares_add(struct shares_sum *sum, const struct ct_share *share)
{
	uint32_t i;

	sum->times.unseen_ns += share->times.unseen_ns;
	sum->times.ready_ns += share->times.ready_ns;
	sum->times.running_ns += share->times.running_ns;
	sum->times.waiting_ns += share->times.waiting_ns;
	sum->times.syscall_ns += share->times.syscall_ns;
	sum->nr_coros += share->nr_coros;
	sum->nr_resumes += share->nr_resumes;
	sum->nr_migrations += share->nr_migrations;
	sum->nr_delays += share->delays.count;
	for (i = 0; i < share->nr_waits; i++)
		sum->waits_ns += share->waits[i].ns;
}

static inline bool shares_are_all(const struct shares_sum *sum, const struct ct_statistics *whole)
{
	return sum->times.unseen_ns == whole->total.unseen_ns &&
	       sum->times.ready_ns == whole->total.ready_ns &&
	       sum->times.running_ns == whole->total.running_ns &&
	       sum->times.waiting_ns == whole->total.waiting_ns &&
	       sum->times.syscall_ns == whole->total.syscall_ns &&
	       sum->nr_resumes == whole->nr_resumes && sum->nr_migrations == whole->nr_migrations &&
	       sum->nr_delays == whole->delays.count && sum->waits_ns >= whole->total.waiting_ns;
}

static inline bool shares_check(struct ct_source *source, enum ct_by by, uint32_t max_rows)
{
	struct ct_analyze_options options = {
		.size = sizeof(options), .by = by, .sort = CT_SORT_LIFE, .max_rows = max_rows};
	const struct ct_report *report;
	struct shares_sum sum = {0};
	bool is_right;
	uint32_t i;

	if (rules_judge(source, &options, NULL, &report, NULL) != CT_OK)
		return false;
	for (i = 0; i < report->breakdown->nr_rows; i++)
		shares_add(&sum, &report->breakdown->rows[i]);
	shares_add(&sum, &report->breakdown->others);
	is_right = shares_are_all(&sum, &report->statistics);
	if (!is_right)
		fprintf(stderr, "by %s, %" PRIu32 " rows and the others do not add up\n",
			ct_by_name(by), report->breakdown->nr_rows);
	analyze_report_free(report);
	return is_right;
}

/* shares_check_all: checks every grouping, with one row and the rest, and with all rows. */
static inline bool shares_check_all(struct ct_source *source)
{
	return shares_check(source, CT_BY_COROUTINE, 1) &&
	       shares_check(source, CT_BY_COROUTINE, 1000) &&
	       shares_check(source, CT_BY_FUNCTION, 1) && shares_check(source, CT_BY_SITE, 1);
}

#endif
