/* SPDX-License-Identifier: MIT */
/*
 * A timeline as Trace Event JSON, which chrome://tracing, Perfetto, Speedscope and many others read.
 *
 * The format has only tracks of threads, and asynchronous slices identified by name. So the coroutines of a process
 * become the threads of a further process, whose number no real process has; all other items are on the thread that did
 * them. Times are in microseconds, with three decimals.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/io.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/vec.h"
#include "slices/slices.h"
#include "slices/tell.h"

#define WRITE_BYTES (256u << 10)

/* Larger than any id that Linux assigns. */
#define COROUTINES_PID 0x40000000u

/* The process and thread that stand for a track. */
struct place {
	uint32_t pid;
	uint32_t tid;
};

struct chrome {
	struct slices_writer writer;
	struct io_output output;
	struct text page;
	VEC(struct place) places; /* indexed by track */
	bool has_line;
};

static struct chrome *of(struct slices_writer *writer)
{
	return (struct chrome *)writer;
}

/* ---------------------------------------------------------------- lines */

/* Begins an object on a new line; text_char(page, '}') ends it. */
static void begin_line(struct chrome *chrome, const char *phase, struct place place)
{
	text_add(&chrome->page, chrome->has_line ? ",\n" : "\n");
	chrome->has_line = true;
	text_add(&chrome->page, "{\"ph\":\"");
	text_add(&chrome->page, phase);
	text_add(&chrome->page, "\",\"pid\":");
	text_digits(&chrome->page, place.pid, 10, 1);
	text_add(&chrome->page, ",\"tid\":");
	text_digits(&chrome->page, place.tid, 10, 1);
}

static void put_key(struct chrome *chrome, const char *key)
{
	text_add(&chrome->page, ",\"");
	text_add(&chrome->page, key);
	text_add(&chrome->page, "\":");
}

static void put_text(struct chrome *chrome, const char *key, const char *value)
{
	struct json json;

	put_key(chrome, key);
	json_init(&json, &chrome->page, false);
	json_text(&json, value);
}

/* Writes nanoseconds as microseconds, with three decimals. */
static void put_microseconds(struct chrome *chrome, const char *key, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	put_key(chrome, key);
	if (ns < 0)
		text_char(&chrome->page, '-');
	text_digits(&chrome->page, magnitude / 1000, 10, 1);
	text_char(&chrome->page, '.');
	text_digits(&chrome->page, magnitude % 1000, 10, 3);
}

static void put_metadata(
	struct chrome *chrome, struct place place, const char *what, const char *name)
{
	struct json json;

	begin_line(chrome, "M", place);
	put_text(chrome, "name", what);
	text_add(&chrome->page, ",\"args\":{\"name\":");
	json_init(&json, &chrome->page, false);
	json_text(&json, name);
	text_add(&chrome->page, "}}");
}

/* ---------------------------------------------------------------- tracks */

static uint32_t pid_of(const struct chrome *chrome, uint32_t process)
{
	return (uint32_t)chrome->writer.tables->processes[process].pid;
}

/* Assigns a place to each track; only tracks that are named in the format are written. */
static void take_track(struct slices_writer *writer, const struct slices_track *track)
{
	struct chrome *chrome = of(writer);
	struct place place = {.pid = pid_of(chrome, track->process)};
	bool has_parent = track->parent && track->parent < chrome->places.count;
	struct place parent = has_parent ? chrome->places.at[track->parent] : place;

	switch (track->kind) {
	case SLICES_OF_TRACE:
	case SLICES_OF_PROCESS:
		put_metadata(chrome, place, "process_name", track->name);
		break;
	case SLICES_OF_THREAD:
		place.tid = (uint32_t)writer->tables->threads[track->thread].tid;
		put_metadata(chrome, place, "thread_name", track->name);
		break;
	case SLICES_OF_OVERLAP:
		place = parent;
		place.tid = COROUTINES_PID + track->number;
		put_metadata(chrome, place, "thread_name", track->name);
		break;
	case SLICES_OF_COROUTINES:
		place.pid = COROUTINES_PID + track->process;
		put_metadata(chrome, place, "process_name", track->name);
		break;
	case SLICES_OF_COROUTINE:
		place = parent;
		place.tid = track->number;
		put_metadata(chrome, place, "thread_name", track->name);
		break;
	case SLICES_OF_ASYNC:
	case SLICES_OF_COUNTER:
		place = parent;
		break;
	}
	if (!vec_push(&chrome->places, place))
		chrome->page.is_broken = true;
}

static struct place place_of(const struct chrome *chrome, const struct slices_item *item)
{
	return item->track->number < chrome->places.count ? chrome->places.at[item->track->number]
							  : (struct place){0};
}

/* ---------------------------------------------------------------- items */

static void put_site(struct chrome *chrome, struct json *json, uint32_t site)
{
	const struct ct_site *of_site = &chrome->writer.tables->sites[site];

	if (*of_site->function)
		json_key_text(json, "function", of_site->function);
	if (*of_site->file) {
		json_key_text(json, "file", of_site->file);
		json_key_unsigned(json, "line", of_site->line);
	}
}

/* Readers keep numbers exactly only up to 2^53; ids may be larger. */
static void put_number(struct json *json, int64_t number)
{
	char digits[24];

	if (number <= INT64_C(1) << 53 && number >= -(INT64_C(1) << 53)) {
		json_number(json, number);
		return;
	}
	snprintf(digits, sizeof(digits), "%" PRId64, number);
	json_text(json, digits);
}

