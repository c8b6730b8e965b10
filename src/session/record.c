/* SPDX-License-Identifier: MIT */
/* The public functions that record: an output, the collector that fills it, and names before it is closed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collect/collect.h"
#include "corotracer/ct.h"
#include "base/clock.h"
#include "base/failure.h"
#include "stages/filter.h"
#include "session/flight.h"
#include "jsonl/jsonl.h"
#include "base/known_options.h"
#include "session/ledger_path.h"
#include "session/look.h"
#include "session/memory_look.h"
#include "session/namer.h"
#include "stages/naming.h"
#include "stages/nothing.h"
#include "stages/queue.h"
#include "store/store.h"
#include "session/told.h"
#include "base/text.h"
#include "session/control.h"
#include "session/so_far.h"
#include "session/steering.h"
#include "session/wanted.h"

#define FLIGHT_WAIT_MS 250
#define SHOW_WAIT_MS 15 /* rows become visible within 50 ms */
#define SHOW_PERIOD_NS UINT64_C(15000000)
#define SHOW_BEHIND_NS UINT64_C(10000000)

struct ct_record {
	struct ct_sink *sink; /* the first sink, which adds build ids; before the queue */
	struct queue *queue;  /* its thread alone uses the sinks behind it, except after a settle */
	struct wanted wanted; /* contains the filter behind the queue */
	struct ct_sink *output;
	uint64_t nr_lost_in_output;                               /* once it is complete */
	uint64_t (*lost_in_output)(const struct ct_sink *output); /* NULL: it loses nothing */
	uint64_t nr_rows_in_output;                               /* once it is complete */
	uint64_t (*rows_in_output)(const struct ct_sink *output); /* NULL: it has no rows */
	struct ct_sink *counted;                                  /* the sink to ask */
	char *whole; /* keeps everything for the rows of the end; NULL: none */
	enum ct_row_numbers row_numbers;
	bool has_rows;         /* the output is JSON lines */
	bool shows_rows;       /* rows become visible soon after they were written */
	uint64_t shown_ns;     /* time of the last showing of rows */
	uint64_t nr_taken;     /* number of events at that time */
	uint64_t nr_shown;     /* number of events whose rows are all visible */
	bool has_unshown;      /* events have come since then */
	struct flight *flight; /* NULL: the whole run is recorded */
	struct collect *collect;
	char *output_path;
	char *former; /* an old trace with the output's name; NULL: there is none */
	struct namer *namer;
	struct steering *steering;
	struct control *control;    /* NULL: other programs cannot give orders */
	char *ledger_path;          /* NULL: no library was found */
	struct text ledger_trouble; /* why no library was found; else empty */
	bool is_found;              /* the target ran before the recording */
	int64_t found_pid;          /* process to look at before the recording ends; 0: none */
	uint64_t begun_ns;
	struct ct_process_look *look;
	struct memory_look *memory; /* NULL: its memory is not looked into */
	bool has_ended;             /* the target has ended, and all its events are in the sink */
};

static enum ct_status open_flight(
	struct ct_record *record, const struct ct_record_options *options, struct ct_error *reterr)
{
	enum ct_status status;

	if (options->format != CT_FORMAT_CTRACE || strcmp(options->output, "-") == 0)
		return ct_fail(reterr, CT_ERR_USAGE,
			"a flight recorder writes traces into files, not JSON lines or to standard "
			"output");
	status = flight_open(options->flight, options->output, &record->flight, reterr);
	if (status == CT_OK)
		record->output = flight_sink(record->flight);
	return status;
}

static enum ct_status open_rows(
	struct ct_record *record, const struct ct_record_options *options, struct ct_error *reterr)
{
	struct jsonl_options rows = {
		.all_kinds = options->all_kinds,
		.names_early = options->shows_rows,
		.numbers = options->row_numbers,
	};
	enum ct_status status = jsonl_sink_open(options->output, &rows, &record->output, reterr);

	record->counted = record->output;
	record->lost_in_output = jsonl_sink_lost;
	record->rows_in_output = jsonl_sink_rows;
	record->has_rows = true;
	record->shows_rows = status == CT_OK && options->shows_rows;
	if (status == CT_OK && options->tells_all)
		record->whole = told_keep(options->output, &record->output);
	return status;
}

static enum ct_status open_output(
	struct ct_record *record, const struct ct_record_options *options, struct ct_error *reterr)
{
	struct store_options store_options = {.pack_level = options->pack_level};
	enum ct_status status;

