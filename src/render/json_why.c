/* SPDX-License-Identifier: MIT */
/*
 * What explains one coroutine besides its chain, as JSON: the await graph, and what the kernel told of a living process
 * (docs/spec/report-json.md).
 */
#include "render/json_member.h"
#include "render/report.h"

void render_json_awaits(struct json *json, const struct ct_report *report)
{
	uint32_t i;

	json_key(json, "awaits");
	json_open(json, '[');
	for (i = 0; i < report->nr_awaits; i++) {
		const struct ct_await *await = &report->awaits[i];

		json_open(json, '{');
		render_count_member(json, "id", await->id);
		render_index_member(json, "process", await->process);
		render_text_member(json, "state", ct_state_name(await->state));
		render_count_member(json, "depth", await->depth);
		render_sequence_member(
			json, "waits_for", await->waits_for ? await->waits_for : UINT64_MAX);
		render_text_member(json, "resource", await->resource);
		render_index_member(json, "site", await->site);
		render_index_member(json, "thread", await->thread);
		render_count_member(json, "waiters", await->nr_waiters);
		render_count_member(json, "left_out", await->nr_left_out);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void one_look(struct json *json, const struct ct_look *look)
{
	char state[2] = {look->state, '\0'};

	json_open(json, '{');
	render_count_member(json, "tid", look->tid);
	render_index_member(json, "thread", look->thread);
	render_text_member(json, "name", look->name);
	render_text_member(json, "state", state);
	render_text_member(json, "waits_in", look->waits_in);
	render_sequence_member(json, "call", look->call < 0 ? UINT64_MAX : (uint64_t)look->call);
	render_text_member(json, "call_name", look->call_name);
	render_sequence_member(
		json, "descriptor", look->descriptor < 0 ? UINT64_MAX : (uint64_t)look->descriptor);
	render_text_member(json, "descriptor_kind", look->descriptor_kind);
	render_decimal_member(json, "descriptor_inode", (int64_t)look->descriptor_inode);
	render_text_member(json, "text", look->text);
	render_end_element(json);
}

void render_json_live(struct json *json, const struct ct_live *live)
{
	uint32_t i;

	json_key(json, "live");
	json_open(json, '{');
	render_count_member(json, "pid", live->pid);
	render_time_member(json, "watched_ns", live->watched_ns);
	render_text_member(json, "known", live->known);
	render_text_member(json, "trouble", live->trouble);
	json_key(json, "threads");
	json_open(json, '[');
	for (i = 0; i < live->nr_looks; i++)
		one_look(json, &live->looks[i]);
	json_close(json, ']');
	json_close(json, '}');
}
