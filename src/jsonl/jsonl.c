/* SPDX-License-Identifier: MIT */
/*
 * The sink that writes JSON lines.
 *
 * The engine drains one stream after another, but rows should be in order of time; and the rows of a coroutine, which
 * moves between streams, must be counted in that order. So events wait until flush, are sorted, and only then become
 * rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/json_write.h"
#include "base/text.h"
#include "base/vec.h"
#include "event/kind_words.h"
#include "jsonl/coros.h"
#include "jsonl/jsonl.h"
#include "stream/directory.h"

#define WAITING_MAX (1u << 20)
#define WRITE_BYTES (256u << 10)
#define CORO_PREFIX_SHIFT 48

/* An event that waits. */
struct waiting {
	int64_t ts;
	int64_t place; /* the sort key: the latest ts of its stream so far */
	uint64_t arrival;
	struct ctp_record record;
	uint32_t stream;
	uint32_t thread;
};

struct jsonl_sink {
	struct ct_sink sink;
	struct io_output output;
	bool can_cut_back;
	struct jsonl_options options;
	bool has_failed;
	struct ct_error failure;
	uint64_t nr_bytes; /* written, in complete rows */
	uint64_t nr_rows;  /* written */
	uint64_t nr_new;   /* made, but not written yet */
	uint64_t nr_lost;
	uint64_t nr_arrived;
	VEC(struct waiting) waiting;
	struct directory directory;
	VEC(uint64_t) coro_prefixes; /* indexed by segment: makes ids of further segments unique */
	VEC(int64_t) places;         /* indexed by stream, during this flush */
	VEC(uint64_t) tids;
	uint32_t nr_probes; /* segments of probes, in all processes */
	struct jsonl_coros coros;
	/* The names that the program gave, by the sites of records; only with the option for all kinds. */
	struct arena texts;
	VEC(const char *) names;
	struct map name_at; /* segment << 32 | site to index */
	struct text rows;
};

/* ----------------------------------------------------------------------- rows */

/* The values of a row, besides its coroutine's count. */
struct row {
	uint64_t id;
	uint64_t tid;
	uint64_t address;
	uint64_t count;
	bool is_active;
	int64_t ts;
	unsigned kind;    /* 0: a suspend or a resume */
	const char *name; /* "": none */
};

#define ADD(at, text) (memcpy((at), (text), sizeof(text) - 1), (at) + sizeof(text) - 1)

/* At most 20 digits. The loop is written by hand because most of the time is spent here. */
static char *add_decimal(char *at, uint64_t number)
{
	char digits[20];
	size_t first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	memcpy(at, digits + first, sizeof(digits) - first);
	return at + sizeof(digits) - first;
}

