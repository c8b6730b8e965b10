/* SPDX-License-Identifier: MIT */
/*
 * Chunks of rows: each chunk is one piece of memory, with the plans of its columns first and their bits after them; or
 * only the plans, if the bits are in the room's file.
 */
#include "column/bits.h"

/* The distance of columns of open rows: not a power of two, so that the cells of a row share no set of the cache. */
#define STRIDE (COLUMN_ROWS + 8u)
#define PLAIN_BYTES (COLUMN_ROWS * sizeof(int64_t)) /* no plan takes more */

struct column_chunk {
	uint32_t nr_rows;
	bool is_in_file;
	uint64_t offset; /* in the file */
	/* nr_columns; then, in memory, the bytes of each, and BITS_SLACK */
	struct bits_plan plans[];
};

void column_room_init(struct column_room *room, uint64_t most_bytes)
{
	*room = (struct column_room){.most_bytes = most_bytes, .spill = {.descriptor = -1}};
}

void column_room_empty(struct column_room *room)
{
	spill_close(&room->spill);
	column_room_init(room, room->most_bytes);
}

static size_t head_bytes(const struct column_log *log)
{
	return sizeof(struct column_chunk) + log->nr_columns * sizeof(struct bits_plan);
}

bool column_log_init(struct column_log *log, uint32_t nr_columns, struct column_room *room)
{
	*log = (struct column_log){.nr_columns = nr_columns, .room = room};
	log->open = calloc((size_t)nr_columns * STRIDE, sizeof(*log->open));
	return log->open != NULL;
}

void column_log_fini(struct column_log *log)
{
	size_t i;

	for (i = 0; i < log->chunks.count; i++)
		free(log->chunks.at[i]);
	vec_fini(&log->chunks);
	free(log->open);
	*log = (struct column_log){0};
}

/* What is computed for a chunk before its memory is allocated. */
struct planning {
	struct bits_plan plans[COLUMN_MOST];
	int64_t distinct[COLUMN_MOST][BITS_MOST_DISTINCT];
};

/*
 * Whether each number is that of the column before, less that of the one before that, as a duration is after its
 * beginning and its end. Both must be packed themselves; equal numbers take no room in any case.
 */
static bool is_between(const struct column_log *log, const struct bits_plan *plans, uint32_t column)
{
	const int64_t *values = log->open + (size_t)column * STRIDE;
	const int64_t *until = values - STRIDE, *from = until - STRIDE;
	bool is_equal = true;
	uint32_t i;

	if (column < 2 || plans[column - 1].form == BITS_BETWEEN ||
		plans[column - 2].form == BITS_BETWEEN)
		return false;
	for (i = 0; i < log->nr_open; i++) {
		if ((uint64_t)values[i] != (uint64_t)until[i] - (uint64_t)from[i])
			return false;
		is_equal &= values[i] == values[0];
	}
	return !is_equal;
}

static size_t plan_all(const struct column_log *log, struct planning *planning)
{
	size_t bytes = BITS_SLACK;
	uint32_t i;

	for (i = 0; i < log->nr_columns; i++) {
		const int64_t *values = log->open + (size_t)i * STRIDE;

		planning->plans[i] =
			is_between(log, planning->plans, i)
				? column_bits_plan_between(values, log->nr_open)
				: column_bits_plan(values, log->nr_open, planning->distinct[i]);
		bytes += planning->plans[i].nr_bytes;
	}
	return bytes;
}

static struct column_chunk *pack(
	const struct column_log *log, const struct planning *planning, size_t nr_bytes)
{
	struct column_chunk *chunk = calloc(1, nr_bytes);
	uint8_t *to;
	uint32_t i;

	if (!chunk)
		return NULL;
	to = (uint8_t *)chunk + head_bytes(log);
	chunk->nr_rows = log->nr_open;
	for (i = 0; i < log->nr_columns; i++) {
		chunk->plans[i] = planning->plans[i];
		column_bits_write(&chunk->plans[i], planning->distinct[i],
			log->open + (size_t)i * STRIDE, log->nr_open, to);
		to += chunk->plans[i].nr_bytes;
	}
	return chunk;
}

