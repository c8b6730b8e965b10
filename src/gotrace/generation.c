/* SPDX-License-Identifier: MIT */
/*
 * Assembles batches into a generation. Up to format 25, a generation ends where the next batch has another generation
 * number, so that batch has been read already; from format 26 on, a marker byte ends a generation.
 */
#include <stdarg.h>
#include <stdio.h>

#include "gotrace/generation.h"

#define NS_PER_SECOND 1e9
#define WHOLE_NS_MAX 1024.0

enum ct_status gotrace_loader_init(
	struct gotrace_loader *loader, const struct input *input, struct ct_error *reterr)
{
	uint8_t header[GOTRACE_HEADER_BYTES];
	size_t nr_bytes;
	enum ct_status status = input_read(input, 0, header, sizeof(header), &nr_bytes, reterr);

	*loader = (struct gotrace_loader){0};
	if (status == CT_OK)
		status = gotrace_header_read(header, nr_bytes, &loader->format, reterr);
	gotrace_pieces_init(&loader->pieces, input, GOTRACE_HEADER_BYTES, UINT64_MAX);
	return status;
}

void gotrace_loader_fini(struct gotrace_loader *loader)
{
	struct gotrace_generation *generation = &loader->generation;

	gotrace_pieces_fini(&loader->pieces);
	gotrace_tables_fini(&generation->tables);
	vec_fini(&generation->threads);
	vec_fini(&generation->runs);
	map_fini(&generation->thread_of);
}

__attribute__((format(printf, 3, 4), cold)) static enum ct_status refuse(
	struct ct_error *reterr, const struct gotrace_batch *batch, const char *format, ...)
{
	char text[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ct_fail_at(reterr, CT_ERR_CORRUPT, batch->offset, "batch at offset %llu: %s",
		(unsigned long long)batch->offset, text);
}

/* ----------------------------------------------------- the place of a batch */

static bool begin(struct gotrace_loader *loader)
{
	struct gotrace_generation *generation = &loader->generation;

	gotrace_pieces_release(&loader->pieces);
	generation->number = 0;
	generation->frequency = 0;
	generation->has_snapshot = false;
	generation->nr_batches = 0;
	generation->least_time = UINT64_MAX;
	generation->threads.count = generation->runs.count = 0;
	map_fini(&generation->thread_of);
	return gotrace_tables_clear(&generation->tables) &&
	       vec_push(&generation->runs, (struct gotrace_run){0});
}

static struct gotrace_thread_runs *thread_runs(
	struct gotrace_generation *generation, uint64_t thread)
{
	uint32_t index;

	if (map_get(&generation->thread_of, thread, &index))
		return &generation->threads.at[index];
	index = (uint32_t)generation->threads.count;
	if (!map_put(&generation->thread_of, thread, index) ||
		!vec_push(&generation->threads, (struct gotrace_thread_runs){.thread = thread}))
		return NULL;
	return &generation->threads.at[index];
}

static enum ct_status add_run(struct gotrace_generation *generation,
	const struct gotrace_batch *batch, struct ct_error *reterr)
{
	struct gotrace_thread_runs *runs = thread_runs(generation, batch->thread);
	uint32_t index = (uint32_t)generation->runs.count;
	struct gotrace_run run = {.at = batch->payload,
		.nr_bytes = batch->nr_bytes,
		.time = batch->time,
		.offset = batch->offset};

	if (!runs || !vec_push(&generation->runs, run))
		return ct_fail_memory(reterr);
	if (runs->last)
		generation->runs.at[runs->last].next = index;
	else
		runs->first = index;
	runs->last = index;
	return CT_OK;
}

static enum ct_status take_frequency(struct gotrace_generation *generation,
	const struct gotrace_batch *batch, struct gotrace_bytes *bytes, struct ct_error *reterr)
{
	uint64_t frequency = gotrace_number(bytes);

	if (!gotrace_bytes_were_whole(bytes))
		return refuse(reterr, batch, "the clock's frequency goes beyond it");
	if (generation->frequency)
		return refuse(reterr, batch, "a second frequency of the clock");
	if (!frequency)
		return refuse(reterr, batch, "the clock's frequency is 0");
	generation->frequency = frequency;
	generation->ns_per_unit = 1.0 / ((double)frequency / NS_PER_SECOND);
	generation->whole_ns_per_unit = 0;
	if (generation->ns_per_unit < WHOLE_NS_MAX &&
		generation->ns_per_unit == (double)(uint32_t)generation->ns_per_unit)
		generation->whole_ns_per_unit = (uint32_t)generation->ns_per_unit;
	return CT_OK;
}

static enum ct_status take_snapshot(struct gotrace_generation *generation,
	const struct gotrace_batch *batch, struct gotrace_bytes *bytes, struct ct_error *reterr)
{
	struct gotrace_snapshot *snapshot = &generation->snapshot;

	generation->snapshot_units = batch->time + gotrace_number(bytes);
	snapshot->monotonic_ns = gotrace_number(bytes);
	snapshot->realtime_s = gotrace_number(bytes);
	snapshot->realtime_ns = gotrace_number(bytes);
	if (!gotrace_bytes_were_whole(bytes))
		return refuse(reterr, batch, "a reading of the clocks goes beyond it");
	if (generation->has_snapshot)
		return refuse(reterr, batch, "a second reading of the clocks");
	generation->has_snapshot = true;
	return CT_OK;
}

/* Behind the first byte stands the frequency; from format 25 on, a reading of the clocks follows. */
static enum ct_status add_sync(struct gotrace_generation *generation,
	const struct gotrace_batch *batch, struct ct_error *reterr)
{
	struct gotrace_bytes bytes = {batch->payload + 1, batch->payload + batch->nr_bytes, false};
	enum ct_status status = CT_OK;

	while (status == CT_OK && bytes.at < bytes.end) {
		uint8_t type = *bytes.at++;

		if (type == GOTRACE_FREQUENCY)
			status = take_frequency(generation, batch, &bytes, reterr);
		else if (type == GOTRACE_CLOCK_SNAPSHOT)
			status = take_snapshot(generation, batch, &bytes, reterr);
		else
			status = refuse(reterr, batch, "type %u among what tells of clocks", type);
	}
	return status;
}

static enum ct_status add_frequency(struct gotrace_generation *generation,
	const struct gotrace_batch *batch, struct ct_error *reterr)
{
	struct gotrace_bytes bytes = {batch->payload + 1, batch->payload + batch->nr_bytes, false};

	return take_frequency(generation, batch, &bytes, reterr);
}

static enum ct_status add(
	struct gotrace_loader *loader, const struct gotrace_batch *batch, struct ct_error *reterr)
{
	struct gotrace_generation *generation = &loader->generation;
	uint8_t kind = batch->nr_bytes ? *batch->payload : 0;

