/* SPDX-License-Identifier: MIT */
/*
 * Generations: where one ends and the next one begins, and what it begins with.
 *
 * A generation is a second long, or longer where little happens: what it repeats should be a small part of it. It ends
 * at a heartbeat, when every ring was looked at; what was written to one after the look is in the next generation, with
 * its true time.
 */
#include "store_definitions.h"
#include "store_writer.h"

#define GENERATION_NS UINT64_C(1000000000)
#define GENERATION_BYTES (UINT64_C(16) << 20)
#define SHARE 4u /* so many times what it repeats */

static uint64_t own_bytes(const struct store_sink *store)
{
	return store->output->written.nr_bytes - store->generation.began_bytes;
}

static bool has_bytes(const struct store_sink *store, uint64_t nr_bytes)
{
	return own_bytes(store) >= nr_bytes && own_bytes(store) >= store->generation.repeated_bytes;
}

static uint64_t largest(const struct store_sink *store)
{
	return store->options.generation_bytes ? store->options.generation_bytes : GENERATION_BYTES;
}

static bool is_due(const struct store_sink *store, uint64_t now_ns)
{
	uint64_t longest =
		store->options.generation_ns ? store->options.generation_ns : GENERATION_NS;

	if (has_bytes(store, largest(store)))
		return true;
	return (int64_t)(now_ns - store->generation.began_ns) >= (int64_t)longest &&
	       own_bytes(store) >= SHARE * store->generation.repeated_bytes;
}

/* ---------------------------------------------------------------- how things stand */

static enum ct_status write_carried_block(struct store_sink *store, struct store_open_block *block,
	uint32_t stream, struct ct_error *reterr)
{
	size_t nr_bytes;
	uint8_t *bytes;

	if (block->content.nr_records == 0)
		return CT_OK;
	bytes = store_open_block_finish(block, stream, &nr_bytes);
	return store_output_block(store->output, STORE_BLOCK_CARRIED, bytes, nr_bytes, reterr);
}

static bool is_same_place(struct snapshot_origin a, struct snapshot_origin b)
{
	return a.stream == b.stream && a.thread == b.thread;
}

static enum ct_status write_records(struct store_sink *store, struct store_open_block *block,
	const struct snapshot_record *records, size_t count, struct ct_error *reterr)
{
	struct snapshot_origin origin = {0};
	enum ct_status status = CT_OK;
	size_t i;

	block->content.nr_records = 0;
	for (i = 0; status == CT_OK && i < count; i++) {
		struct snapshot_origin next =
			snapshot_origin_at(store->snapshot, records[i].origin);

		if (i == 0 || !is_same_place(next, origin) || store_open_block_room(block) == 0) {
			status = write_carried_block(store, block, origin.stream, reterr);
			origin = next;
			store_open_block_start(block, origin.thread, records[i].record.time);
		}
		store_open_block_add(block, &records[i].record, 1);
	}
	return status ? status : write_carried_block(store, block, origin.stream, reterr);
}

static enum ct_status write_carried(
	struct store_sink *store, uint64_t *ret_count, struct ct_error *reterr)
{
	const struct snapshot_record *records;
	struct store_open_block *block;
	enum ct_status status;
	size_t count = 0;

	*ret_count = 0;
	if (!snapshot_tell(store->snapshot, &records, &count))
		return ct_fail_memory(reterr);
	block = store_take_spare(store);
	if (!block)
		return ct_fail_memory(reterr);
	status = write_records(store, block, records, count, reterr);
	store_give_spare(store, block);
	*ret_count = count;
	return status;
}

/* ---------------------------------------------------------------- beginning and end */

void store_generation_end(struct store_sink *store, uint64_t now_ns)
{
	const struct generation *generation = &store->generation;
	struct ct_definition definition = {.type = CT_DEFINE_GENERATION_END};

	if (!generation->is_told)
		return;
	definition.generation_end = (struct ct_define_generation_end){
		.generation = store->output->generation,
		.monotonic_ns = now_ns,
		.nr_events = store->nr_taken - generation->began_events,
		.nr_lost = store->nr_lost_within - generation->began_lost,
	};
	store_definition_add(&store->definitions, &definition);
}

static void tell_begin(struct store_sink *store, uint64_t now_ns, uint64_t nr_carried)
{
	struct ct_definition definition = {.type = CT_DEFINE_GENERATION};

	definition.generation = (struct ct_define_generation){
		.generation = store->output->generation,
		.monotonic_ns = now_ns,
		.nr_events_before = store->generation.began_events,
		.nr_lost_before = store->generation.began_lost,
		.nr_carried = nr_carried,
		.nr_forgotten = snapshot_nr_forgotten(store->snapshot) + store->nr_not_folded +
				store->repeated.nr_forgotten,
	};
	store_definition_add(&store->definitions, &definition);
}

static enum ct_status begin_next(struct store_sink *store, uint64_t now_ns, struct ct_error *reterr)
{
	struct generation *generation = &store->generation;
	uint64_t nr_carried, start;
	enum ct_status status;

	store_generation_end(store, now_ns);
	status = store_write_definitions(store, reterr);
	if (status == CT_OK)
		status = store_output_begin(
			store->output, store->output->generation + 1, now_ns, reterr);
	if (status)
		return status;
	start = store->output->written.nr_bytes;
	status = store_repeated_write(&store->repeated, store->output, reterr);
	if (status == CT_OK)
		status = write_carried(store, &nr_carried, reterr);
	if (status)
		return status;
	*generation = (struct generation){
		.is_told = true,
		.began_ns = now_ns,
		.began_bytes = store->output->written.nr_bytes,
		.repeated_bytes = store->output->written.nr_bytes - start,
		.began_events = store->nr_taken,
		.began_lost = store->nr_lost_within,
	};
	tell_begin(store, now_ns, nr_carried);
	return CT_OK;
}

enum ct_status store_generation_continue(struct store_sink *store,
	const struct ct_define_generation *generation, struct ct_error *reterr)
{
	store->generation = (struct generation){
		.is_told = true,
		.began_ns = generation->monotonic_ns,
		.began_events = generation->nr_events_before,
		.began_lost = generation->nr_lost_before,
	};
	store->nr_taken = generation->nr_events_before;
	store->nr_lost_within = generation->nr_lost_before;
	store->first_beat_ns = generation->monotonic_ns;
	return store_output_begin(
		store->output, generation->generation, generation->monotonic_ns, reterr);
}

enum ct_status store_generation_beat(
	struct store_sink *store, uint64_t now_ns, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	store->beat_ns = now_ns;
	if (!store->generation.is_told) {
		store->first_beat_ns = now_ns;
		store->generation.is_told = true;
		store->generation.began_ns = now_ns;
		tell_begin(store, now_ns, 0);
		return CT_OK;
	}
	if (is_due(store, now_ns))
		status = begin_next(store, now_ns, reterr);
	snapshot_beat(store->snapshot);
	return status;
}
