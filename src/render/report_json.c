/* SPDX-License-Identifier: MIT */
/*
 * A report as JSON, complete: docs/spec/report-json.md documents every key.
 *
 * Names come out as the trace has them, escaped as JSON asks for. Times are nanoseconds since the trace's
 * epoch; what is not known is null. Addresses, handles and times since 1970 are texts: they need more than
 * the 53 bits that many readers keep.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "render/json_member.h"
#include "render/report.h"
#include "say/say.h"

static void run_id_member(struct json *json, const struct ct_tables *tables)
{
	char digits[2 * sizeof(tables->run_id) + 1];
	size_t i;

	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(digits + 2 * i, 3, "%02x", tables->run_id[i]);
	render_text_member(json, "run_id", digits);
}

/* The instant of time 0, as ISO 8601 with nanoseconds; null where it is not known. */
static void epoch_member(struct json *json, int64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm fields;
	char date[40], all[64];

	json_key(json, "epoch");
	if (realtime_ns <= 0 || !gmtime_r(&seconds, &fields) ||
		!strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &fields)) {
		json_null(json);
		return;
	}
	snprintf(all, sizeof(all), "%s.%09" PRId64 "Z", date, realtime_ns % 1000000000);
	json_text(json, all);
}

/* Which part of a recording it is. */
static void part_members(struct json *json, const struct ct_tables *tables)
{
	render_count_member(json, "first_generation", tables->first_generation);
	render_count_member(json, "last_generation", tables->last_generation);
	render_count_member(json, "events_before", tables->nr_before);
	render_count_member(json, "events_carried", tables->nr_carried);
	render_count_member(json, "not_carried", tables->nr_not_carried);
	render_bool_member(json, "is_cut", tables->is_cut);
}

static void trace_member(struct json *json, const struct ct_tables *tables)
{
	json_key(json, "trace");
	json_open(json, '{');
	run_id_member(json, tables);
	render_text_member(json, "host", tables->host);
	render_text_member(json, "clock", tables->clock);
	json_key(json, "clock_hz");
	json_real(json, tables->clock_hz);
	json_key(json, "clock_skew_ns");
	json_number(json, tables->clock_skew_ns);
	json_key(json, "reach_ns");
	json_number(json, tables->reach_ns);
	epoch_member(json, tables->epoch_realtime_ns);
	render_decimal_member(json, "epoch_realtime_ns", tables->epoch_realtime_ns);
	render_decimal_member(json, "epoch_monotonic_ns", tables->epoch_monotonic_ns);
	render_bool_member(json, "is_complete", tables->is_complete);
	render_bool_member(json, "has_no_end", tables->has_no_end);
	part_members(json, tables);
	render_text_member(json, "reason", tables->reason);
	render_time_member(json, "reason_time",
		tables->reason && *tables->reason ? tables->reason_time : CT_NO_TIME);
	json_close(json, '}');
}