static char *add_hexadecimal(char *at, uint64_t number)
{
	int shift;

	for (shift = 60; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[number >> shift & 15];
	return at;
}

static char *add_signed(char *at, int64_t number)
{
	if (number >= 0)
		return add_decimal(at, (uint64_t)number);
	*at = '-';
	return add_decimal(at + 1, -(uint64_t)number);
}

static void add_name(struct text *rows, const char *name)
{
	struct json json;

	text_add(rows, ",\"name\":");
	json_init(&json, rows, false);
	json_text(&json, name);
}

static void add_row(struct jsonl_sink *jsonl, const struct row *row)
{
	struct text *rows = &jsonl->rows;
	char line[256], *at = line;

	at = add_decimal(ADD(at, "{\"probe_id\":"), row->id);
	at = add_decimal(ADD(at, ",\"tid\":"), row->tid);
	at = add_hexadecimal(ADD(at, ",\"addr\":\"0x"), row->address);
	at = add_decimal(ADD(at, "\",\"seq\":"), row->count);
	at = row->is_active ? ADD(at, ",\"is_active\":true") : ADD(at, ",\"is_active\":false");
	at = add_signed(ADD(at, ",\"ts\":"), row->ts);
	text_append(rows, line, (size_t)(at - line));
	if (row->kind && kind_object(row->kind) == KIND_OBJECT_UNKNOWN)
		text_format(rows, ",\"event\":\"kind-%u\"", row->kind);
	else if (row->kind)
		text_format(rows, ",\"event\":\"%s\"", ct_kind_name(row->kind));
	if (*row->name)
		add_name(rows, row->name);
	text_append(rows, "}\n", 2);
	jsonl->nr_new++;
}

static uint32_t process_of(const struct jsonl_sink *jsonl, const struct waiting *event)
{
	return directory_segment(&jsonl->directory, event->stream)->process;
}

/* An id that is unique in the whole output. */
static uint64_t full_id(const struct jsonl_sink *jsonl, const struct waiting *event, uint64_t id)
{
	return id | jsonl->coro_prefixes.at[jsonl->directory.segment_of.at[event->stream]];
}

static struct jsonl_coro *find_coro(
	struct jsonl_sink *jsonl, const struct waiting *event, uint64_t id)
{
	return jsonl_coros_find(&jsonl->coros, process_of(jsonl, event), full_id(jsonl, event, id));
}

static struct row start_row(
	const struct jsonl_sink *jsonl, const struct waiting *event, uint64_t id)
{
	return (struct row){
		.id = id ? full_id(jsonl, event, id) : 0,
		.tid = event->thread < jsonl->tids.count ? jsonl->tids.at[event->thread] : 0,
		.ts = event->ts,
		.name = "",
	};
}

/* Adds the row of a suspend or a resume of this coroutine. */
static bool add_change(
	struct jsonl_sink *jsonl, const struct waiting *event, uint64_t id, bool is_active)
{
	struct row row = start_row(jsonl, event, id);
	struct jsonl_coro *coro;

	if (id == 0)
		return true;
	coro = find_coro(jsonl, event, id);
	if (!coro)
		return false;
	row.is_active = coro->is_active = is_active;
	row.address = is_active ? 0 : coro->frame;
	row.count = jsonl_coro_number(
		coro, jsonl->options.all_kinds ? CT_ROW_NUMBERS_COUNT : jsonl->options.numbers);
	add_row(jsonl, &row);
	return true;
}

/* "" if the site is unknown or has no name. */
static const char *name_of(const struct jsonl_sink *jsonl, const struct waiting *event)
{
	uint64_t segment = jsonl->directory.segment_of.at[event->stream];
	uint32_t index;

	return map_get(&jsonl->name_at, segment << 32 | CTP_TAIL_SITE(event->record.tail), &index)
		       ? jsonl->names.at[index]
		       : "";
}

static bool add_other(struct jsonl_sink *jsonl, const struct waiting *event, unsigned kind)
{
	uint64_t id = kind_has_coro(kind) ? event->record.coro : 0;
	struct row row = start_row(jsonl, event, id);
	struct jsonl_coro *coro = NULL;

	if (!jsonl->options.all_kinds)
		return true;
	row.kind = kind;
	row.address = event->record.object;
	if (kind_is_annotation(kind))
		row.name = name_of(jsonl, event);
	if (id) {
		coro = find_coro(jsonl, event, id);
		if (!coro)
			return false;
		row.is_active = coro->is_active;
		row.count = jsonl_coro_number(coro, CT_ROW_NUMBERS_COUNT);
	}
	add_row(jsonl, &row);
	return true;
}

/* Notes what a frame event, or a detail, says about its coroutine. */
static bool note(struct jsonl_sink *jsonl, const struct waiting *event, unsigned detail)
{
	struct jsonl_coro *coro;

	if (event->record.coro == 0)
		return true;
	coro = find_coro(jsonl, event, event->record.coro);
	if (coro)
		jsonl_coro_note(coro, detail, event->record.object);
	return coro != NULL;
}

static bool note_destroy(struct jsonl_sink *jsonl, const struct waiting *event)
{
	return jsonl_coros_forget(
		&jsonl->coros, process_of(jsonl, event), full_id(jsonl, event, event->record.coro));
}

static bool to_rows(struct jsonl_sink *jsonl, const struct waiting *event)
{
	unsigned kind = CTP_TAIL_KIND(event->record.tail);

	switch (kind) {
	case CTP_KIND_RESUME:
	case CTP_KIND_CANCEL:
		return add_change(jsonl, event, event->record.coro, true);
	case CTP_KIND_SUSPEND:
		return add_change(jsonl, event, event->record.coro, false);
	case CTP_KIND_SWITCH:
		return add_change(jsonl, event, event->record.coro, false) &&
		       add_change(jsonl, event, event->record.object, true);
	case CTP_KIND_FRAME:
		return note(jsonl, event, CTP_DETAIL_ADDRESS) && add_other(jsonl, event, kind);
	case CTP_KIND_DETAIL:
		return note(jsonl, event, CTP_TAIL_ARGUMENT(event->record.tail)) &&
		       add_other(jsonl, event, kind);
	case CTP_KIND_DESTROY:
		return add_other(jsonl, event, kind) && note_destroy(jsonl, event);
	default:
		return add_other(jsonl, event, kind);
	}
}

/* ---------------------------------------------------------------------- order */

static int compare(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->arrival < b->arrival ? -1 : a->arrival > b->arrival;
}

/* Sorting waits until now, because the last clock reading was defined after most of the events arrived. */
static void sort_waiting(struct jsonl_sink *jsonl)
{
	size_t i;

	for (i = 0; i < jsonl->waiting.count; i++) {
		struct waiting *event = &jsonl->waiting.at[i];
		int64_t *place = &jsonl->places.at[event->stream];

		event->ts = (int64_t)directory_ns(&jsonl->directory,
			directory_segment(&jsonl->directory, event->stream)->clock,
			event->record.time);
		if (event->ts > *place)
			*place = event->ts;
		event->place = *place;
	}
	if (jsonl->waiting.count)
		qsort(jsonl->waiting.at, jsonl->waiting.count, sizeof(*jsonl->waiting.at), compare);
	/*
	 * Each flush starts with a new key, so that one impossible time does not hold back later events of its stream.
	 */
	for (i = 0; i < jsonl->places.count; i++)
		jsonl->places.at[i] = INT64_MIN;
}

/* --------------------------------------------------------------------- output */

static enum ct_status write_rows(struct jsonl_sink *jsonl, struct ct_error *reterr)
{
	enum ct_status status = text_status(&jsonl->rows, reterr);

	if (status == CT_OK)
		status = io_output_write(
			&jsonl->output, text_peek(&jsonl->rows), jsonl->rows.length, reterr);
	if (status == CT_OK && jsonl->options.names_early && jsonl->nr_new)
		status = io_output_name(&jsonl->output, reterr);
	if (status == CT_OK) {
		jsonl->nr_bytes += jsonl->rows.length;
		jsonl->nr_rows += jsonl->nr_new;
		jsonl->nr_new = 0;
		text_clear(&jsonl->rows);
		return CT_OK;
	}
	if (jsonl->can_cut_back && ftruncate(jsonl->output.descriptor, (off_t)jsonl->nr_bytes) == 0)
		lseek(jsonl->output.descriptor, (off_t)jsonl->nr_bytes, SEEK_SET);
	return status;
}

/* Writes the first `count` waiting events. */
static enum ct_status write_waiting(struct jsonl_sink *jsonl, size_t count, size_t *ret_nr_written)
{
	enum ct_status status;
	size_t i;

	*ret_nr_written = 0;
	for (i = 0; i < count; i++) {
		if (!to_rows(jsonl, &jsonl->waiting.at[i]))
			return ct_fail_memory(&jsonl->failure);
		if (jsonl->rows.length < WRITE_BYTES)
			continue;
		status = write_rows(jsonl, &jsonl->failure);
		if (status)
			return status;
		*ret_nr_written = i + 1;
	}
	status = write_rows(jsonl, &jsonl->failure);
	if (status == CT_OK)
		*ret_nr_written = count;
	return status;
}

static enum ct_status repeat_failure(const struct jsonl_sink *jsonl, struct ct_error *reterr)
{
	if (reterr)
		*reterr = jsonl->failure;
	return jsonl->failure.status;
}

static void write_first(struct jsonl_sink *jsonl, size_t count)
{
	size_t nr_written;

	jsonl->has_failed = write_waiting(jsonl, count, &nr_written) != CT_OK;
	if (jsonl->has_failed)
		count = jsonl->waiting.count;
	jsonl->nr_lost += count - nr_written;
	jsonl->waiting.count -= count;
	memmove(jsonl->waiting.at, jsonl->waiting.at + count,
		jsonl->waiting.count * sizeof(*jsonl->waiting.at));
}

static enum ct_status jsonl_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	struct jsonl_sink *jsonl = (struct jsonl_sink *)sink;

	if (jsonl->has_failed)
		return repeat_failure(jsonl, reterr);
	if (jsonl->waiting.count == 0)
		return CT_OK;
	sort_waiting(jsonl);
	write_first(jsonl, jsonl->waiting.count);
	return jsonl->has_failed ? repeat_failure(jsonl, reterr) : CT_OK;
}

