/* SPDX-License-Identifier: MIT */
/*
 * The rows of a view as slices. Wakes come before the states that they begin, and states before runs, so that a cause
 * comes first among items of the same instant.
 */
#include "slices/tracks.h"
#include "base/failure.h"

const char *slices_category_name(enum slices_category category)
{
	static const char *const names[] = {
#define X(NAME, name) name,
		SLICES_CATEGORIES(X)
#undef X
	};

	return category < SLICES_NR_CATEGORIES ? names[category] : "";
}

/* ---------------------------------------------------------------- reading */

static void take_rows(struct slices *slices, const struct ct_view_rows *rows, slices_take *take)
{
	int64_t row[COLUMN_MOST];
	uint64_t i;
	uint32_t k;

	for (i = 0; i < rows->nr_rows; i++) {
		for (k = 0; k < rows->nr_columns; k++)
			row[k] = rows->columns[k][i];
		take(slices, row);
	}
}

enum ct_status slices_each(struct slices *slices, const struct ct_view_request *request,
	slices_take *take, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	enum ct_status status = ct_view_scan_open(slices->view, request, &scan, reterr);

	if (status)
		return status;
	while (status == CT_OK) {
		status = ct_view_scan_next(scan, &rows, reterr);
		if (status)
			break;
		take_rows(slices, rows, take);
		status = slices->writer->flush(slices->writer, reterr);
	}
	ct_view_scan_close(scan);
	if (status == CT_END)
		return slices->is_broken ? ct_fail_memory(reterr) : CT_OK;
	return status;
}

static enum ct_status each(
	struct slices *slices, enum ct_view_table table, slices_take *take, struct ct_error *reterr)
{
	const struct ct_view_request request = {.size = sizeof(request), .table = table};

	return slices_each(slices, &request, take, reterr);
}

/* One cell in words. */
static const char *say(
	struct slices *slices, struct text *text, enum ct_view_type type, int64_t number)
{
	text_clear(text);
	view_say(text, slices->view, type, number, 0);
	slices->is_broken |= text->is_broken;
	return text_peek(text);
}

static uint32_t site_of(const struct slices *slices, int64_t number)
{
	return number > 0 && number < slices->tables->nr_sites ? (uint32_t)number : 0;
}

/* ---------------------------------------------------------------- wakes */

/* The number of the flow from a coroutine's wake at a time, and the delay that begins then; no other flow has it. */
static uint64_t flow_of(uint32_t process, uint64_t coro, ct_time time)
{
	uint64_t flow = (coro + process * UINT64_C(0x9e3779b97f4a7c15)) ^
			(uint64_t)time * UINT64_C(0xbf58476d1ce4e5b9);

	flow = (flow ^ flow >> 29) * UINT64_C(0x94d049bb133111eb);
	return (flow ^ flow >> 32) | 1;
}

static void take_wake(struct slices *slices, const int64_t *row)
{
	uint32_t process = (uint32_t)row[CT_VIEW_WAKES_PROCESS];
	uint64_t coro = (uint64_t)row[CT_VIEW_WAKES_COROUTINE];
	ct_time time = row[CT_VIEW_WAKES_TIME];
	struct slices_track track =
		slices_thread_track(slices, process, (uint32_t)row[CT_VIEW_WAKES_THREAD]);
	struct slices_item item = {.track = &track,
		.category = SLICES_WAKE,
		.name = "wake",
		.from = time,
		.until = time,
		.site = site_of(slices, row[CT_VIEW_WAKES_SITE]),
		.flow = coro ? flow_of(process, coro, time) : 0};

	slices_argument_number(&item, "coroutine", (int64_t)coro);
	slices_argument_number(&item, "waker", row[CT_VIEW_WAKES_WAKER]);
	slices_argument_text(
		&item, "outcome", ct_outcome_name((unsigned)row[CT_VIEW_WAKES_OUTCOME]));
	slices_argument_number(&item, "event", row[CT_VIEW_WAKES_EVENT]);
	slices->writer->instant(slices->writer, &item);
}

/* ---------------------------------------------------------------- states */

/* A run is also on its thread's track. */
static void note_run(
	struct slices *slices, uint32_t coro, const int64_t *row, struct slices_span span)
{
	span.thread = (uint32_t)row[CT_VIEW_STATES_THREAD];
	span.coro = coro;
	span.category = SLICES_RUN;
	span.site = site_of(slices, row[CT_VIEW_STATES_SITE]);
	span.flow = slices->coros.at[coro].flow;
	if (span.thread && span.thread < slices->tables->nr_threads)
		slices_threads_run(slices, span);
}

/* States of one coroutine must follow each other, even if clocks disagree. */
static struct slices_span lay(struct slices *slices, uint32_t coro, const int64_t *row)
{
	struct slices_coro *of = &slices->coros.at[coro];
	struct slices_span span = {
		.from = row[CT_VIEW_STATES_FROM], .until = row[CT_VIEW_STATES_UNTIL]};