	if (!options->output) {
		record->output = nothing_sink();
		return CT_OK;
	}
	if (options->flight)
		return open_flight(record, options, reterr);
	switch (options->format) {
	case CT_FORMAT_CTRACE:
		status = store_sink_open(options->output, &store_options, &record->output, reterr);
		record->lost_in_output = store_sink_lost;
		record->counted = record->output;
		return status;
	case CT_FORMAT_JSONL:
		return open_rows(record, options, reterr);
	default:
		return ct_fail(reterr, CT_ERR_USAGE, "a program cannot be recorded in this form");
	}
}

/* Opens the sinks after the collector: build ids, the queue, the filter, the output. */
static enum ct_status chain(
	struct ct_record *record, const struct ct_record_options *options, struct ct_error *reterr)
{
	enum ct_status status = open_output(record, options, reterr);

	if (status)
		return status;
	if (options->flight && options->wanted && options->wanted->duration_ns > 0)
		status = ct_fail(reterr, CT_ERR_USAGE,
			"a flight recorder records until the program ends: it has no duration");
	else
		status = wanted_open(&record->wanted, options->wanted, record->output, reterr);
	if (status) {
		sink_close(record->output, false, NULL);
		return status;
	}
	status = queue_open(record->wanted.filter, QUEUE_BYTES, &record->queue, reterr);
	if (status) {
		sink_close(record->wanted.filter, false, NULL);
		return status;
	}
	record->wanted.queue = record->queue;
	status = naming_sink_open(queue_sink(record->queue), &record->sink, reterr);
	if (status)
		sink_close(queue_sink(record->queue), false, NULL);
	return status;
}

static bool are_possible(const struct ct_orders *orders)
{
	return orders->coarse_step_ns >= 0 &&
	       (orders->ring_bytes == 0 || (orders->ring_bytes >= CT_RING_BYTES_LEAST &&
						   orders->ring_bytes <= CT_RING_BYTES_MOST));
}

static enum ct_status dump(void *record, const char *reason, struct ct_error *reterr)
{
	return ct_record_dump(record, reason, reterr);
}

static void steer(struct ct_record *record, const struct ct_record_options *options)
{
	struct ct_record_stats stats;
	struct steering_of of = {
		.collect = record->collect,
		.sink = record->sink,
		.queue = record->queue,
		.filter = record->wanted.filter,
		.flight = record->flight,
		.dump = dump,
		.context = record,
	};

	steering_take(record->steering, &of);
	if (!options->takes_orders)
		return;
	collect_stats(record->collect, &stats);
	record->control = control_open(record->steering, stats.target_pid);
}

static enum ct_status start(
	struct ct_record *record, const struct ct_record_options *options, struct ct_error *reterr)
{
	enum ct_status status = chain(record, options, reterr);
	struct ct_record_options known = *options;

	if (status)
		return status;
	record->is_found = options->pid > 0;
	record->found_pid = options->looks_at_end ? options->pid : 0;
	record->begun_ns = clock_monotonic_ns();
	if (!options->ledger_path && !options->no_ledger && !record->is_found)
		known.ledger_path = record->ledger_path = ledger_path_find(&record->ledger_trouble);
	status = steering_new(options->wake_descriptor, &record->steering, reterr);
	if (status)
		return status;
	known.wake_descriptor = steering_descriptor(record->steering);
	status = collect_open(&known, record->sink, &record->collect, reterr);
	if (status)
		return status;
	if (options->looks_into_memory && !record->flight)
		record->memory = memory_look_new(record->collect, record->sink);
	steer(record, options);
	return CT_OK;
}

/* Returns the name of an old trace that would be lost; an empty file is not a trace. */
static char *find_former(const struct ct_record_options *options)
{
	struct stat status;

	if (!options->output || options->flight || stat(options->output, &status) ||
		!S_ISREG(status.st_mode) || status.st_size == 0)
		return NULL;
	return strdup(options->output);
}

static void release_names(struct ct_record *record)
{
	told_forget(record->whole);
	memory_look_free(record->memory);
	free(record->former);
	free(record->output_path);
	free(record->ledger_path);
	text_fini(&record->ledger_trouble);
	free(record);
}

struct record_options {
	struct ct_record_options all;
	struct ct_flight_options flight;
	struct ct_wanted wanted;
	struct ct_orders orders;
};