void jsonl_sink_show(struct ct_sink *sink, uint64_t until_ns)
{
	struct jsonl_sink *jsonl = (struct jsonl_sink *)sink;
	size_t count = 0;

	if (jsonl->has_failed || jsonl->waiting.count == 0)
		return;
	sort_waiting(jsonl);
	while (count < jsonl->waiting.count && jsonl->waiting.at[count].place <= (int64_t)until_ns)
		count++;
	if (count)
		write_first(jsonl, count);
}

/* ------------------------------------------------------------------------ put */

static bool is_wanted(const struct jsonl_sink *jsonl, unsigned kind)
{
	switch (kind) {
	case CTP_KIND_RESUME:
	case CTP_KIND_SUSPEND:
	case CTP_KIND_CANCEL:
	case CTP_KIND_SWITCH:
	case CTP_KIND_FRAME:
	case CTP_KIND_DETAIL:
	case CTP_KIND_DESTROY:
		return true;
	default:
		return jsonl->options.all_kinds;
	}
}

static void take_record(
	struct jsonl_sink *jsonl, const struct ct_batch *batch, const struct ctp_record *from)
{
	struct waiting *event = &jsonl->waiting.at[jsonl->waiting.count];

	*event = (struct waiting){
		.arrival = jsonl->nr_arrived++,
		.record = stream_record(from),
		.stream = batch->stream,
		.thread = batch->thread,
	};
	jsonl->waiting.count += is_wanted(jsonl, CTP_TAIL_KIND(event->record.tail));
}

