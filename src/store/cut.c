/* SPDX-License-Identifier: MIT */
/* Cutting parts out of a recording, and joining parts. Whole generations are copied, so both are exact. */
#include <stdlib.h>
#include <string.h>

#include "store/part.h"
#include "base/vec.h"

/* ---------------------------------------------------------------- cutting */

/* Returns when a generation began; if that is not known, the beginning of an earlier one. */
static ct_time began(const struct store_reader *part, size_t at)
{
	while (at > 0 && part->index.generations.at[at].began_ns == STORE_NOT_KNOWN)
		at--;
	return at == 0 ? INT64_MIN
		       : store_since_epoch(&part->all, part->index.generations.at[at].began_ns);
}

/* Returns when a generation ended: at the next known beginning, because the generation may have lasted until then. */
static ct_time ended(const struct store_reader *part, size_t at)
{
	do {
		if (++at == part->index.generations.count)
			return INT64_MAX;
	} while (part->index.generations.at[at].began_ns == STORE_NOT_KNOWN);
	return began(part, at);
}

/* Finds the generations that touch the interval. Returns false if there are none. */
static bool find_rows(const struct store_reader *part, ct_time from, ct_time to, size_t *ret_first,
	size_t *ret_last)
{
	size_t count = part->index.generations.count, first = 0, last = count;

	while (first < count && ended(part, first) <= from)
		first++;
	while (last > first && began(part, last - 1) > to)
		last--;
	*ret_first = first;
	*ret_last = last;
	return first < last;
}

static enum ct_status refuse_outside(
	const struct store_reader *part, ct_time from, ct_time to, struct ct_error *reterr)
{
	const struct ct_tables *tables = &part->all.tables;
	enum ct_status status = store_part_refuse_empty(part, reterr);

	if (status)
		return status;
	if (from > to)
		return ct_fail(reterr, CT_ERR_USAGE, "the interval ends before it begins");
	if (from > tables->observed_until || to < tables->observed_from)
		return ct_fail(reterr, CT_ERR_USAGE,
			"'%s' holds nothing of that time: it was observed from %.3f s to %.3f s",
			part->input->name, (double)tables->observed_from / 1e9,
			(double)tables->observed_until / 1e9);
	return CT_OK;
}

static enum ct_status copy_rows(struct store_copy *copy, struct store_reader *part, size_t first,
	size_t last, struct ct_error *reterr)
{
	const struct store_generation *rows = part->index.generations.at;
	bool is_cut = last < part->index.generations.count || part->all.tables.is_cut;
	enum ct_status status = CT_OK;
	size_t i;

	for (i = first; i < last && status == CT_OK; i++)
		status = store_copy_row(copy, part, &rows[i], reterr);
	return status || !is_cut ? status : store_copy_cut(copy, part, &rows[last - 1], reterr);
}

enum ct_status store_cut(const char *path, ct_time from, ct_time to, int pack_level,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr)
{
	struct store_reader part;
	struct store_copy copy;
	size_t first, last;
	enum ct_status status = store_part_open(&part, path, false, reterr);

	if (status == CT_OK)
		status = refuse_outside(&part, from, to, reterr);
	if (status == CT_OK && !find_rows(&part, from, to, &first, &last))
		status = ct_fail(reterr, CT_ERR_USAGE, "'%s' holds nothing of that time", path);
	if (status == CT_OK)
		status = store_copy_begin(&copy, output, pack_level, part.index.has_packed, reterr);
	if (status == CT_OK) {
		copy.summary.first_damaged = part.all.tables.is_damaged;
		status = copy_rows(&copy, &part, first, last, reterr);
		status = store_copy_end(&copy, status, ret_part, reterr);
	}
	store_reader_close(&part);
	return status;
}

/* ---------------------------------------------------------------- joining */

struct row {
	struct store_reader *part;
	const struct store_generation *generation;
};

struct joined {
	struct store_reader *parts;
	size_t nr_parts;
	VEC(struct row) rows;
	bool is_packed;
};

/* Sorts by generation; of two copies of a generation the fuller one comes first. */
static int compare(const void *left, const void *right)
{
	const struct store_generation *a = ((const struct row *)left)->generation;
	const struct store_generation *b = ((const struct row *)right)->generation;

	if (a->number != b->number)
		return a->number > b->number ? 1 : -1;
	if ((a->ended_ns == STORE_NOT_KNOWN) != (b->ended_ns == STORE_NOT_KNOWN))
		return a->ended_ns == STORE_NOT_KNOWN ? 1 : -1;
	return (a->nr_events < b->nr_events) - (a->nr_events > b->nr_events);
}