	if (span.from < of->last)
		span.from = of->last;
	if (span.until < span.from)
		span.until = span.from;
	of->last = span.until;
	return span;
}

static void add_state_arguments(struct slices *slices, const int64_t *row, struct slices_item *item)
{
	bool is_waiting = row[CT_VIEW_STATES_STATE] == CT_STATE_WAITING;
	bool is_ready = row[CT_VIEW_STATES_STATE] == CT_STATE_READY;

	if (is_waiting)
		slices_argument_text(item, "object",
			say(slices, &slices->object, CT_VIEW_TYPE_HANDLE,
				row[CT_VIEW_STATES_OBJECT]));
	slices_argument_text(item, is_ready ? "woken_at" : "place",
		say(slices, &slices->place, CT_VIEW_TYPE_SITE,
			row[is_ready ? CT_VIEW_STATES_WAKER_SITE : CT_VIEW_STATES_SITE]));
	if (is_ready)
		slices_argument_number(item, "waker", row[CT_VIEW_STATES_WAKER]);
	slices_argument_number(item, "holder", row[CT_VIEW_STATES_HOLDER]);
	slices_argument_number(item, "task", row[CT_VIEW_STATES_TASK]);
	slices_argument_number(item, "is_open", row[CT_VIEW_STATES_IS_OPEN]);
}

static void take_state(struct slices *slices, const int64_t *row)
{
	uint32_t process = (uint32_t)row[CT_VIEW_STATES_PROCESS];
	uint64_t id = (uint64_t)row[CT_VIEW_STATES_COROUTINE];
	uint32_t coro = slices_find_coro(slices, process, id);
	struct slices_track track = slices_coro_track(slices, coro);
	bool is_woken = row[CT_VIEW_STATES_STATE] == CT_STATE_READY &&
			row[CT_VIEW_STATES_WAKER_THREAD] != 0;
	struct slices_span span = lay(slices, coro, row);
	struct slices_item item = {.track = &track,
		.category = SLICES_STATE,
		.name = ct_state_name((enum ct_state)row[CT_VIEW_STATES_STATE]),
		.from = span.from,
		.until = span.until,
		.site = site_of(slices, row[CT_VIEW_STATES_SITE]),
		.flow = is_woken ? flow_of(process, id, row[CT_VIEW_STATES_FROM]) : 0};

	if (row[CT_VIEW_STATES_STATE] == CT_STATE_RUNNING)
		note_run(slices, coro, row, span);
	slices->coros.at[coro].flow = item.flow;
	add_state_arguments(slices, row, &item);
	slices->writer->slice(slices->writer, &item);
}

/* ---------------------------------------------------------------- items of the program */

static void take_task(struct slices *slices, const int64_t *row)
{
	uint32_t process = (uint32_t)row[CT_VIEW_TASKS_PROCESS];
	struct slices_track track = slices_thread_track(slices, process, 0);
	struct slices_item item = {.track = &track,
		.category = SLICES_TASK,
		.name = ct_view_text(slices->view, row[CT_VIEW_TASKS_NAME]),
		.from = row[CT_VIEW_TASKS_FROM],
		.until = row[CT_VIEW_TASKS_UNTIL]};

	track.parent = track.number;
	track.kind = SLICES_OF_ASYNC;
	track = slices_add_track(slices, track, "tasks");
	slices_argument_number(&item, "task", row[CT_VIEW_TASKS_TASK]);
	slices_argument_number(&item, "is_open", row[CT_VIEW_TASKS_IS_OPEN]);
	slices_argument_number(&item, "running_ns", row[CT_VIEW_TASKS_RUNNING]);
	slices_argument_number(&item, "ready_ns", row[CT_VIEW_TASKS_READY]);
	slices_argument_number(&item, "waiting_ns", row[CT_VIEW_TASKS_WAITING]);
	slices->writer->slice(slices->writer, &item);
}

static void take_region(struct slices *slices, const int64_t *row)
{
	uint32_t process = (uint32_t)row[CT_VIEW_REGIONS_PROCESS];
	uint64_t id = (uint64_t)row[CT_VIEW_REGIONS_COROUTINE];
	uint32_t coro = slices_find_coro(slices, process, id);
	struct slices_track track =
		coro ? slices_coro_track(slices, coro)
		     : slices_thread_track(slices, process, (uint32_t)row[CT_VIEW_REGIONS_THREAD]);
	struct slices_item item = {.track = &track,
		.category = SLICES_REGION,
		.name = ct_view_text(slices->view, row[CT_VIEW_REGIONS_NAME]),
		.from = row[CT_VIEW_REGIONS_FROM],
		.until = row[CT_VIEW_REGIONS_UNTIL]};

	track.parent = track.number;
	track.kind = SLICES_OF_ASYNC;
	track = slices_add_track(slices, track, "regions");
	slices_argument_number(&item, "coroutine", (int64_t)id);
	slices_argument_number(&item, "is_open", row[CT_VIEW_REGIONS_IS_OPEN]);
	slices->writer->slice(slices->writer, &item);
}