static bool has_file(struct column_room *room)
{
	if (room->spill.descriptor < 0 && !room->has_no_file)
		room->has_no_file = !spill_open(&room->spill);
	return !room->has_no_file;
}

/* Moves the bits to the room's file, if they fit there, and keeps the plans in memory. */
static struct column_chunk *put_away(
	const struct column_log *log, struct column_chunk *chunk, size_t nr_bytes)
{
	struct column_room *room = log->room;
	size_t head = head_bytes(log);
	struct column_chunk *left;

	if (!room->most_bytes || room->nr_bytes + nr_bytes <= room->most_bytes || !has_file(room))
		return chunk;
	if (!spill_append(&room->spill, (uint8_t *)chunk + head, nr_bytes - head, &chunk->offset)) {
		room->has_no_file = true;
		return chunk;
	}
	chunk->is_in_file = true;
	left = realloc(chunk, head);
	return left ? left : chunk;
}

static bool pack_open(struct column_log *log)
{
	struct planning planning;
	size_t nr_bytes = head_bytes(log) + plan_all(log, &planning);
	struct column_chunk *chunk = pack(log, &planning, nr_bytes);

	if (!chunk)
		return false;
	chunk = put_away(log, chunk, nr_bytes);
	if (!vec_push(&log->chunks, chunk)) {
		free(chunk);
		return false;
	}
	log->room->nr_bytes += chunk->is_in_file ? head_bytes(log) : nr_bytes;
	log->nr_open = 0;
	return true;
}

bool column_log_add(struct column_log *log, const int64_t *row)
{
	uint32_t i;

	if (log->nr_open == COLUMN_ROWS && !pack_open(log))
		return false;
	for (i = 0; i < log->nr_columns; i++)
		log->open[(size_t)i * STRIDE + log->nr_open] = row[i];
	log->nr_open++;
	log->nr_rows++;
	return true;
}

bool column_log_seal(struct column_log *log)
{
	if (log->nr_open && !pack_open(log))
		return false;
	free(log->open);
	log->open = NULL;
	return true;
}

uint32_t column_log_rows(const struct column_log *log, uint32_t chunk)
{
	return log->chunks.at[chunk]->nr_rows;
}

int64_t column_log_least(const struct column_log *log, uint32_t chunk, uint32_t column)
{
	return log->chunks.at[chunk]->plans[column].least;
}

int64_t column_log_most(const struct column_log *log, uint32_t chunk, uint32_t column)
{
	return log->chunks.at[chunk]->plans[column].most;
}

/* Reads a column that is packed itself. */
static bool read_packed(
	const struct column_log *log, uint32_t chunk, uint32_t column, int64_t *ret_values)
{
	const struct column_chunk *at = log->chunks.at[chunk];
	const struct bits_plan *plan = &at->plans[column];
	const uint8_t *from = (const uint8_t *)at + head_bytes(log);
	uint8_t kept[PLAIN_BYTES + BITS_SLACK];
	uint64_t before = 0;
	uint32_t i;

	for (i = 0; i < column; i++)
		before += at->plans[i].nr_bytes;
	if (!at->is_in_file) {
		column_bits_read(plan, from + before, at->nr_rows, ret_values);
		return true;
	}
	if (!spill_read(&log->room->spill, at->offset + before, kept, plan->nr_bytes + BITS_SLACK))
		return false;
	column_bits_read(plan, kept, at->nr_rows, ret_values);
	return true;
}

bool column_log_read(
	const struct column_log *log, uint32_t chunk, uint32_t column, int64_t *ret_values)
{
	int64_t from[COLUMN_ROWS];
	uint32_t i;

	if (log->chunks.at[chunk]->plans[column].form != BITS_BETWEEN)
		return read_packed(log, chunk, column, ret_values);
	if (!read_packed(log, chunk, column - 1, ret_values) ||
		!read_packed(log, chunk, column - 2, from))
		return false;
	for (i = 0; i < log->chunks.at[chunk]->nr_rows; i++)
		ret_values[i] = (int64_t)((uint64_t)ret_values[i] - (uint64_t)from[i]);
	return true;
}
