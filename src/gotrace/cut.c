/* SPDX-License-Identifier: MIT */
/*
 * A generation from the middle of a trace looks like the first one of a flight recorder: every ongoing state is
 * restated in it.
 */
#include "base/io.h"
#include "gotrace/cut.h"
#include "gotrace/parts.h"
#include "gotrace/source.h"
#include "gotrace/wire.h"

#define PIECE_BYTES 65536u

struct cut {
	const struct input *input;
	struct gotrace_parts parts;
	const struct gotrace_part *first;
	const struct gotrace_part *last;
	struct io_output output;
};

/* The start of a generation, in time since the trace began. */
static ct_time time_of(const struct cut *cut, size_t at)
{
	return cut->parts.at.at[at].time - cut->parts.at.at[0].time;
}

/* Chooses the generations that touch the interval. The end of the trace's last generation is not known here. */
static enum ct_status choose(struct cut *cut, ct_time from, ct_time to, struct ct_error *reterr)
{
	size_t first = 0, last = cut->parts.at.count;

	if (!last && cut->parts.failure.status) {
		if (reterr)
			*reterr = cut->parts.failure;
		return cut->parts.failure.status;
	}
	if (!last)
		return ct_fail(reterr, CT_ERR_CORRUPT, "it has no generation");
	if (from > to)
		return ct_fail(reterr, CT_ERR_USAGE, "the interval ends before it begins");
	while (first + 1 < last && time_of(cut, first + 1) <= from)
		first++;
	while (last > first && time_of(cut, last - 1) > to)
		last--;
	if (first == last)
		return ct_fail(reterr, CT_ERR_USAGE,
			"it holds nothing of that time, which lies before it");
	cut->first = &cut->parts.at.at[first];
	cut->last = &cut->parts.at.at[last - 1];
	return CT_OK;
}

static enum ct_status copy(struct cut *cut, uint64_t offset, uint64_t end, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	uint8_t piece[PIECE_BYTES];
	size_t nr_bytes;

	while (status == CT_OK && offset < end) {
		nr_bytes = end - offset < PIECE_BYTES ? (size_t)(end - offset) : PIECE_BYTES;
		status = input_read(cut->input, offset, piece, nr_bytes, &nr_bytes, reterr);
		if (status == CT_OK && !nr_bytes)
			return ct_fail(reterr, CT_ERR_CORRUPT, "it became shorter meanwhile");
		if (status == CT_OK)
			status = io_output_write(&cut->output, piece, nr_bytes, reterr);
		offset += nr_bytes;
	}
	return status;
}

/* The events that a reader finds in the part. */
/* Are there bytes behind the last complete generation, although no process writes the file any more? */
static bool is_damaged(const struct cut *cut)
{
	return cut->parts.failure.status && !cut->parts.is_unstopped &&
	       !input_is_written(cut->input);
}

static enum ct_status count(
	struct cut *cut, ct_time from, struct ct_part *ret_part, struct ct_error *reterr)
{
	ct_time begun = cut->first->time - cut->parts.at.at[0].time;
	struct ct_source *source;
	struct input *again;
	enum ct_status status = input_again(cut->input, &again, reterr);

	if (status == CT_OK)
		status = gotrace_source_open_part(
			again, cut->first->offset, cut->last->end, &source, reterr);
	if (status)
		return status;
	*ret_part = (struct ct_part){
		.first_generation = (uint32_t)cut->first->number,
		.last_generation = (uint32_t)cut->last->number,
		.nr_generations = (uint64_t)(cut->last - cut->first) + 1,
		.from = begun,
		.until = begun + source->tables->observed_until,
		.nr_events = source->tables->nr_events,
		.nr_bytes = GOTRACE_HEADER_BYTES + cut->last->end - cut->first->offset,
		.is_cut = cut->last->end < cut->input->nr_bytes,
		.first_damaged = is_damaged(cut),
	};
	source_close(source);
	if (from > ret_part->until)
		return ct_fail(reterr, CT_ERR_USAGE,
			"it holds nothing of that time: it was observed until %.3f s",
			(double)ret_part->until / 1e9);
	return CT_OK;
}

static enum ct_status write_part(struct cut *cut, const char *output, struct ct_error *reterr)
{
	enum ct_status status = io_output_open(&cut->output, output, reterr);

	if (status)
		return status;
	status = copy(cut, 0, GOTRACE_HEADER_BYTES, reterr);
	if (status == CT_OK)
		status = copy(cut, cut->first->offset, cut->last->end, reterr);
	return io_output_end(&cut->output, status, reterr);
}

enum ct_status gotrace_cut(const struct input *input, ct_time from, ct_time to, const char *output,
	struct ct_part *ret_part, struct ct_error *reterr)
{
	struct cut cut = {.input = input};
	enum ct_status status = gotrace_parts_find(input, &cut.parts, reterr);

	if (status == CT_OK)
		status = choose(&cut, from, to, reterr);
	if (status == CT_OK)
		status = count(&cut, from, ret_part, reterr);
	if (status)
		input_fail(input, status, reterr);
	else
		status = write_part(&cut, output, reterr);
	gotrace_parts_fini(&cut.parts);
	return status;
}