static enum ct_status jsonl_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct jsonl_sink *jsonl = (struct jsonl_sink *)sink;
	enum ct_status status;
	size_t i;

	if (jsonl->has_failed)
		return repeat_failure(jsonl, reterr);
	if (!directory_has(&jsonl->directory, batch->stream))
		return ct_fail(reterr, CT_ERR_USAGE, "stream %u was not defined", batch->stream);
	if (jsonl->waiting.count + batch->nr_records > WAITING_MAX) {
		status = jsonl_flush(sink, reterr);
		if (status)
			return status;
	}
	if (!vec_reserve(&jsonl->waiting, jsonl->waiting.count + batch->nr_records))
		return ct_fail_memory(reterr);
	for (i = 0; i < batch->nr_records; i++)
		take_record(jsonl, batch, &batch->records[i]);
	return CT_OK;
}

/* --------------------------------------------------------------------- define */

static bool note_segment(struct jsonl_sink *jsonl, const struct ct_define_segment *from)
{
	if (!vec_reach(&jsonl->coro_prefixes, from->segment))
		return false;
	/* A row does not name its process, so the ids of all processes must differ. */
	jsonl->coro_prefixes.at[from->segment] =
		from->role == CTP_ROLE_PROBE ? (uint64_t)jsonl->nr_probes++ << CORO_PREFIX_SHIFT
					     : 0;
	return true;
}