	if (!generation->nr_batches++) {
		generation->number = batch->generation;
		generation->offset = batch->offset;
	}
	if (batch->time < generation->least_time)
		generation->least_time = batch->time;
	if (batch->is_experimental)
		return CT_OK;
	if (kind == GOTRACE_STACKS || kind == GOTRACE_STRINGS || kind == GOTRACE_CPU_SAMPLES)
		return gotrace_tables_add(&generation->tables, batch, reterr);
	if (kind == GOTRACE_FREQUENCY && loader->format < GOTRACE_FORMAT_25)
		return add_frequency(generation, batch, reterr);
	if (kind == GOTRACE_SYNC && loader->format >= GOTRACE_FORMAT_25)
		return add_sync(generation, batch, reterr);
	return add_run(generation, batch, reterr);
}

/* ---------------------------------------------------------------- batches */

/* CT_END: the file ends here. CT_AGAIN: the file grows, and ends within a batch. */
static enum ct_status read_batch(
	struct gotrace_loader *loader, struct gotrace_batch *ret_batch, struct ct_error *reterr)
{
	uint64_t offset = loader->pieces.offset;
	const uint8_t *bytes;
	size_t nr_bytes;
	enum ct_status status = gotrace_pieces_peek(&loader->pieces,
		GOTRACE_BATCH_HEAD_MAX + GOTRACE_BATCH_MAX, &bytes, &nr_bytes, reterr);

	if (status || !nr_bytes)
		return status ? status : CT_END;
	status = gotrace_batch_read(bytes, nr_bytes, offset, ret_batch, reterr);
	if (status < 0)
		return status;
	if (status == CT_OK &&
		ret_batch->nr_bytes <= nr_bytes - (size_t)(ret_batch->payload - bytes)) {
		gotrace_pieces_skip(&loader->pieces,
			(size_t)(ret_batch->payload - bytes) + ret_batch->nr_bytes);
		return CT_OK;
	}
	if (loader->is_growing)
		return CT_AGAIN;
	return ct_fail_at(reterr, CT_ERR_CORRUPT, offset,
		"the file ends within the batch at offset %llu", (unsigned long long)offset);
}

/* Takes the byte that ends a generation. */
static bool take_marker(
	struct gotrace_loader *loader, enum ct_status *ret_status, struct ct_error *reterr)
{
	const uint8_t *bytes;
	size_t nr_bytes;

	*ret_status = gotrace_pieces_peek(&loader->pieces, 1, &bytes, &nr_bytes, reterr);
	if (*ret_status || !nr_bytes || *bytes != GOTRACE_END_OF_GENERATION)
		return false;
	gotrace_pieces_skip(&loader->pieces, 1);
	return true;
}

static enum ct_status fail_unstopped(struct gotrace_loader *loader, struct ct_error *reterr)
{
	const struct gotrace_generation *generation = &loader->generation;