static void take_options(struct record_options *known, const struct ct_record_options *given)
{
	known_options(&known->all, sizeof(known->all), given);
	if (known->all.flight) {
		known_options(&known->flight, sizeof(known->flight), known->all.flight);
		known->all.flight = &known->flight;
	}
	if (known->all.wanted) {
		known_options(&known->wanted, sizeof(known->wanted), known->all.wanted);
		known->all.wanted = &known->wanted;
	}
	if (known->all.orders) {
		known_options(&known->orders, sizeof(known->orders), known->all.orders);
		known->all.orders = &known->orders;
	}
}

enum ct_status ct_record_open(const struct ct_record_options *options,
	struct ct_record **ret_record, struct ct_error *reterr)
{
	struct record_options known;
	struct ct_record *record;
	enum ct_status status;

	take_options(&known, options);
	if (known.all.pid <= 0 && (!known.all.command || !known.all.command[0]))
		return ct_fail(reterr, CT_ERR_USAGE, "no command to record");
	if (known.all.orders && !are_possible(known.all.orders))
		return ct_fail(reterr, CT_ERR_USAGE, "probes cannot be given such orders");
	record = calloc(1, sizeof(*record));
	if (record)
		record->namer = namer_new(clock_monotonic_ns());
	if (!record || !record->namer) {
		free(record);
		return ct_fail_memory(reterr);
	}
	record->former = find_former(&known.all);
	if (known.all.output)
		record->output_path = strdup(known.all.output);
	record->row_numbers = known.all.row_numbers;
	status = start(record, &known.all, reterr);
	if (status == CT_OK) {
		*ret_record = record;
		return CT_OK;
	}
	if (record->sink)
		sink_close(record->sink, false, NULL);
	flight_free(record->flight);
	steering_free(record->steering);
	namer_free(record->namer);
	release_names(record);
	return status;
}

/*
 * Writes a dump for a crash; a signal that the user sent is not a crash. The dump ends now, when everything is in,
 * because the step began before the crash.
 */
static void dump_crash(struct ct_record *record)
{
	struct ct_record_stats stats;
	const char *name;
	char reason[80];

	collect_stats(record->collect, &stats);
	if (!stats.has_ended || stats.ending != CT_ENDING_SIGNALED ||
		collect_was_forwarded(record->collect))
		return;
	name = sigabbrev_np(stats.ending_value); /* real-time signals have no name */
	snprintf(reason, sizeof(reason), "the program was ended by signal %d%s%s%s",
		stats.ending_value, name ? " (SIG" : "", name ? name : "", name ? ")" : "");
	namer_finish(record->namer, record->collect, record->sink, NULL);
	queue_settle(record->queue);
	flight_dump(record->flight, reason, clock_monotonic_ns(), NULL);
}

/* Returns how many of the events that were counted as taken were lost behind the queue. The queue must be settled. */
static uint64_t lost_in_output(const struct ct_record *record)
{
	return record->lost_in_output ? record->lost_in_output(record->counted)
				      : record->nr_lost_in_output;
}

static uint64_t rows_in_output(const struct ct_record *record)
{
	return record->rows_in_output ? record->rows_in_output(record->counted)
				      : record->nr_rows_in_output;
}

/* Makes rows of events that wait, so that they can be counted, the last ones too. The close reports a failure. */
static void write_rows(struct ct_record *record)
{
	memory_look_finish(record->memory, clock_monotonic_ns());
	if (record->rows_in_output)
		sink_flush(record->sink, NULL);
	queue_settle(record->queue);
}

/* Completes the output while the target runs on; the record's close reports failures. */
static void finish_early(struct ct_record *record)
{
	namer_finish(record->namer, record->collect, record->sink, NULL);
	write_rows(record);
	record->nr_rows_in_output = rows_in_output(record);
	record->rows_in_output = NULL;
	record->nr_lost_in_output = lost_in_output(record);
	record->lost_in_output = NULL;
	wanted_finish(&record->wanted, record->collect);
}

/* Looks once, before the recording ends: the look then belongs to what is recorded. */
static void look_at_end(struct ct_record *record)
{
	if (record->found_pid && !record->look && !record->has_ended)
		record->look = look_new(
			record->found_pid, (int64_t)(clock_monotonic_ns() - record->begun_ns));
}

struct ct_process_look *ct_record_take_look(struct ct_record *record)
{
	struct ct_process_look *look = record->look;

