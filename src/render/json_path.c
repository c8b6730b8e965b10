/* SPDX-License-Identifier: MIT */
/*
 * A task's critical path, as JSON (docs/spec/report-json.md, "path").
 */
#include "render/json_member.h"
#include "render/report.h"

static void stretch_members(struct json *json, const struct ct_stretch *stretch)
{
	render_sequence_member(json, "coroutine", stretch->coro ? stretch->coro : UINT64_MAX);
	render_index_member(json, "thread", stretch->thread);
	render_text_member(json, "state", stretch->coro ? ct_state_name(stretch->state) : "");
	render_bool_member(json, "has_yielded", stretch->has_yielded);
	render_index_member(json, "site", stretch->site);
	render_hex_member(json, "object", stretch->object);
	render_sequence_member(json, "waker", stretch->waker ? stretch->waker : UINT64_MAX);
	render_index_member(json, "waker_thread", stretch->waker_thread);
	render_index_member(json, "waker_site", stretch->waker_site);
	render_sequence_member(json, "holder", stretch->holder ? stretch->holder : UINT64_MAX);
	render_index_member(json, "holder_site", stretch->holder_site);
}

static void stretches_member(struct json *json, const struct ct_path *path)
{
	uint32_t i;

	json_key(json, "stretches");
	json_open(json, '[');
	for (i = 0; i < path->nr_stretches; i++) {
		const struct ct_stretch *stretch = &path->stretches[i];

		json_open(json, '{');
		render_time_member(json, "from_ns", stretch->from);
		render_time_member(json, "until_ns", stretch->until);
		render_count_member(json, "depth", stretch->depth);
		render_bool_member(json, "is_followed", stretch->is_followed);
		stretch_members(json, stretch);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void parts_member(
	struct json *json, const char *key, const struct ct_path_part *parts, uint32_t count)
{
	uint32_t i;

	json_key(json, key);
	json_open(json, '[');
	for (i = 0; i < count; i++) {
		json_open(json, '{');
		render_time_member(json, "total_ns", parts[i].total_ns);
		render_count_member(json, "count", parts[i].count);
		render_text_member(json, "waits_for", parts[i].resource);
		stretch_members(json, &parts[i].longest);
		render_end_element(json);
	}
	json_close(json, ']');
}

void render_json_path(struct json *json, const struct ct_path *path)
{
	json_key(json, "path");
	json_open(json, '{');
	render_text_member(json, "name", path->task.name);
	render_count_member(json, "id", path->task.id);
	render_index_member(json, "process", path->task.process);
	render_time_member(json, "begun_ns", path->task.begun);
	render_time_member(json, "duration_ns", path->task.duration_ns);
	render_bool_member(json, "is_open", path->task.is_open);
	render_sequence_member(json, "event", path->task.event);
	render_json_times(json, &path->times);
	render_time_member(json, "untold_ns", path->untold_ns);
	render_count_member(json, "yields", path->nr_yields);
	render_time_member(json, "yielded_ns", path->yielded_ns);
	render_count_member(json, "dropped", path->nr_dropped);
	parts_member(json, "waits", path->waits, path->nr_waits);
	parts_member(json, "parts", path->parts, path->nr_parts);
	stretches_member(json, path);
	json_close(json, '}');
}