/* The range goes to the track that it is about: its coroutine, its thread if that sweeps, or the process. */
static void take_range(struct slices *slices, const int64_t *row)
{
	uint32_t process = (uint32_t)row[CT_VIEW_RANGES_PROCESS];
	const char *kind = ct_view_text(slices->view, row[CT_VIEW_RANGES_KIND]);
	bool is_pause = strcmp(kind, ct_range_name(CTP_RANGE_PAUSE)) == 0;
	bool is_sweep = strcmp(kind, ct_range_name(CTP_RANGE_SWEEP)) == 0;
	uint64_t id = is_pause || is_sweep ? 0 : (uint64_t)row[CT_VIEW_RANGES_COROUTINE];
	uint32_t coro = slices_find_coro(slices, process, id);
	uint32_t thread = is_sweep ? (uint32_t)row[CT_VIEW_RANGES_THREAD] : 0;
	struct slices_track track = coro ? slices_coro_track(slices, coro)
					 : slices_thread_track(slices, process, thread);
	struct slices_item item = {.track = &track,
		.category = SLICES_RANGE,
		.name = kind,
		.from = row[CT_VIEW_RANGES_FROM],
		.until = row[CT_VIEW_RANGES_UNTIL]};

	track.parent = track.number;
	track.kind = SLICES_OF_ASYNC;
	track = slices_add_track(slices, track, "runtime");
	slices_argument_text(&item, "name", ct_view_text(slices->view, row[CT_VIEW_RANGES_NAME]));
	slices_argument_number(&item, "is_open", row[CT_VIEW_RANGES_IS_OPEN]);
	slices->writer->slice(slices->writer, &item);
}

static void take_value(struct slices *slices, const int64_t *row)
{
	struct slices_track track = slices_counter_track(slices,
		(uint32_t)row[CT_VIEW_COUNTER_VALUES_PROCESS], row[CT_VIEW_COUNTER_VALUES_NAME]);
	const struct slices_item item = {.track = &track,
		.category = SLICES_COUNTER,
		.name = track.name,
		.from = row[CT_VIEW_COUNTER_VALUES_TIME],
		.until = row[CT_VIEW_COUNTER_VALUES_TIME],
		.value = row[CT_VIEW_COUNTER_VALUES_VALUE]};

	slices->writer->counter(slices->writer, &item);
}

static void take_log(struct slices *slices, const int64_t *row)
{
	uint32_t site = site_of(slices, row[CT_VIEW_EVENTS_SITE]);
	struct slices_track track = slices_thread_track(slices,
		(uint32_t)row[CT_VIEW_EVENTS_PROCESS], (uint32_t)row[CT_VIEW_EVENTS_THREAD]);
	const char *message = slices->tables->sites[site].reason;
	struct slices_item item = {.track = &track,
		.category = SLICES_LOG,
		.name = *message ? message : "log",
		.from = row[CT_VIEW_EVENTS_TIME],
		.until = row[CT_VIEW_EVENTS_TIME],
		.site = site};

	slices_argument_number(&item, "coroutine", row[CT_VIEW_EVENTS_COROUTINE]);
	if (row[CT_VIEW_EVENTS_FLAGS] & 1)
		slices_argument_number(&item, "number", row[CT_VIEW_EVENTS_OBJECT]);
	slices->writer->instant(slices->writer, &item);
}

static enum ct_status write_logs(struct slices *slices, struct ct_error *reterr)
{
	const struct ct_view_term term = {
		.column = CT_VIEW_EVENTS_KIND, .compare = CT_VIEW_EQUAL, .number = CTP_KIND_LOG};
	const struct ct_view_request request = {
		.size = sizeof(request), .table = CT_VIEW_EVENTS, .terms = &term, .nr_terms = 1};

	return slices_each(slices, &request, take_log, reterr);
}

/* ---------------------------------------------------------------- the judgement */

static ct_time time_of(const struct slices *slices, ct_time time)
{
	return time == CT_NO_TIME ? slices->tables->observed_from : time;
}

/* A finding is placed at the last step of its evidence. */
static void write_finding(
	struct slices *slices, const struct slices_track *track, const struct ct_finding *finding)
{
	const struct ct_step *last =
		finding->nr_steps ? &finding->steps[finding->nr_steps - 1] : NULL;
	ct_time time =
		last && last->time != CT_NO_TIME ? last->time : slices->tables->observed_until;
	struct slices_item item = {.track = track,
		.category = SLICES_FINDING,
		.name = finding->title,
		.from = time_of(slices, time),
		.until = time_of(slices, time),
		.site = site_of(slices, finding->cause_site)};