static enum ct_status refuse_stranger(
	const struct store_reader *first, const struct store_reader *part, struct ct_error *reterr)
{
	enum ct_status status = store_part_refuse_empty(part, reterr);

	if (status)
		return status;
	if (memcmp(first->all.tables.run_id, part->all.tables.run_id,
		    sizeof(first->all.tables.run_id)) != 0)
		return ct_fail(reterr, CT_ERR_USAGE,
			"'%s' and '%s' are parts of different recordings", first->input->name,
			part->input->name);
	if (part->index.generations.at[0].number == 0)
		return ct_fail(reterr, CT_ERR_USAGE,
			"'%s' has no generations that could be joined with others",
			part->input->name);
	return CT_OK;
}

static enum ct_status add_part(struct joined *joined, const char *path, struct ct_error *reterr)
{
	struct store_reader *part = &joined->parts[joined->nr_parts++];
	enum ct_status status = store_part_open(part, path, false, reterr);
	size_t i;

	if (status == CT_OK)
		status = refuse_stranger(&joined->parts[0], part, reterr);
	if (status)
		return status;
	joined->is_packed = joined->is_packed || part->index.has_packed;
	for (i = 0; i < part->index.generations.count; i++) {
		struct row row = {part, &part->index.generations.at[i]};

		if (!vec_push(&joined->rows, row))
			return ct_fail_memory(reterr);
	}
	return CT_OK;
}

static void note_gap(struct ct_part *summary, const struct store_generation *one,
	const struct store_generation *next)
{
	if (next->number == one->number + 1)
		return;
	summary->nr_gaps++;
	summary->nr_missing += store_generation_gap(one, next);
}

/*
 * Returns whether two generations can be of one recording: the same generation begins at the same event in both, and a
 * later generation does not begin before the earlier one ends. A recording that was made again from its text has the
 * same name but other generations.
 */
static bool fit(const struct store_generation *one, const struct store_generation *next)
{
	if (one->began_ns == STORE_NOT_KNOWN || next->began_ns == STORE_NOT_KNOWN)
		return true;
	if (one->number == next->number)
		return one->began_ns == next->began_ns && one->nr_before == next->nr_before;
	return next->nr_before >= one->nr_before &&
	       next->nr_before - one->nr_before >= one->nr_events;
}

static enum ct_status refuse_unfit(
	const struct row *one, const struct row *next, struct ct_error *reterr)
{
	if (fit(one->generation, next->generation))
		return CT_OK;
	return ct_fail(reterr, CT_ERR_USAGE,
		"generation %u of '%s' and generation %u of '%s' overlap: they were not cut out of "
		"one file",
		one->generation->number, one->part->input->name, next->generation->number,
		next->part->input->name);
}

static uint32_t first_damaged(const struct joined *joined)
{
	size_t i;

	for (i = 0; i < joined->nr_parts; i++)
		if (joined->parts[i].all.tables.is_damaged)
			return (uint32_t)i + 1;
	return 0;
}

static enum ct_status join_rows(
	struct store_copy *copy, const struct joined *joined, struct ct_error *reterr)
{
	const struct row *last = NULL;
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; i < joined->rows.count && status == CT_OK; i++) {
		const struct row *row = &joined->rows.at[i];

		status = last ? refuse_unfit(last, row, reterr) : CT_OK;
		if (status)
			return status;
		if (last && last->generation->number == row->generation->number) {
			copy->summary.nr_twice++;
			continue;
		}
		if (last)
			note_gap(&copy->summary, last->generation, row->generation);
		status = store_copy_row(copy, row->part, row->generation, reterr);
		last = row;
	}
	if (status || !last->part->all.tables.is_cut)
		return status;
	return store_copy_cut(copy, last->part, last->generation, reterr);
}

static void release(struct joined *joined)
{
	size_t i;

	for (i = 0; i < joined->nr_parts; i++)
		store_reader_close(&joined->parts[i]);
	free(joined->parts);
	vec_fini(&joined->rows);
}

enum ct_status store_merge(const char *const *paths, size_t nr_paths, int pack_level,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr)
{
	struct joined joined = {.parts = calloc(nr_paths, sizeof(*joined.parts))};
	struct store_copy copy;
	enum ct_status status = joined.parts ? CT_OK : ct_fail_memory(reterr);
	size_t i;

	if (nr_paths == 0)
		status = ct_fail(reterr, CT_ERR_USAGE, "no parts to join");
	for (i = 0; i < nr_paths && status == CT_OK; i++)
		status = add_part(&joined, paths[i], reterr);
	if (status == CT_OK) {
		qsort(joined.rows.at, joined.rows.count, sizeof(*joined.rows.at), compare);
		status = store_copy_begin(&copy, output, pack_level, joined.is_packed, reterr);
	}
	if (status == CT_OK) {
		copy.summary.first_damaged = first_damaged(&joined);
		status = join_rows(&copy, &joined, reterr);
		status = store_copy_end(&copy, status, ret_part, reterr);
	}
	release(&joined);
	return status;
}
