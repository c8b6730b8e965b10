/* SPDX-License-Identifier: MIT */
/*
 * Reads generations one after another; between them stands a sync event, which says that all states are as reported.
 */
#include "gotrace/gotrace.h"
#include "gotrace/ordering.h"

struct gotrace_reader {
	struct gotrace_loader loader;
	struct gotrace_order order;
	bool is_within; /* the events of a generation are being handed out */
	uint64_t nr_syncs;
	uint64_t offset;
	enum ct_status ended; /* CT_OK: the trace has not ended */
	struct ct_error failure;
};

bool gotrace_is_ours(const void *first_bytes, size_t nr_bytes)
{
	return gotrace_header_is_ours(first_bytes, nr_bytes);
}

enum ct_status gotrace_reader_open(
	const struct input *input, struct gotrace_reader **ret_reader, struct ct_error *reterr)
{
	struct gotrace_reader *reader = calloc(1, sizeof(*reader));
	enum ct_status status;

	if (!reader)
		return ct_fail_memory(reterr);
	status = gotrace_loader_init(&reader->loader, input, reterr);
	if (!gotrace_order_init(&reader->order) && status == CT_OK)
		status = ct_fail_memory(reterr);
	if (status) {
		gotrace_reader_close(reader);
		return status;
	}
	reader->offset = GOTRACE_HEADER_BYTES;
	*ret_reader = reader;
	return CT_OK;
}

void gotrace_reader_close(struct gotrace_reader *reader)
{
	if (!reader)
		return;
	gotrace_order_fini(&reader->order);
	gotrace_loader_fini(&reader->loader);
	free(reader);
}

void gotrace_reader_set_growing(struct gotrace_reader *reader, bool is_growing)
{
	reader->loader.is_growing = is_growing;
}

void gotrace_reader_set_part(struct gotrace_reader *reader, uint64_t offset, uint64_t end)
{
	struct gotrace_pieces *pieces = &reader->loader.pieces;

	gotrace_pieces_init(pieces, pieces->input, offset, end);
	reader->offset = offset;
}

static void emit_sync(struct gotrace_reader *reader, struct gotrace_event *event, int64_t time)
{
	*event = (struct gotrace_event){
		.time = gotrace_order_raise(&reader->order, time),
		.raw_time = time,
		.thread = GOTRACE_NONE,
		.proc = GOTRACE_NONE,
		.goroutine = GOTRACE_NONE,
		.resource = GOTRACE_NONE,
		.values = {++reader->nr_syncs,
			reader->is_within && reader->loader.generation.has_snapshot},
		.kind = GOTRACE_KIND_SYNC,
	};
}

/* The end of the trace, orderly or not, comes behind a sync event of its own: all events before the sync are sound. */
static enum ct_status end(struct gotrace_reader *reader, enum ct_status status,
	struct gotrace_event *room, size_t *ret_count)
{
	reader->ended = status;
	emit_sync(reader, room, reader->order.last_time);
	*ret_count = 1;
	return CT_OK;
}

static enum ct_status begin_generation(
	struct gotrace_reader *reader, struct gotrace_event *room, size_t *ret_count)
{
	struct gotrace_generation *generation = &reader->loader.generation;
	enum ct_status status = gotrace_loader_next(&reader->loader, &reader->failure);

	if (status == CT_AGAIN)
		return status;
	if (status)
		return end(reader, status, room, ret_count);
	status = gotrace_order_begin(&reader->order, generation, &reader->failure);
	if (status) {
		reader->ended = status;
		return status;
	}
	reader->is_within = true;
	emit_sync(reader, room, gotrace_ns(generation->least_time, generation->ns_per_unit));
	*ret_count = 1;
	return CT_OK;
}

static uint64_t end_of_generation(const struct gotrace_loader *loader)
{
	return loader->has_spill ? loader->spill.offset : loader->pieces.offset;
}

enum ct_status gotrace_reader_next(struct gotrace_reader *reader, struct gotrace_event *room,
	size_t capacity, size_t *ret_count, struct ct_error *reterr)
{
	enum ct_status status = reader->ended;

	if (!status && reader->is_within) {
		status = gotrace_order_next(
			&reader->order, room, capacity, ret_count, &reader->failure);
		if (status < 0)
			reader->ended = status;
		if (status == CT_OK)
			return CT_OK;
		if (status == CT_END) {
			reader->is_within = false;
			reader->offset = end_of_generation(&reader->loader);
			status = CT_OK;
		}
	}
	if (!status)
		status = begin_generation(reader, room, ret_count);
	if (status < 0 && reterr)
		*reterr = reader->failure;
	return status;
}

bool gotrace_reader_is_unstopped(const struct gotrace_reader *reader)
{
	return reader->loader.is_unstopped;
}

const struct gotrace_generation *gotrace_reader_generation(const struct gotrace_reader *reader)
{
	return &reader->loader.generation;
}

const char *gotrace_reader_name(
	const struct gotrace_reader *reader, uint32_t name, size_t *ret_nr_bytes)
{
	if (ret_nr_bytes)
		*ret_nr_bytes = reader->order.names.names.at[name].nr_bytes;
	return reader->order.names.names.at[name].at;
}

uint64_t gotrace_reader_offset(const struct gotrace_reader *reader)
{
	return reader->offset;
}