	record->look = NULL;
	return look;
}

static void look_behind_queue(void *context, uint64_t now_ns)
{
	flight_look(context, now_ns);
}

/* Rows up to until_ns can be shown. */
static void show_behind_queue(void *context, uint64_t until_ns)
{
	jsonl_sink_show(context, until_ns);
}

/* Threads may publish events a little late: rows of the last SHOW_BEHIND_NS are held back. */
static void show_rows(struct ct_record *record, uint64_t now_ns)
{
	struct ct_record_stats stats;
	uint64_t until_ns = now_ns - SHOW_BEHIND_NS;

	if (!record->shows_rows)
		return;
	collect_stats(record->collect, &stats);
	record->has_unshown = stats.nr_events != record->nr_shown;
	if (!record->has_unshown || now_ns - record->shown_ns < SHOW_PERIOD_NS)
		return;
	collect_read_clock(record->collect);
	queue_call(record->queue, show_behind_queue, record->counted, until_ns);
	record->shown_ns = now_ns;
	/* Rows that were held back need one more showing. */
	if (record->nr_taken == stats.nr_events)
		record->nr_shown = stats.nr_events;
	record->nr_taken = stats.nr_events;
}

/* Limits the wait: the silence of a stalled program is judged again and again. */
static int wait_of(const struct ct_record *record, int wait_ms)
{
	if (record->flight && (wait_ms < 0 || wait_ms > FLIGHT_WAIT_MS))
		wait_ms = FLIGHT_WAIT_MS;
	if (record->has_unshown && (wait_ms < 0 || wait_ms > SHOW_WAIT_MS))
		wait_ms = SHOW_WAIT_MS;
	wait_ms = steering_wait_ms(record->steering, wait_ms);
	wait_ms = namer_wait_ms(record->namer, record->collect, wait_ms);
	return wanted_wait_ms(&record->wanted, wait_ms);
}

enum ct_status ct_record_step(struct ct_record *record, int wait_ms, struct ct_error *reterr)
{
	uint64_t now_ns = clock_monotonic_ns(); /* all events before this are seen below */
	enum ct_status status = collect_step(record->collect, wait_of(record, wait_ms), reterr);
	bool is_over = false;

	namer_look(record->namer, record->collect, record->sink, now_ns);
	memory_look_step(record->memory, now_ns);
	if (status == CT_OK)
		steering_step(record->steering);
	else
		steering_end(record->steering);
	if (status == CT_OK)
		show_rows(record, now_ns);
	if (record->flight)
		queue_call(record->queue, look_behind_queue, record->flight, now_ns);
	if (status == CT_END && record->flight && !record->has_ended)
		dump_crash(record);
	if (status == CT_END && !record->has_ended)
		write_rows(record);
	if (status == CT_END)
		record->has_ended = true;
	else if (status == CT_OK)
		status = wanted_look(&record->wanted, &is_over, reterr);
	if (is_over) {
		look_at_end(record);
		finish_early(record);
	}
	/* Another process is the parent that waits for a process that was found running. */
	if (is_over && record->is_found)
		collect_stop(record->collect);
	return status;
}

/* Afterwards everything up to now_ns has reached the flight recorder. */
static enum ct_status take_in(struct ct_record *record, uint64_t now_ns, struct ct_error *reterr)
{
	enum ct_status status = collect_step(record->collect, 0, reterr);

	if (status < 0)
		return status;
	namer_look(record->namer, record->collect, record->sink, now_ns);
	queue_settle(record->queue);
	return CT_OK;
}

enum ct_status ct_record_dump(struct ct_record *record, const char *reason, struct ct_error *reterr)
{
	uint64_t now_ns = clock_monotonic_ns();
	enum ct_status status;

	if (!record->flight)
		return ct_fail(
			reterr, CT_ERR_USAGE, "everything is recorded: there is nothing to dump");
	status = take_in(record, now_ns, reterr);
	return status ? status : flight_dump(record->flight, reason, now_ns, reterr);
}

const struct ct_dump *ct_record_dumps(
	const struct ct_record *record, uint32_t *ret_count, uint64_t *ret_suppressed)
{
	if (record->flight)
		return flight_dumps(record->flight, ret_count, ret_suppressed);
	*ret_count = 0;
	if (ret_suppressed)
		*ret_suppressed = 0;
	return NULL;
}

