/* SPDX-License-Identifier: MIT */
/*
 * Makes a whole file from what a crash left of a trace: every whole block, a loss and notes for what is missing, and an
 * end.
 */
#include <stdio.h>

#include "store/part.h"

#define DEFINITIONS 5

/* Definitions that are added to the recovered file. */
struct ending {
	struct ct_definition definitions[DEFINITIONS];
	size_t count;
	char sentence[160];
};

static void add(struct ending *ending, struct ct_definition definition)
{
	ending->definitions[ending->count++] = definition;
}

static void add_note(struct ending *ending, const char *text, uint64_t count, uint64_t offset)
{
	add(ending, (struct ct_definition){.type = CT_DEFINE_NOTE,
			    .note = {.text = text, .count = count, .offset = offset}});
}

static uint64_t to_monotonic(const struct store_reader *part, ct_time time)
{
	return time == CT_NO_TIME ? STORE_NOT_KNOWN
				  : (uint64_t)time + (uint64_t)part->all.tables.epoch_monotonic_ns;
}

static void note_holes(struct ending *ending, const struct store_index *index)
{
	uint64_t count = 0, offset = 0;
	size_t i;

	for (i = 0; i < index->holes.count; i++) {
		if (!index->holes.at[i].is_twice && count++ == 0)
			offset = index->holes.at[i].offset;
	}
	snprintf(ending->sentence, sizeof(ending->sentence),
		"the file was recovered: %llu bytes of it held no whole block",
		(unsigned long long)index->nr_hole_bytes);
	if (count)
		add_note(ending, ending->sentence, count, offset);
}

static void add_damage(struct ending *ending, const struct store_reader *part)
{
	const struct store_index *index = &part->index;
	struct ct_definition loss = {.type = CT_DEFINE_LOSS};

	note_holes(ending, index);
	loss.loss = (struct ct_define_loss){
		.reason = CTP_LOSS_CORRUPT,
		.count = index->damage.count,
		.first_monotonic_ns = to_monotonic(part, index->damage.first),
		.last_monotonic_ns = to_monotonic(part, index->damage.last),
	};
	if (index->damage.count)
		add(ending, loss);
}

static void add_end(struct ending *ending, const struct store_reader *part)
{
	const struct ct_tables *tables = &part->all.tables;
	struct ct_definition end = {.type = CT_DEFINE_END};
	struct ct_definition loss = {.type = CT_DEFINE_LOSS};

	if (tables->is_complete)
		return;
	add_note(ending,
		"the file was recovered: its end was missing, since it was cut or who wrote it "
		"died",
		1, part->index.end_of_whole);
	/* Events after the last heartbeat may be missing, and this END must not say otherwise. */
	loss.loss = (struct ct_define_loss){
		.reason = CTP_LOSS_OPEN_END,
		.count = 1,
		.first_monotonic_ns = to_monotonic(part, store_open_from(&part->all)),
		.last_monotonic_ns = STORE_NOT_KNOWN,
	};
	add(ending, loss);
	end.end = (struct ct_define_end){
		.monotonic_ns = to_monotonic(part, tables->observed_until),
		.nr_events = tables->nr_before + tables->nr_events + part->index.damage.count,
		.nr_lost = part->index.damage.count,
	};
	add(ending, end);
}

static enum ct_status copy_all(
	struct store_copy *copy, struct store_reader *part, struct ct_error *reterr)
{
	struct ending ending = {.count = 0};
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; i < part->index.generations.count && status == CT_OK; i++)
		status = store_copy_row(copy, part, &part->index.generations.at[i], reterr);
	add_damage(&ending, part);
	add_end(&ending, part);
	if (status == CT_OK && ending.count)
		status = store_output_definitions(
			copy->output, ending.definitions, ending.count, reterr);
	if (status == CT_OK && part->all.tables.is_cut)
		status = store_copy_cut(copy, part,
			&part->index.generations.at[part->index.generations.count - 1], reterr);
	copy->summary.nr_missing = part->index.damage.count;
	copy->summary.nr_damaged_bytes = part->index.nr_hole_bytes;
	copy->summary.nr_cut_bytes = part->input->nr_bytes - part->index.end_of_whole;
	copy->summary.had_end = part->all.tables.is_complete;
	return status;
}

enum ct_status store_recover(const char *path, int pack_level, const char *output,
	struct ct_part *ret_part, struct ct_error *reterr)
{
	struct store_reader part;
	struct store_copy copy;
	enum ct_status status = store_part_open(&part, path, true, reterr);

	if (status == CT_OK)
		status = store_part_refuse_empty(&part, reterr);
	if (status == CT_OK)
		status = store_copy_begin(&copy, output, pack_level, part.index.has_packed, reterr);
	if (status == CT_OK) {
		status = copy_all(&copy, &part, reterr);
		status = store_copy_end(&copy, status, ret_part, reterr);
	}
	store_reader_close(&part);
	return status;
}