static void processes_member(struct json *json, const struct ct_tables *tables)
{
	const struct ct_process *process;
	uint32_t i;

	json_key(json, "processes");
	json_open(json, '[');
	for (i = 1; i < tables->nr_processes; i++) {
		process = &tables->processes[i];
		json_open(json, '{');
		render_count_member(json, "index", i);
		render_count_member(json, "pid", process->pid);
		render_text_member(json, "program", process->program);
		render_text_member(json, "command_line", process->command_line);
		render_time_member(json, "attached_ns", process->attached);
		render_time_member(json, "ended_ns", process->ended);
		render_text_member(json, "ending", say_ending_name(process->ending));
		json_key(json, "ending_value");
		json_number(json, process->ending_value);
		render_bool_member(json, "has_probe", process->has_probe);
		render_bool_member(json, "has_ledger", process->has_ledger);
		render_bool_member(json, "was_killed_by_user", process->was_killed_by_engine_user);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void threads_member(struct json *json, const struct ct_tables *tables)
{
	const struct ct_thread *thread;
	uint32_t i;

	json_key(json, "threads");
	json_open(json, '[');
	for (i = 1; i < tables->nr_threads; i++) {
		thread = &tables->threads[i];
		json_open(json, '{');
		render_count_member(json, "index", i);
		render_index_member(json, "process", thread->process);
		render_count_member(json, "tid", thread->tid);
		render_text_member(json, "name", thread->name);
		render_time_member(json, "started_ns", thread->started);
		render_time_member(json, "stopped_ns", thread->stopped);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void part_member(struct json *json, const char *key, const char *from, size_t nr_bytes)
{
	struct text part = {0};

	text_append(&part, from, nr_bytes);
	render_text_member(json, key, text_peek(&part));
	json->text->is_broken = json->text->is_broken || part.is_broken;
	text_fini(&part);
}

static void callers_member(struct json *json, const char *callers)
{
	struct ct_caller caller;

	json_key(json, "callers");
	json_open(json, '[');
	while (ct_caller_next(&callers, &caller)) {
		json_open(json, '{');
		part_member(json, "function", caller.function, caller.function_bytes);
		part_member(json, "file", caller.file, caller.file_bytes);
		render_index_member(json, "line", caller.line);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void sites_member(struct json *json, const struct ct_tables *tables)
{
	const struct ct_site *site;
	uint32_t i;

	json_key(json, "sites");
	json_open(json, '[');
	for (i = 1; i < tables->nr_sites; i++) {
		site = &tables->sites[i];
		json_open(json, '{');
		render_count_member(json, "index", i);
		render_index_member(json, "process", site->process);
		render_text_member(json, "file", site->file);
		render_index_member(json, "line", site->line);
		render_index_member(json, "column", site->column);
		render_text_member(json, "function", site->function);
		render_text_member(json, "reason", site->reason);
		render_text_member(json, "module", site->module);
		render_hex_member(json, "module_offset", site->module_offset);
		render_hex_member(json, "address", site->address);
		callers_member(json, site->callers);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void states_member(struct json *json, const struct ct_quality *quality)
{
	unsigned state;

	json_key(json, "coroutines_by_state");
	json_open(json, '{');
	for (state = 0; state <= CT_STATE_DESTROYED; state++)
		render_count_member(
			json, ct_state_name((enum ct_state)state), quality->nr_by_state[state]);
	json_close(json, '}');
	render_count_member(json, "yielding", quality->nr_yielding);
	render_count_member(json, "destroyed_waiting", quality->nr_destroyed_waiting);
	render_count_member(json, "destroyed_woken", quality->nr_destroyed_woken);
}

static void losses_member(struct json *json, const struct ct_quality *quality)
{
	const struct ct_loss *loss;
	uint32_t i;

	json_key(json, "losses");
	json_open(json, '[');
	for (i = 0; i < quality->nr_losses; i++) {
		loss = &quality->losses[i];
		json_open(json, '{');
		render_index_member(json, "process", loss->process);
		render_index_member(json, "thread", loss->thread);
		json_key(json, "coroutine");
		if (loss->coro)
			json_unsigned(json, loss->coro);
		else
			json_null(json);
		render_text_member(json, "reason", ct_loss_name(loss->reason));
		render_count_member(json, "count", loss->count);
		render_time_member(json, "first_ns", loss->first);
		render_time_member(json, "last_ns", loss->last);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void notes_member(struct json *json, const struct ct_tables *tables)
{
	uint32_t i;

	json_key(json, "notes");
	json_open(json, '[');
	for (i = 0; i < tables->nr_notes; i++) {
		json_open(json, '{');
		render_text_member(json, "text", tables->notes[i].text);
		render_count_member(json, "count", tables->notes[i].count);
		render_sequence_member(json, "offset", tables->notes[i].offset);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void quality_member(struct json *json, const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;

	json_key(json, "quality");
	json_open(json, '{');
	render_time_member(json, "observed_from_ns", quality->observed_from);
	render_time_member(json, "observed_until_ns", quality->observed_until);
	render_count_member(json, "events", quality->nr_events);
	render_count_member(json, "lost", quality->nr_lost);
	render_count_member(json, "left_out", quality->nr_left_out);
	render_count_member(json, "coroutines", quality->nr_coros);
	states_member(json, quality);
	render_count_member(json, "coroutines_mid_life", quality->nr_coros_mid_life);
	render_count_member(json, "coroutines_unseen", quality->nr_unseen);
	render_count_member(json, "annotations_refused", report->nr_annotations_refused);
	render_count_member(json, "frames_reused", quality->nr_frames_reused);
	render_count_member(json, "impossible_events", quality->nr_impossible);
	render_count_member(json, "unknown_kinds", quality->nr_unknown_kinds);
	render_count_member(json, "broken_transitions", quality->nr_broken_transitions);
	render_count_member(json, "reordered_events", quality->nr_reordered);
	render_count_member(json, "reordered_ns", (uint64_t)quality->reordered_ns);
	render_count_member(json, "unmatched_wakes", quality->nr_unmatched_wakes);
	render_bool_member(json, "has_lower_grades", quality->has_lower_grades);
	render_count_member(json, "allowed", quality->nr_allowed);
	losses_member(json, &report->quality);
	notes_member(json, report->tables);
	json_close(json, '}');
}

static void texts_member(
	struct json *json, const char *key, const char *const *texts, uint32_t count)
{
	uint32_t i;

	json_key(json, key);
	json_open(json, '[');
	for (i = 0; i < count; i++)
		json_text(json, texts[i]);
	json_close(json, ']');
}

static void one_step(struct json *json, const struct ct_step *step)
{
	json_open(json, '{');
	render_time_member(json, "time_ns", step->time);
	render_text_member(json, "text", step->text);
	render_index_member(json, "thread", step->thread);
	render_sequence_member(json, "coroutine", step->coro ? step->coro : UINT64_MAX);
	render_index_member(json, "site", step->site);
	render_sequence_member(json, "event", step->sequence);
	json_close(json, '}');
}

static void steps_member(
	struct json *json, const char *key, const struct ct_step *steps, uint32_t count)
{
	uint32_t i;

	json_key(json, key);
	json_open(json, '[');
	for (i = 0; i < count; i++)
		one_step(json, &steps[i]);
	json_close(json, ']');
}

static void cause_member(struct json *json, const struct ct_step *cause)
{
	json_key(json, "cause");
	if (cause->text && cause->text[0])
		one_step(json, cause);
	else
		json_null(json);
}

static void events_member(struct json *json, const struct ct_member *member)
{
	const struct ct_event *event;
	uint32_t i;

	json_key(json, "events");
	json_open(json, '[');
	for (i = 0; i < member->nr_events; i++) {
		event = &member->events[i];
		json_open(json, '{');
		render_count_member(json, "event", event->sequence);
		render_time_member(json, "time_ns", event->time);
		render_index_member(json, "thread", event->thread);
		render_text_member(json, "kind", ct_kind_name(event->kind));
		render_count_member(json, "kind_number", event->kind);
		render_hex_member(json, "coroutine_word", event->coro);
		render_hex_member(json, "object", event->object);
		render_count_member(json, "argument", event->argument);
		render_count_member(json, "flags", event->flags);
		render_index_member(json, "site", event->site);
		render_text_member(json, "said", member->event_texts ? member->event_texts[i] : "");
		render_end_element(json);
	}
	json_close(json, ']');
}

static void waker_member(struct json *json, const struct ct_coro *coro)
{
	json_key(json, "last_wake");
	if (coro->waker_time == CT_NO_TIME) {
		json_null(json);
		return;
	}
	json_open(json, '{');
	render_time_member(json, "time_ns", coro->waker_time);
	render_text_member(json, "outcome", ct_outcome_name(coro->waker_outcome));
	json_close(json, '}');
}

static void one_member(struct json *json, const struct ct_member *member)
{
	const struct ct_coro *coro = &member->coro;

	json_open(json, '{');
	render_count_member(json, "id", coro->id);
	render_index_member(json, "process", coro->process);
	render_text_member(json, "state", ct_state_name(coro->state));
	render_time_member(json, "since_ns", member->since);
	render_text_member(json, "name", member->name ? member->name : "");
	render_text_member(json, "task", member->task ? member->task : "");
	render_text_member(json, "waits_for", member->resource);
	render_hex_member(json, "wait_object", coro->wait_object);
	render_index_member(json, "wait_site", coro->wait_site);
	render_index_member(json, "spawn_site", coro->spawn_site);
	render_index_member(json, "function_site", coro->function_site);
	render_hex_member(json, "frame", coro->frame);
	render_index_member(json, "thread", coro->thread);
	render_sequence_member(json, "parent", coro->parent ? coro->parent : UINT64_MAX);
	render_time_member(json, "created_ns", coro->created);
	render_time_member(json, "changed_ns", coro->changed);
	render_time_member(json, "destroyed_ns", coro->destroyed);
	render_text_member(json, "mark", coro->mark ? ct_mark_name(coro->mark) : "");
	render_bool_member(json, "was_seen_from_start", coro->was_seen_from_start);
	render_count_member(json, "resumes", coro->nr_resumes);
	render_count_member(json, "wakes", coro->nr_wakes);
	waker_member(json, coro);
	cause_member(json, &member->cause);
	render_sequence_member(json, "last_event", coro->last_event);
	events_member(json, member);
	render_end_element(json);
}

static void members_member(struct json *json, const struct ct_finding *finding)
{
	uint32_t i;

	json_key(json, "members");
	json_open(json, '[');
	for (i = 0; i < finding->nr_members; i++)
		one_member(json, &finding->members[i]);
	json_close(json, ']');
}

static void one_finding(struct json *json, const struct ct_finding *finding)
{
	json_open(json, '{');
	render_text_member(json, "rule", ct_rule_name(finding->rule));
	render_text_member(json, "grade", ct_grade_name(finding->grade));
	render_text_member(json, "title", finding->title);
	render_text_member(json, "says", ct_rule_says(finding->rule));
	render_index_member(json, "process", finding->process);
	render_count_member(json, "coroutines", finding->nr_members);
	render_count_member(json, "peers", finding->nr_peers);
	render_text_member(json, "peers_are", finding->peers);
	render_index_member(json, "wait_site", finding->wait_site);
	render_index_member(json, "cause_site", finding->cause_site);
	render_count_member(json, "lost_nearby", finding->nr_lost_nearby);
	render_sequence_member(json, "first_event", finding->first_sequence);
	render_sequence_member(json, "last_event", finding->last_sequence);
	texts_member(json, "lowered_since", finding->lowered, finding->nr_lowered);
	texts_member(json, "evidence", finding->evidence, finding->nr_evidence);
	render_text_member(json, "could_be_wrong_if", ct_rule_wrong_if(finding->rule));
	render_text_member(json, "next_step", finding->next_step);
	steps_member(json, "steps", finding->steps, finding->nr_steps);
	members_member(json, finding);
	render_end_element(json);
}

static void waiting_member(struct json *json, const struct ct_report *report)
{
	const struct ct_waiting *waiting;
	uint32_t i;

	json_key(json, "waiting");
	json_open(json, '[');
	for (i = 0; i < report->nr_waiting; i++) {
		waiting = &report->waiting[i];
		json_open(json, '{');
		render_index_member(json, "site", waiting->site);
		render_index_member(json, "process", waiting->process);
		render_count_member(json, "coroutines", waiting->nr_coros);
		render_count_member(json, "longest_coroutine", waiting->coro);
		render_time_member(json, "since_ns", waiting->since);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void advice_member(struct json *json, const struct ct_report *report)
{
	uint32_t i;

	json_key(json, "advice");
	json_open(json, '[');
	for (i = 0; i < report->nr_advice; i++) {
		const struct ct_advice *advice = &report->advice[i];

		json_open(json, '{');
		render_text_member(json, "lacks", ct_lack_name(advice->lack));
		render_index_member(json, "process", advice->process);
		render_index_member(json, "site", advice->site);
		render_count_member(json, "coroutines", advice->nr_coros);
		render_text_member(json, "awaits", advice->name);
		render_text_member(json, "text", advice->text);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void spans_member(struct json *json, const struct ct_report *report)
{
	uint32_t i;

	json_key(json, "spans");
	json_open(json, '[');
	for (i = 0; i < report->nr_spans; i++) {
		const struct ct_span *span = &report->spans[i];

		json_open(json, '{');
		render_text_member(json, "kind", span->is_task ? "task" : "region");
		render_text_member(json, "name", span->name);
		render_index_member(json, "process", span->process);
		render_index_member(json, "site", span->site);
		render_count_member(json, "begun", span->nr_begun);
		render_count_member(json, "ended", span->nr_ended);
		render_count_member(json, "open", span->nr_open);
		render_time_member(json, "total_ns", span->durations.total_ns);
		render_time_member(json, "p50_ns", span->durations.p50_ns);
		render_time_member(json, "p99_ns", span->durations.p99_ns);
		render_time_member(json, "max_ns", span->durations.max_ns);
		render_time_member(json, "mean_ns",
			span->durations.count
				? span->durations.total_ns / (int64_t)span->durations.count
				: 0);
		render_time_member(json, "p90_ns", span->durations.p90_ns);
		render_time_member(json, "p999_ns", span->durations.p999_ns);
		render_time_member(json, "p9999_ns", span->durations.p9999_ns);
		render_time_member(json, "open_ns", span->open_ns);
		render_json_times(json, &span->times);
		render_json_waits(json, span->waits, span->nr_waits);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void slowest_member(struct json *json, const struct ct_report *report)
{
	uint32_t i;

	json_key(json, "slowest_tasks");
	json_open(json, '[');
	for (i = 0; i < report->nr_slowest; i++) {
		const struct ct_task *task = &report->slowest[i];

		json_open(json, '{');
		render_text_member(json, "name", task->name);
		render_count_member(json, "id", task->id);
		render_index_member(json, "process", task->process);
		render_time_member(json, "begun_ns", task->begun);
		render_time_member(json, "duration_ns", task->duration_ns);
		render_bool_member(json, "is_open", task->is_open);
		render_sequence_member(json, "event", task->event);
		render_json_times(json, &task->times);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void counters_member(struct json *json, const struct ct_report *report)
{
	uint32_t i;

	json_key(json, "counters");
	json_open(json, '[');
	for (i = 0; i < report->nr_counters; i++) {
		const struct ct_counter *counter = &report->counters[i];

		json_open(json, '{');
		render_text_member(json, "name", counter->name);
		render_index_member(json, "process", counter->process);
		render_index_member(json, "site", counter->site);
		render_count_member(json, "values", counter->nr_values);
		render_time_member(json, "last", counter->last);
		render_time_member(json, "last_ns", counter->last_time);
		render_time_member(json, "least", counter->least);
		render_time_member(json, "greatest", counter->greatest);
		render_end_element(json);
	}
	json_close(json, ']');
}

void render_report_json(struct text *text, const struct ct_report *report)
{
	struct json json;
	uint32_t i;

	json_init(&json, text, true);
	json_open(&json, '{');
	render_text_member(&json, "format", "corotracer-report");
	render_count_member(&json, "version", 1);
	render_text_member(&json, "corotracer", CT_VERSION_TEXT);
	trace_member(&json, report->tables);
	quality_member(&json, report);
	texts_member(&json, "remarks", report->remarks, report->nr_remarks);
	waiting_member(&json, report);
	advice_member(&json, report);
	if (report->live.pid)
		render_json_live(&json, &report->live);
	if (report->nr_why) {
		steps_member(&json, "why", report->why, report->nr_why);
		render_json_awaits(&json, report);
	}
	json_key(&json, "findings");
	json_open(&json, '[');
	for (i = 0; i < report->nr_findings; i++)
		one_finding(&json, &report->findings[i]);
	json_close(&json, ']');
	spans_member(&json, report);
	slowest_member(&json, report);
	counters_member(&json, report);
	render_json_statistics(&json, &report->statistics);
	if (report->path)
		render_json_path(&json, report->path);
	if (report->breakdown)
		render_json_breakdown(&json, report->breakdown);
	processes_member(&json, report->tables);
	threads_member(&json, report->tables);
	sites_member(&json, report->tables);
	json_close(&json, '}');
}