	loader->is_unstopped = true;
	return ct_fail_at(reterr, CT_ERR_CORRUPT, generation->offset, GOTRACE_UNSTOPPED,
		(unsigned long long)generation->number, (unsigned long long)generation->offset);
}

static enum ct_status end_without_marker(struct gotrace_loader *loader, struct ct_error *reterr)
{
	const struct gotrace_generation *generation = &loader->generation;

	if (loader->is_growing)
		return CT_AGAIN;
	if (!generation->nr_batches)
		return CT_END;
	return fail_unstopped(loader, reterr);
}

/* Loads a generation from format 26 on. */
static enum ct_status load_marked(struct gotrace_loader *loader, struct ct_error *reterr)
{
	struct gotrace_generation *generation = &loader->generation;
	struct gotrace_batch batch;
	enum ct_status status = CT_OK;

	while (status == CT_OK) {
		if (take_marker(loader, &status, reterr))
			return CT_OK;
		if (status == CT_OK)
			status = read_batch(loader, &batch, reterr);
		if (status == CT_END)
			return end_without_marker(loader, reterr);
		if (status)
			return status;
		if (!batch.generation ||
			(generation->nr_batches && batch.generation != generation->number))
			return refuse(reterr, &batch,
				"it is of generation %llu, within generation %llu",
				(unsigned long long)batch.generation,
				(unsigned long long)generation->number);
		status = add(loader, &batch, reterr);
	}
	return status;
}

/* An unreadable batch counts as part of the next generation if this generation has any batch. */
static enum ct_status end_unmarked(
	struct gotrace_loader *loader, enum ct_status status, struct ct_error *failure)
{
	if (status == CT_AGAIN || (status == CT_END && loader->is_growing))
		return CT_AGAIN;
	if (status == CT_END && !loader->generation.nr_batches)
		return ct_fail_at(failure, CT_ERR_CORRUPT, loader->pieces.offset,
			"the file ends behind its header, and has no generation");
	if (!loader->generation.nr_batches || status == CT_ERR_NO_MEMORY || status == CT_ERR_SYSTEM)
		return status;
	loader->ended = status;
	loader->failure = *failure;
	return CT_OK;
}

/* Loads a generation up to format 25. */
static enum ct_status load_unmarked(struct gotrace_loader *loader, struct ct_error *reterr)
{
	struct gotrace_generation *generation = &loader->generation;
	struct gotrace_batch batch = loader->spill;
	enum ct_status status = CT_OK;

	for (;;) {
		if (!loader->has_spill)
			status = read_batch(loader, &batch, reterr);
		if (status)
			return end_unmarked(loader, status, reterr);
		loader->has_spill = false;
		if (generation->nr_batches && batch.generation == generation->number + 1) {
			loader->spill = batch;
			loader->has_spill = true;
			return CT_OK;
		}
		if (!batch.generation ||
			(generation->nr_batches && batch.generation != generation->number))
			return refuse(reterr, &batch,
				"it is of generation %llu, behind generation %llu",
				(unsigned long long)batch.generation,
				(unsigned long long)generation->number);
		status = add(loader, &batch, reterr);
		if (status)
			return status;
	}
}

static enum ct_status finish(struct gotrace_loader *loader, struct ct_error *reterr)
{
	struct gotrace_generation *generation = &loader->generation;
	const char *missing = NULL;
	enum ct_status status;

	if (!generation->frequency)
		missing = "it states no frequency of its clock";
	else if (loader->format >= GOTRACE_FORMAT_25 && !generation->has_snapshot)
		missing = "it has no reading of the clocks";
	if (missing && loader->ended == CT_END)
		return fail_unstopped(loader, reterr);
	if (missing)
		status = ct_fail_at(reterr, CT_ERR_CORRUPT, generation->offset, "%s", missing);
	else
		status =
			gotrace_tables_finish(&generation->tables, generation->ns_per_unit, reterr);
	if (status)
		return ct_context(reterr, status, "generation %llu at offset %llu",
			(unsigned long long)generation->number,
			(unsigned long long)generation->offset);
	generation->snapshot.time = gotrace_ns(generation->snapshot_units, generation->ns_per_unit);
	return CT_OK;
}

enum ct_status gotrace_loader_next(struct gotrace_loader *loader, struct ct_error *reterr)
{
	struct ct_error failure = {0};
	enum ct_status status = CT_OK;

	if (loader->ended) {
		if (loader->ended < 0 && reterr)
			*reterr = loader->failure;
		return loader->ended;
	}
	if (!loader->is_begun && !begin(loader))
		return ct_fail_memory(reterr);
	loader->is_begun = true;
	if (loader->format >= GOTRACE_FORMAT_26)
		status = load_marked(loader, &failure);
	else
		status = load_unmarked(loader, &failure);
	if (status == CT_OK)
		status = finish(loader, &failure);
	if (status == CT_AGAIN)
		return status;
	loader->is_begun = false;
	if (status) {
		loader->ended = status;
		loader->failure = failure;
		if (reterr)
			*reterr = failure;
	}
	return status;
}
