/* SPDX-License-Identifier: MIT */
/* Opening and copying sequences of generations. */
#include <string.h>

#include "store/definitions.h"
#include "store/part.h"

/* ---------------------------------------------------------------- opening */

enum ct_status store_part_open(
	struct store_reader *part, const char *path, bool is_thorough, struct ct_error *reterr)
{
	const struct store_scan_wish wish = {.is_thorough = is_thorough};
	enum ct_status status;

	memset(part, 0, sizeof(*part));
	status = input_open(path, &part->input, reterr);
	if (status)
		return status;
	status = store_reader_scan(part, &wish, reterr);
	return status ? input_fail(part->input, status, reterr) : CT_OK;
}

enum ct_status store_part_refuse_empty(const struct store_reader *part, struct ct_error *reterr)
{
	if (part->index.generations.count)
		return CT_OK;
	return ct_fail(reterr, CT_ERR_FORMAT, "'%s' holds no whole block", part->input->name);
}

/* ---------------------------------------------------------------- copying */

enum ct_status store_copy_begin(struct store_copy *copy, const char *path, int pack_level,
	bool is_packed, struct ct_error *reterr)
{
	enum ct_status status;

	*copy = (struct store_copy){.summary = {.from = CT_NO_TIME, .until = CT_NO_TIME}};
	status = store_file_open(path, false, &copy->output, reterr);
	if (status)
		return status;
	copy->output->has_packed = is_packed;
	if (pack_level)
		status = store_packer_new(pack_level, &copy->output->packer, reterr);
	if (status == CT_OK)
		status = store_output_start(copy->output, reterr);
	if (status) {
		store_output_close(copy->output, false, NULL);
		copy->output = NULL;
	}
	return status;
}

enum ct_status store_copy_end(struct store_copy *copy, enum ct_status status,
	struct ct_part *ret_part, struct ct_error *reterr)
{
	enum ct_status closed;

	copy->summary.nr_bytes = copy->output->written.nr_bytes;
	closed = store_output_close(copy->output, status == CT_OK, status ? NULL : reterr);
	if (status == CT_OK && closed == CT_OK)
		*ret_part = copy->summary;
	return status ? status : closed;
}

/* Returns whether the block says that a part ends here. Such a definition has a block of its own. */
static bool is_cut_end(
	struct store_reader *part, const struct store_block_header *header, const uint8_t *payload)
{
	struct store_bytes bytes;
	struct ct_definition definition;

	if (header->type != STORE_BLOCK_DEFINITIONS ||
		store_block_unpack(&part->index, header, &payload, NULL))
		return false;
	bytes = (struct store_bytes){payload, payload + header->raw_bytes, false};
	return store_definition_take(&bytes, &part->all.arena, &definition) == CT_OK &&
	       definition.type == CT_DEFINE_END && definition.end.is_cut &&
	       store_bytes_left(&bytes) == 0;
}

/*
 * Damage, or a gap in the block numbers, becomes a gap in the copy's numbers, too (F-63): a reader of the copy then
 * takes names from the repeated definitions.
 */
static void keep_gap(struct store_copy *copy, const struct store_reader *part, uint64_t number,
	bool is_behind_hole)
{
	if (is_behind_hole || (copy->from == part && number != copy->next_number))
		copy->output->written.nr_blocks++;
	copy->from = part;
	copy->next_number = number + 1;
}

/* Only blocks that are not packed are packed: another level is not worth unpacking for. */
static enum ct_status copy_block(struct store_copy *copy, struct store_reader *part,
	const struct store_block_header *header, const uint8_t *payload, struct ct_error *reterr)
{
	if (is_cut_end(part, header, payload))
		return CT_OK;
	return store_output_copy(copy->output, header, payload, reterr);
}

/* Returns the damage to skip from this offset on; NULL: a block begins here. */
static const struct store_hole *hole_at(const struct store_index *index, uint64_t offset)
{
	size_t at = vec_count_while(index->holes.count, i, index->holes.at[i].offset < offset);

	return at < index->holes.count && index->holes.at[at].offset == offset
		       ? &index->holes.at[at]
		       : NULL;
}

static void sum_up(struct store_copy *copy, const struct store_reader *part,
	const struct store_generation *generation)
{
	struct ct_part *summary = &copy->summary;

	if (summary->nr_generations++ == 0) {
		summary->first_generation = generation->number;
		summary->nr_before = generation->nr_before;
		summary->from = generation->began_ns == STORE_NOT_KNOWN
					? part->all.tables.observed_from
					: store_since_epoch(&part->all, generation->began_ns);
	}
	summary->last_generation = generation->number;
	summary->nr_events += generation->nr_events;
	summary->until = generation->ended_ns == STORE_NOT_KNOWN
				 ? part->all.tables.observed_until
				 : store_since_epoch(&part->all, generation->ended_ns);
}

enum ct_status store_copy_row(struct store_copy *copy, struct store_reader *part,
	const struct store_generation *generation, struct ct_error *reterr)
{
	struct store_block_header header;
	uint64_t offset = generation->offset;
	const uint8_t *payload;
	bool is_behind_hole = generation->begins_torn;
	enum ct_status status;

	copy->output->generation = generation->number;
	while (offset < generation->end) {
		const struct store_hole *hole = hole_at(&part->index, offset);

		if (hole) {
			is_behind_hole |= !hole->is_twice;
			offset += hole->nr_bytes;
			continue;
		}
		status = store_block_check(part->input, offset, &header, &payload, reterr);
		if (status == CT_ERR_CORRUPT || status == CT_END)
			return ct_fail_at(reterr, CT_ERR_CORRUPT, offset,
				"'%s' was changed while it was read", part->input->name);
		if (status)
			return input_fail(part->input, status, reterr);
		keep_gap(copy, part, header.number, is_behind_hole);
		is_behind_hole = false;
		status = copy_block(copy, part, &header, payload, reterr);
		if (status)
			return status;
		offset += sizeof(header) + header.payload_bytes;
	}
	sum_up(copy, part, generation);
	return CT_OK;
}

enum ct_status store_copy_cut(struct store_copy *copy, const struct store_reader *part,
	const struct store_generation *last, struct ct_error *reterr)
{
	uint64_t ended =
		last->ended_ns == STORE_NOT_KNOWN ? part->all.last_heartbeat_ns : last->ended_ns;
	struct ct_definition end = {.type = CT_DEFINE_END};

	end.end = (struct ct_define_end){
		.monotonic_ns = ended,
		.nr_events = last->nr_before + store_generation_events(last),
		.nr_lost = last->nr_lost_before + last->nr_lost,
		.is_cut = true,
	};
	copy->summary.is_cut = true;
	return store_output_definitions(copy->output, &end, 1, reterr);
}
