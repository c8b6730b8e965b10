/* SPDX-License-Identifier: MIT */
/*
 * Definitions by number.
 */
#include "stream/directory.h"

static bool note_segment(struct directory *directory, const struct ct_define_segment *from)
{
	if (!vec_reach(&directory->segments, from->segment))
		return false;
	directory->segments.at[from->segment] = (struct directory_segment){
		.process = from->process,
		.clock = from->clock < DIRECTORY_CLOCKS ? from->clock : CTP_CLOCK_NONE,
	};
	return true;
}

static bool note_stream(struct directory *directory, const struct ct_define_stream *from)
{
	if (from->segment >= directory->segments.count)
		return true;
	if (!vec_reach(&directory->segment_of, from->stream))
		return false;
	directory->segment_of.at[from->stream] = from->segment;
	return true;
}

static bool note_clock(struct directory *directory, const struct ct_define_clock *from)
{
	if (from->clock != CTP_CLOCK_COUNTER && from->clock != CTP_CLOCK_COARSE)
		return true;
	return timeline_add(&directory->timelines[from->clock], from->raw, from->monotonic_ns,
		from->uncertainty_ns);
}

bool directory_note(struct directory *directory, const struct ct_definition *definition)
{
	switch (definition->type) {
	case CT_DEFINE_SEGMENT:
		return note_segment(directory, &definition->segment);
	case CT_DEFINE_STREAM:
		return note_stream(directory, &definition->stream);
	case CT_DEFINE_CLOCK:
		return note_clock(directory, &definition->clock);
	default:
		return true;
	}
}

void directory_fini(struct directory *directory)
{
	size_t i;

	for (i = 0; i < DIRECTORY_CLOCKS; i++)
		timeline_fini(&directory->timelines[i]);
	vec_fini(&directory->segments);
	vec_fini(&directory->segment_of);
}

uint64_t directory_ns(const struct directory *directory, uint32_t clock, uint64_t raw)
{
	size_t hint = 0;

	return (uint64_t)timeline_ns(&directory->timelines[clock], raw, &hint);
}
