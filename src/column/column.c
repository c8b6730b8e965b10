/* SPDX-License-Identifier: MIT */
/*
 * Chunks of rows: each one piece of memory, with the plans of its columns first and their bits behind them.
 */
#include "column/bits.h"

struct column_chunk {
	uint32_t nr_rows;
	struct bits_plan plans[]; /* nr_columns; then the bytes of each, and BITS_SLACK */
};

static size_t head_bytes(const struct column_log *log)
{
	return sizeof(struct column_chunk) + log->nr_columns * sizeof(struct bits_plan);
}

bool column_log_init(struct column_log *log, uint32_t nr_columns)
{
	*log = (struct column_log){.nr_columns = nr_columns};
	log->open = calloc((size_t)nr_columns * COLUMN_ROWS, sizeof(*log->open));
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

/* What was worked out of a chunk before its memory is asked for. */
struct planning {
	struct bits_plan plans[COLUMN_MOST];
	int64_t distinct[COLUMN_MOST][BITS_MOST_DISTINCT];
};

static size_t plan_all(const struct column_log *log, struct planning *planning)
{
	size_t bytes = BITS_SLACK;
	uint32_t i;

	for (i = 0; i < log->nr_columns; i++) {
		planning->plans[i] = column_bits_plan(
			log->open + (size_t)i * COLUMN_ROWS, log->nr_open, planning->distinct[i]);
		bytes += planning->plans[i].nr_bytes;
	}
	return bytes;
}

static bool pack_open(struct column_log *log)
{
	struct planning planning;
	size_t bytes = head_bytes(log) + plan_all(log, &planning);
	struct column_chunk *chunk = calloc(1, bytes);
	uint8_t *to;
	uint32_t i;

	if (!chunk || !vec_push(&log->chunks, chunk)) {
		free(chunk);
		return false;
	}
	to = (uint8_t *)chunk + head_bytes(log);
	chunk->nr_rows = log->nr_open;
	for (i = 0; i < log->nr_columns; i++) {
		chunk->plans[i] = planning.plans[i];
		column_bits_write(&chunk->plans[i], planning.distinct[i],
			log->open + (size_t)i * COLUMN_ROWS, log->nr_open, to);
		to += chunk->plans[i].nr_bytes;
	}
	log->nr_bytes += bytes;
	log->nr_open = 0;
	return true;
}

bool column_log_add(struct column_log *log, const int64_t *row)
{
	uint32_t i;

	if (log->nr_open == COLUMN_ROWS && !pack_open(log))
		return false;
	for (i = 0; i < log->nr_columns; i++)
		log->open[(size_t)i * COLUMN_ROWS + log->nr_open] = row[i];
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

void column_log_read(
	const struct column_log *log, uint32_t chunk, uint32_t column, int64_t *ret_values)
{
	const struct column_chunk *at = log->chunks.at[chunk];
	const uint8_t *from = (const uint8_t *)at + head_bytes(log);
	uint32_t i;

	for (i = 0; i < column; i++)
		from += at->plans[i].nr_bytes;
	column_bits_read(&at->plans[column], from, at->nr_rows, ret_values);
}