static bool note_stream(struct jsonl_sink *jsonl, const struct ct_define_stream *from)
{
	while (jsonl->places.count <= from->stream) {
		if (!vec_push(&jsonl->places, INT64_MIN))
			return false;
	}
	return true;
}

static bool note_thread(struct jsonl_sink *jsonl, const struct ct_define_thread *from)
{
	if (!vec_reach(&jsonl->tids, from->thread))
		return false;
	jsonl->tids.at[from->thread] = from->tid;
	return true;
}

/* A second definition of a site adds what was unknown; its name is known from the first. */
static bool note_name(struct jsonl_sink *jsonl, const struct ct_define_site *site)
{
	uint64_t key = (uint64_t)site->segment << 32 | site->id;
	uint32_t index = (uint32_t)jsonl->names.count, known;
	const char *name;

	if (!site->reason || !*site->reason || map_get(&jsonl->name_at, key, &known))
		return true;
	name = arena_text(&jsonl->texts, site->reason, strlen(site->reason));
	return name && vec_push(&jsonl->names, name) && map_put(&jsonl->name_at, key, index);
}

static bool note_definition(struct jsonl_sink *jsonl, const struct ct_definition *definition)
{
	if (!directory_note(&jsonl->directory, definition))
		return false;
	switch (definition->type) {
	case CT_DEFINE_SEGMENT:
		return note_segment(jsonl, &definition->segment);
	case CT_DEFINE_STREAM:
		return note_stream(jsonl, &definition->stream);
	case CT_DEFINE_THREAD:
		return note_thread(jsonl, &definition->thread);
	case CT_DEFINE_SITE:
		return !jsonl->options.all_kinds || note_name(jsonl, &definition->site);
	default:
		return true;
	}
}

static enum ct_status jsonl_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	return note_definition((struct jsonl_sink *)sink, definition) ? CT_OK
								      : ct_fail_memory(reterr);
}

/* ----------------------------------------------------------------------- sink */

static void release(struct jsonl_sink *jsonl)
{
	directory_fini(&jsonl->directory);
	jsonl_coros_fini(&jsonl->coros);
	arena_fini(&jsonl->texts);
	vec_fini(&jsonl->names);
	map_fini(&jsonl->name_at);
	vec_fini(&jsonl->waiting);
	vec_fini(&jsonl->coro_prefixes);
	vec_fini(&jsonl->places);
	vec_fini(&jsonl->tids);
	text_fini(&jsonl->rows);
	free(jsonl);
}

static enum ct_status jsonl_close(
	struct ct_sink *sink, bool is_wanted_output, struct ct_error *reterr)
{
	struct jsonl_sink *jsonl = (struct jsonl_sink *)sink;
	enum ct_status status = is_wanted_output ? jsonl_flush(sink, reterr) : CT_OK;
	enum ct_status closed =
		io_output_close(&jsonl->output, is_wanted_output, status ? NULL : reterr);

	release(jsonl);
	return status ? status : closed;
}

static const struct ct_sink_ops jsonl_sink_ops = {
	.put = jsonl_put,
	.define = jsonl_define,
	.flush = jsonl_flush,
	.close = jsonl_close,
};

uint64_t jsonl_sink_rows(const struct ct_sink *sink)
{
	return ((const struct jsonl_sink *)sink)->nr_rows;
}

uint64_t jsonl_sink_lost(const struct ct_sink *sink)
{
	return ((const struct jsonl_sink *)sink)->nr_lost;
}

enum ct_status jsonl_sink_open(const char *path, const struct jsonl_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr)
{
	struct jsonl_sink *jsonl = calloc(1, sizeof(*jsonl));
	enum ct_status status;

	if (!jsonl)
		return ct_fail_memory(reterr);
	jsonl->sink.ops = &jsonl_sink_ops;
	jsonl->options = *options;
	status = io_output_open(&jsonl->output, path, reterr);
	if (status) {
		free(jsonl);
		return status;
	}
	jsonl->can_cut_back = jsonl->output.partial_path != NULL;
	*ret_sink = &jsonl->sink;
	return CT_OK;
}