	slices_argument_text(&item, "rule", ct_rule_name(finding->rule));
	slices_argument_text(&item, "grade", ct_grade_name(finding->grade));
	slices_argument_number(&item, "coroutines", finding->nr_members);
	if (finding->nr_members)
		slices_argument_number(&item, "coroutine", (int64_t)finding->members[0].coro.id);
	slices_argument_text(&item, "wrong_if", ct_rule_wrong_if(finding->rule));
	slices_argument_text(&item, "next_step", finding->next_step);
	slices->writer->instant(slices->writer, &item);
}

static void write_loss(struct slices *slices, const struct ct_loss *loss)
{
	struct slices_track track = {.kind = SLICES_OF_ASYNC, .parent = slices->trace_track};
	struct slices_item item = {.track = &track,
		.category = SLICES_LOSS,
		.name = ct_loss_name(loss->reason),
		.from = time_of(slices, loss->first),
		.until = time_of(slices, loss->last)};

	if (item.until < item.from)
		item.until = item.from;
	track = slices_add_track(slices, track, "lost events");
	slices_argument_number(&item, "events", (int64_t)loss->count);
	slices_argument_number(&item, "coroutine", (int64_t)loss->coro);
	slices_argument_text(
		&item, "thread", say(slices, &slices->object, CT_VIEW_TYPE_THREAD, loss->thread));
	slices->writer->slice(slices->writer, &item);
}

static void write_note(
	struct slices *slices, const struct slices_track *track, const struct ct_note *note)
{
	struct slices_item item = {.track = track,
		.category = SLICES_NOTE,
		.name = note->text,
		.from = time_of(slices, slices->tables->observed_from),
		.until = time_of(slices, slices->tables->observed_from)};

	slices_argument_number(&item, "count", (int64_t)note->count);
	slices->writer->instant(slices->writer, &item);
}

/* Losses come before findings. */
static enum ct_status write_judgement(struct slices *slices, struct ct_error *reterr)
{
	const struct slices_track track = {.kind = SLICES_OF_TRACE, .number = slices->trace_track};
	const struct ct_report *report;
	enum ct_status status = ct_view_report(slices->view, &report, reterr);
	uint32_t i;

	if (status)
		return status;
	for (i = 0; i < report->quality.nr_losses; i++)
		write_loss(slices, &report->quality.losses[i]);
	for (i = 0; i < report->tables->nr_notes; i++)
		write_note(slices, &track, &report->tables->notes[i]);
	for (i = 0; i < report->tables->nr_sights; i++)
		write_note(slices, &track,
			&(struct ct_note){.text = report->tables->sights[i].text, .count = 1});
	for (i = 0; i < report->nr_findings; i++)
		write_finding(slices, &track, &report->findings[i]);
	return CT_OK;
}

/* ---------------------------------------------------------------- the whole */

static enum ct_status write_all(struct slices *slices, struct ct_error *reterr)
{
	static const struct {
		enum ct_view_table table;
		slices_take *take;
	} parts[] = {
		{CT_VIEW_WAKES, take_wake},
		{CT_VIEW_STATES, take_state},
		{CT_VIEW_TASKS, take_task},
		{CT_VIEW_REGIONS, take_region},
		{CT_VIEW_RANGES, take_range},
		{CT_VIEW_COUNTER_VALUES, take_value},
	};
	enum ct_status status = slices_tracks_coros(slices, reterr);
	size_t i;

	if (status == CT_OK)
		status = write_judgement(slices, reterr);
	for (i = 0; status == CT_OK && i < sizeof(parts) / sizeof(parts[0]); i++)
		status = each(slices, parts[i].table, parts[i].take, reterr);
	if (status == CT_OK)
		status = write_logs(slices, reterr);
	if (status == CT_OK)
		status = slices_threads_read(slices, reterr);
	if (status == CT_OK)
		status = slices_threads_write(slices, reterr);
	if (status == CT_OK && slices->is_broken)
		return ct_fail_memory(reterr);
	return status;
}

enum ct_status slices_tell(
	struct ct_view *view, struct slices_writer *writer, struct ct_error *reterr)
{
	struct slices slices = {.view = view, .tables = ct_view_tables(view), .writer = writer};
	enum ct_status status;

	writer->tables = slices.tables;
	if (slices_tracks_begin(&slices))
		status = write_all(&slices, reterr);
	else
		status = ct_fail_memory(reterr);
	slices_tracks_fini(&slices);
	vec_fini(&slices.spans);
	text_fini(&slices.word);
	text_fini(&slices.place);
	text_fini(&slices.object);
	return status;
}
