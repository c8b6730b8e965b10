/* SPDX-License-Identifier: MIT */
/*
 * Generations: where one ends and the next one begins, and what a generation begins with.
 *
 * A generation lasts a second, or longer if little happens, because the repeated data should be a small part of it. A
 * generation ends at a heartbeat, when every ring was looked at; records that were written to a ring after the look are
 * in the next generation, with their true times.
 */
#include "store/definitions.h"
#include "store/writer.h"

#define GENERATION_NS UINT64_C(1000000000)
#define GENERATION_BYTES (UINT64_C(16) << 20)
#define SHARE 4u /* own bytes of a generation per repeated byte */
#define MUCH (UINT64_C(1) << 20)
#define SHARE_OF_MUCH 16u /* the same for repeated bytes beyond MUCH */

static uint64_t own_bytes(const struct store_sink *store)
{
	return store->output->written.nr_bytes - store->generation.began_bytes;
}

/*
 * Returns how many own bytes justify the next generation's repeated data. Describing a coroutine costs as much as
 * several events: if there are very many coroutines, a generation lasts longer, so that the cost of an event does not
 * depend on the number of coroutines.
 */
static uint64_t worth(uint64_t repeated_bytes)
{
	uint64_t beyond = repeated_bytes > MUCH ? repeated_bytes - MUCH : 0;

	return SHARE * (repeated_bytes - beyond) + SHARE_OF_MUCH * beyond;
}

static bool is_full(const struct store_sink *store)
{
	uint64_t largest = store->options.generation_bytes ? store->options.generation_bytes
							   : GENERATION_BYTES;

	return own_bytes(store) >= largest;
}

static bool is_due(const struct store_sink *store, uint64_t now_ns)
{
	const struct generation *generation = &store->generation;
	uint64_t longest =
		store->options.generation_ns ? store->options.generation_ns : GENERATION_NS;
	bool is_long = (int64_t)(now_ns - generation->began_ns) >= (int64_t)longest;

	/* A caller that asks for a size has no room for more than that. */
	if (store->options.generation_bytes && is_full(store) &&
		own_bytes(store) >= generation->repeated_bytes)
		return true;
	return (is_long || is_full(store)) && own_bytes(store) >= worth(generation->repeated_bytes);
}

/* ---------------------------------------------------------------- carried records */

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

/* A block of carried records in the making. */
struct carried {
	struct store_open_block *block;
	struct snapshot_origin origin; /* origin of its records */
	uint64_t count;                /* records of all blocks */
};

static enum ct_status write_record(struct store_sink *store, struct carried *carried,
	const struct snapshot_record *told, struct ct_error *reterr)
{
	struct snapshot_origin origin = snapshot_origin_at(store->snapshot, told->origin);
	enum ct_status status = CT_OK;

	if (carried->count == 0 || !is_same_place(origin, carried->origin) ||
		store_open_block_room(carried->block) == 0) {
		status = write_carried_block(store, carried->block, carried->origin.stream, reterr);
		carried->origin = origin;
		store_open_block_start(carried->block, origin.thread, told->record.time);
	}
	store_open_block_add(carried->block, &told->record, 1);
	carried->count++;
	return status;
}

static enum ct_status write_records(
	struct store_sink *store, struct carried *carried, struct ct_error *reterr)
{
	const struct snapshot_record *records;
	enum ct_status status = CT_OK;
	size_t count, i;

	carried->block->content.nr_records = 0;
	do {
		if (!snapshot_tell_next(store->snapshot, &records, &count))
			return ct_fail_memory(reterr);
		for (i = 0; status == CT_OK && i < count; i++)
			status = write_record(store, carried, &records[i], reterr);
	} while (status == CT_OK && count);
	return status ? status
		      : write_carried_block(store, carried->block, carried->origin.stream, reterr);
}

static enum ct_status write_carried(
	struct store_sink *store, uint64_t *ret_count, struct ct_error *reterr)
{
	struct carried carried = {.block = store_take_spare(store)};
	enum ct_status status;

	*ret_count = 0;
	if (!carried.block)
		return ct_fail_memory(reterr);
	status = snapshot_tell(store->snapshot) ? write_records(store, &carried, reterr)
						: ct_fail_memory(reterr);
	store_give_spare(store, carried.block);
	*ret_count = carried.count;
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
		.most_live = snapshot_take_most_live(store->snapshot),
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