static void put_arguments(struct chrome *chrome, const struct slices_item *item)
{
	struct json json;
	uint32_t i;

	text_add(&chrome->page, ",\"args\":");
	json_init(&json, &chrome->page, false);
	json_open(&json, '{');
	for (i = 0; i < item->nr_arguments; i++) {
		json_key(&json, item->arguments[i].key);
		if (item->arguments[i].text)
			json_text(&json, item->arguments[i].text);
		else
			put_number(&json, item->arguments[i].number);
	}
	put_site(chrome, &json, item->site);
	json_close(&json, '}');
}

static void put_head(struct chrome *chrome, const char *phase, const struct slices_item *item)
{
	begin_line(chrome, phase, place_of(chrome, item));
	put_text(chrome, "cat", slices_category_name(item->category));
	put_text(chrome, "name", *item->name ? item->name : "(no name)");
	put_microseconds(chrome, "ts", item->from);
}

/* Writes one end of an arrow, which binds to the slice at this time, or the slice that begins then. */
static void put_flow(struct chrome *chrome, const struct slices_item *item, const char *phase)
{
	begin_line(chrome, phase, place_of(chrome, item));
	text_add(&chrome->page, ",\"cat\":\"wake\",\"name\":\"wake\",\"bp\":\"e\",\"id\":\"0x");
	text_digits(&chrome->page, item->flow, 16, 1);
	text_char(&chrome->page, '"');
	put_microseconds(chrome, "ts", item->from);
	text_char(&chrome->page, '}');
}

static void put_complete(struct chrome *chrome, const struct slices_item *slice)
{
	put_head(chrome, "X", slice);
	put_microseconds(chrome, "dur", slice->until - slice->from);
	put_arguments(chrome, slice);
	text_char(&chrome->page, '}');
	if (slice->flow)
		put_flow(chrome, slice, slice->is_flow_ending ? "f" : "t");
}

/* Tasks and regions: slices of the same name and category share a row, or several rows if they overlap. */
static void put_async(struct chrome *chrome, const struct slices_item *slice)
{
	struct slices_item end = *slice;

	put_head(chrome, "b", slice);
	text_format(&chrome->page, ",\"id\":\"0x%" PRIx32 "\"", slice->track->number);
	put_arguments(chrome, slice);
	text_char(&chrome->page, '}');
	end.from = slice->until;
	put_head(chrome, "e", &end);
	text_format(&chrome->page, ",\"id\":\"0x%" PRIx32 "\"}", slice->track->number);
}

static void take_slice(struct slices_writer *writer, const struct slices_item *slice)
{
	if (slice->track->kind == SLICES_OF_ASYNC)
		put_async(of(writer), slice);
	else
		put_complete(of(writer), slice);
}

/* A wake is written as a slice of length 0, because arrows can only begin at slices. */
static void take_instant(struct slices_writer *writer, const struct slices_item *instant)
{
	struct chrome *chrome = of(writer);
	bool is_flow = instant->flow != 0;

	put_head(chrome, is_flow ? "X" : "i", instant);
	if (is_flow)
		put_microseconds(chrome, "dur", 0);
	else
		put_text(chrome, "s", instant->track->kind == SLICES_OF_THREAD ? "t" : "g");
	put_arguments(chrome, instant);
	text_char(&chrome->page, '}');
	if (is_flow)
		put_flow(chrome, instant, "s");
}

static void take_counter(struct slices_writer *writer, const struct slices_item *value)
{
	struct chrome *chrome = of(writer);

	put_head(chrome, "C", value);
	text_format(&chrome->page, ",\"args\":{\"value\":%" PRId64 "}}", value->value);
}

/* ---------------------------------------------------------------- the file */

static enum ct_status write_page(struct chrome *chrome, struct ct_error *reterr)
{
	enum ct_status status = text_status(&chrome->page, reterr);

	if (status == CT_OK)
		status = io_output_write(
			&chrome->output, text_peek(&chrome->page), chrome->page.length, reterr);
	text_clear(&chrome->page);
	return status;
}

static enum ct_status flush(struct slices_writer *writer, struct ct_error *reterr)
{
	struct chrome *chrome = of(writer);

	return chrome->page.length < WRITE_BYTES ? CT_OK : write_page(chrome, reterr);
}

static enum ct_status write_all(
	struct chrome *chrome, struct ct_view *view, struct ct_error *reterr)
{
	enum ct_status status;

	text_add(&chrome->page, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	/* Tracks are numbered from 1. */
	if (!vec_push(&chrome->places, (struct place){0}))
		return ct_fail_memory(reterr);
	status = slices_tell(view, &chrome->writer, reterr);
	if (status)
		return status;
	text_add(&chrome->page, "\n]}\n");
	return write_page(chrome, reterr);
}

enum ct_status slices_chrome(const struct export_job *job, struct ct_error *reterr)
{
	struct chrome chrome = {.writer = {.track = take_track,
					.slice = take_slice,
					.instant = take_instant,
					.counter = take_counter,
					.flush = flush}};
	enum ct_status status = io_output_open(&chrome.output, job->path, reterr);

	if (status)
		return status;
	status = write_all(&chrome, job->view, reterr);
	vec_fini(&chrome.places);
	text_fini(&chrome.page);
	return io_output_end(&chrome.output, status, reterr);
}
