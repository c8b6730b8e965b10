/* SPDX-License-Identifier: MIT */
/*
 * The times of coroutines by what was asked for, as JSON (docs/spec/report-json.md, "breakdown").
 */
#include "render/json_member.h"
#include "render/report.h"

static void share_members(struct json *json, const struct ct_share *share)
{
	json_open(json, '{');
	render_sequence_member(json, "coroutine", share->coro ? share->coro : UINT64_MAX);
	render_index_member(json, "process", share->process);
	render_index_member(json, "site", share->site);
	render_count_member(json, "coroutines", share->nr_coros);
	render_json_times(json, &share->times);
	render_json_waits(json, share->waits, share->nr_waits);
	render_count_member(json, "resumes", share->nr_resumes);
	render_count_member(json, "migrations", share->nr_migrations);
	render_count_member(json, "events", share->nr_events);
	render_json_distribution(json, "runs", &share->runs);
	render_json_distribution(json, "delays", &share->delays);
	render_json_distribution(json, "wait_times", &share->wait_times);
	render_end_element(json);
}

void render_json_breakdown(struct json *json, const struct ct_breakdown *breakdown)
{
	uint32_t i;

	json_key(json, "breakdown");
	json_open(json, '{');
	render_text_member(json, "by", ct_by_name(breakdown->by));
	render_text_member(json, "sort", ct_sort_name(breakdown->sort));
	json_key(json, "rows");
	json_open(json, '[');
	for (i = 0; i < breakdown->nr_rows; i++)
		share_members(json, &breakdown->rows[i]);
	json_close(json, ']');
	render_count_member(json, "other_rows", breakdown->nr_others);
	json_key(json, "others");
	share_members(json, &breakdown->others);
	json_close(json, '}');
}
