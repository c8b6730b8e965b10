/* SPDX-License-Identifier: MIT */
/*
 * The times of coroutines by what was asked for, as JSON (docs/spec/report-json.md, "breakdown").
 */
#include "json_member.h"
#include "report.h"

static void share_members(struct json *json, const struct ct_share *share)
{
	json_open(json, '{');
	sequence_member(json, "coroutine", share->coro ? share->coro : UINT64_MAX);
	index_member(json, "process", share->process);
	index_member(json, "site", share->site);
	count_member(json, "coroutines", share->nr_coros);
	json_times(json, &share->times);
	json_waits(json, share->waits, share->nr_waits);
	count_member(json, "resumes", share->nr_resumes);
	count_member(json, "migrations", share->nr_migrations);
	count_member(json, "events", share->nr_events);
	json_distribution(json, "runs", &share->runs);
	json_distribution(json, "delays", &share->delays);
	json_distribution(json, "wait_times", &share->wait_times);
	end_element(json);
}

void json_breakdown(struct json *json, const struct ct_breakdown *breakdown)
{
	uint32_t i;

	json_key(json, "breakdown");
	json_open(json, '{');
	text_member(json, "by", ct_by_name(breakdown->by));
	text_member(json, "sort", ct_sort_name(breakdown->sort));
	json_key(json, "rows");
	json_open(json, '[');
	for (i = 0; i < breakdown->nr_rows; i++)
		share_members(json, &breakdown->rows[i]);
	json_close(json, ']');
	count_member(json, "other_rows", breakdown->nr_others);
	json_key(json, "others");
	share_members(json, &breakdown->others);
	json_close(json, '}');
}
