/* SPDX-License-Identifier: MIT */
/*
 * Rows that a statement looks up again and again, as the inner side of a join does: the columns that the statement
 * uses, unpacked, and chains of rows that have the same number in the key's column.
 *
 * The memory is allocated by SQLite, so SQLite's memory limit covers it. If there is no room, the table is scanned each
 * time instead.
 */
#include <string.h>

#include "query/query.h"

struct query_kept {
	uint64_t wanted;
	uint32_t key;
	uint32_t nr_rows;
	uint32_t mask; /* one less than the number of chains */
	int64_t *cells[QUERY_COLUMNS_MOST];
	uint64_t *numbers;
	uint32_t *firsts; /* the first row of each chain */
	uint32_t *nexts;
};

static uint32_t chain_of(const struct query_kept *kept, int64_t number)
{
	return (uint32_t)(((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & kept->mask;
}

static void kept_free(struct query_kept *kept)
{
	uint32_t i;

	if (!kept)
		return;
	for (i = 0; i < QUERY_COLUMNS_MOST; i++)
		sqlite3_free(kept->cells[i]);
	sqlite3_free(kept->numbers);
	sqlite3_free(kept->firsts);
	sqlite3_free(kept->nexts);
	sqlite3_free(kept);
}

/* ---------------------------------------------------------------- filling */

static bool make_room(struct query_kept *kept, uint64_t nr_rows)
{
	uint64_t nr_chains = 16;
	uint32_t i;

	while (nr_chains < nr_rows)
		nr_chains *= 2;
	kept->mask = (uint32_t)(nr_chains - 1);
	for (i = 0; i < QUERY_COLUMNS_MOST; i++) {
		if (!(kept->wanted >> i & 1))
			continue;
		kept->cells[i] = sqlite3_malloc64((nr_rows + 1) * sizeof(int64_t));
		if (!kept->cells[i])
			return false;
	}
	kept->numbers = sqlite3_malloc64((nr_rows + 1) * sizeof(*kept->numbers));
	kept->nexts = sqlite3_malloc64((nr_rows + 1) * sizeof(*kept->nexts));
	kept->firsts = sqlite3_malloc64(nr_chains * sizeof(*kept->firsts));
	if (!kept->numbers || !kept->nexts || !kept->firsts)
		return false;
	memset(kept->firsts, 0xff, nr_chains * sizeof(*kept->firsts));
	return true;
}

static void take(struct query_kept *kept, const struct ct_view_rows *rows, const uint32_t *columns,
	uint64_t nr_rows)
{
	uint64_t count =
		rows->nr_rows < nr_rows - kept->nr_rows ? rows->nr_rows : nr_rows - kept->nr_rows;
	uint32_t i;

	for (i = 0; i < rows->nr_columns; i++)
		memcpy(kept->cells[columns[i]] + kept->nr_rows, rows->columns[i],
			count * sizeof(int64_t));
	memcpy(kept->numbers + kept->nr_rows, rows->numbers, count * sizeof(*kept->numbers));
	kept->nr_rows += (uint32_t)count;
}

static bool fill(struct query_kept *kept, const struct query_vtab *vtab)
{
	uint32_t columns[QUERY_COLUMNS_MOST], nr_columns = 0, i;
	struct ct_view_request request = {.size = sizeof(request), .table = vtab->table->table};
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	enum ct_status status;

	for (i = 0; i < QUERY_COLUMNS_MOST; i++)
		if (kept->wanted >> i & 1)
			columns[nr_columns++] = i;
	request.columns = columns;
	request.nr_columns = nr_columns;
	if (ct_view_scan_open(vtab->query->view, &request, &scan, NULL))
		return false;
	while ((status = ct_view_scan_next(scan, &rows, NULL)) == CT_OK)
		take(kept, rows, columns, vtab->nr_rows);
	ct_view_scan_close(scan);
	return status == CT_END;
}

/* Begins with the last row, so that each chain has its rows in order. */
static void chain(struct query_kept *kept)
{
	uint32_t row;

	for (row = kept->nr_rows; row-- > 0;) {
		uint32_t *first = &kept->firsts[chain_of(kept, kept->cells[kept->key][row])];

		kept->nexts[row] = *first;
		*first = row;
	}
}

const struct query_kept *query_keep(struct query_vtab *vtab, uint64_t wanted, uint32_t key)
{
	struct query_kept *kept;
	uint32_t i;

	for (i = 0; i < vtab->nr_kept; i++)
		if (vtab->kept[i] && vtab->kept[i]->key == key &&
			!(wanted & ~vtab->kept[i]->wanted))
			return vtab->kept[i];
	if (vtab->nr_kept == QUERY_KEPT_MOST || vtab->nr_rows >= QUERY_NO_ROW)
		return NULL;
	/* If there was no room once, the entry stays taken: trying again would cost more than it helps. */
	kept = vtab->kept[vtab->nr_kept++] = sqlite3_malloc64(sizeof(*kept));
	if (!kept)
		return NULL;
	*kept = (struct query_kept){.wanted = wanted, .key = key};
	if (make_room(kept, vtab->nr_rows) && fill(kept, vtab)) {
		chain(kept);
		return kept;
	}
	kept_free(kept);
	vtab->kept[vtab->nr_kept - 1] = NULL;
	return NULL;
}

void query_keep_fini(struct query_vtab *vtab)
{
	while (vtab->nr_kept)
		kept_free(vtab->kept[--vtab->nr_kept]);
	vtab->nr_lookups = 0;
}

/* ---------------------------------------------------------------- look-ups */

static uint32_t follow(const struct query_kept *kept, uint32_t row, int64_t number)
{
	while (row != QUERY_NO_ROW && kept->cells[kept->key][row] != number)
		row = kept->nexts[row];
	return row;
}

uint32_t query_kept_first(const struct query_kept *kept, int64_t number)
{
	return follow(kept, kept->firsts[chain_of(kept, number)], number);
}

uint32_t query_kept_next(const struct query_kept *kept, uint32_t row, int64_t number)
{
	return follow(kept, kept->nexts[row], number);
}

int64_t query_kept_cell(const struct query_kept *kept, uint32_t column, uint32_t row)
{
	return kept->cells[column][row];
}

uint64_t query_kept_number(const struct query_kept *kept, uint32_t row)
{
	return kept->numbers[row];
}