/* INT and TERM end a program that stands still: the last chance to keep what led to that. */
static bool asks_to_end(int signal_number)
{
	return signal_number == SIGINT || signal_number == SIGTERM;
}

static void dump_for_signal(struct ct_record *record, int signal_number)
{
	uint64_t now_ns;
	char reason[80];

	if (collect_snapshot(record->collect, NULL))
		return;
	now_ns = clock_monotonic_ns();
	if (take_in(record, now_ns, NULL))
		return;
	snprintf(reason, sizeof(reason), "signal %s, which asks to end",
		sigabbrev_np(signal_number));
	flight_dump_for_signal(record->flight, reason, now_ns);
}

enum ct_status ct_record_signal(
	struct ct_record *record, int signal_number, bool was_delivered, struct ct_error *reterr)
{
	bool wants_dump = record->flight && !record->has_ended && asks_to_end(signal_number);
	enum ct_status status = CT_OK;

	look_at_end(record);
	memory_look_signal(record->memory, signal_number, clock_monotonic_ns());
	/* A signal that the program has already may end it at any time: first note that the user sent it. */
	if (was_delivered)
		status = collect_signal(record->collect, signal_number, true, reterr);
	if (wants_dump)
		dump_for_signal(record, signal_number);
	if (was_delivered)
		return status;
	return collect_signal(record->collect, signal_number, false, reterr);
}

/* An old trace with events is not replaced by one without. An end by a signal counts as something recorded. */
static bool keeps_former(const struct ct_record *record, const struct ct_record_stats *stats)
{
	bool has_failed = stats->has_ended && stats->ending_value != 0;

	if (!record->former)
		return false;
	if (stats->has_ended && stats->ending == CT_ENDING_SIGNALED && !record->has_rows)
		return false;
	if (record->has_rows)
		return stats->nr_rows == 0;
	return stats->nr_events == 0 || (!stats->has_probe && !stats->is_from_memory && has_failed);
}

void ct_record_stats(const struct ct_record *record, struct ct_record_stats *ret_stats)
{
	struct queue_state queue;
	uint64_t lost;

	queue_settle(record->queue);
	queue_state(record->queue, &queue);
	collect_stats(record->collect, ret_stats);
	lost = lost_in_output(record) + queue.nr_lost;
	ret_stats->nr_events -= filter_nr_left_out(record->wanted.filter) + lost;
	ret_stats->nr_lost += lost;
	ret_stats->nr_rows = rows_in_output(record);
	if (record->ledger_trouble.length)
		ret_stats->ledger_absence = text_peek(&record->ledger_trouble);
	if (queue.trouble)
		ret_stats->output_trouble = queue.trouble;
	ret_stats->nr_left_out = filter_nr_told(record->wanted.filter);
	ret_stats->has_begun = filter_has_begun(record->wanted.filter);
	ret_stats->was_cut_off = record->wanted.was_cut_off;
	ret_stats->keeps_former = keeps_former(record, ret_stats);
	ret_stats->notes = collect_notes(record->collect, &ret_stats->nr_notes);
}

void ct_record_now(struct ct_record *record, struct ct_record_now *ret_now)
{
	steering_now(record->steering, ret_now);
}

enum ct_status ct_record_order(struct ct_record *record, const char *order, struct ct_error *reterr)
{
	return steering_ask(record->steering, order, reterr);
}

int so_far_open(struct ct_record *record)
{
	if (record->flight)
		return steering_open_window(record->steering);
	return so_far_open_output(record->whole ? record->whole : record->output_path);
}

enum ct_status ct_record_close(struct ct_record *record, struct ct_error *reterr)
{
	struct ct_record_stats stats;
	enum ct_status named = namer_finish(record->namer, record->collect, record->sink, reterr);
	enum ct_status finished, closed;

	memory_look_finish(record->memory, clock_monotonic_ns());
	finished = collect_finish(record->collect, named ? NULL : reterr);
	ct_record_stats(record, &stats);
	steering_end(record->steering);
	control_close(record->control);
	namer_free(record->namer);
	collect_close(record->collect);
	closed = sink_close(record->sink, !stats.keeps_former, reterr);
	steering_free(record->steering);
	flight_free(record->flight);
	if (record->whole && named == CT_OK && finished == CT_OK && closed == CT_OK)
		told_write(record->whole, &stats, record->row_numbers, record->output_path);
	release_names(record);
	return closed ? closed : named ? named : finished;
}
