/* SPDX-License-Identifier: MIT */
/*
 * Turns batches of strings, stacks and samples into tables. The memory is bounded by the bytes of the batches.
 */
#include <stdarg.h>
#include <stdio.h>

#include "gotrace/generation_tables.h"

/* Id 0 is reserved: the empty string, or no stack. */
static bool has_id(const struct gotrace_ids *ids, uint64_t id)
{
	uint32_t index;

	return gotrace_tables_find(ids, id, &index);
}

/* ---------------------------------------------------------------- batches */

/* A batch that is being decoded, for error messages. */
struct section {
	const struct gotrace_batch *batch;
	struct gotrace_bytes bytes;
	struct ct_error *reterr;
};

__attribute__((format(printf, 2, 3), cold)) static enum ct_status refuse(
	const struct section *section, const char *format, ...)
{
	uint64_t offset = section->batch->offset;
	char text[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ct_fail_at(section->reterr, CT_ERR_CORRUPT, offset,
		"batch at offset %llu (generation %llu): %s", (unsigned long long)offset,
		(unsigned long long)section->batch->generation, text);
}

static enum ct_status add_string(struct gotrace_tables *tables, struct section *section)
{
	uint64_t id = gotrace_number(&section->bytes);
	uint64_t nr_bytes = gotrace_number(&section->bytes);
	struct gotrace_string string = {.at = (const char *)section->bytes.at};

	if (!gotrace_bytes_were_whole(&section->bytes) ||
		nr_bytes > (uint64_t)(section->bytes.end - section->bytes.at))
		return refuse(section, "string %llu goes beyond the batch", (unsigned long long)id);
	if (nr_bytes > GOTRACE_STRING_MAX)
		return refuse(section, "string %llu has %llu bytes, and none has more than %u",
			(unsigned long long)id, (unsigned long long)nr_bytes, GOTRACE_STRING_MAX);
	if (has_id(&tables->string_ids, id))
		return refuse(section, "string %llu is defined twice", (unsigned long long)id);
	string.nr_bytes = (uint32_t)nr_bytes;
	section->bytes.at += nr_bytes;
	if (!gotrace_ids_put(&tables->string_ids, id, (uint32_t)tables->strings.count) ||
		!vec_push(&tables->strings, string))
		return ct_fail_memory(section->reterr);
	return CT_OK;
}

/* Only the first description of an address counts. */
static bool add_frame(struct gotrace_tables *tables, const struct gotrace_frame *frame)
{
	uint32_t index;

	if (!map_get(&tables->frame_of, frame->address, &index)) {
		index = (uint32_t)tables->frames.count;
		if (!map_put(&tables->frame_of, frame->address, index) ||
			!vec_push(&tables->frames, *frame))
			return false;
	}
	return vec_push(&tables->stack_frames, index);
}

static enum ct_status add_frames(
	struct gotrace_tables *tables, struct section *section, uint64_t id, uint64_t nr_frames)
{
	uint64_t i;

	for (i = 0; i < nr_frames; i++) {
		struct gotrace_frame frame = {.address = gotrace_number(&section->bytes)};

		frame.function = gotrace_number(&section->bytes);
		frame.file = gotrace_number(&section->bytes);
		frame.line = gotrace_number(&section->bytes);
		if (!gotrace_bytes_were_whole(&section->bytes))
			return refuse(section, "stack %llu goes beyond the batch",
				(unsigned long long)id);
		if (!add_frame(tables, &frame))
			return ct_fail_memory(section->reterr);
	}
	return CT_OK;
}

static enum ct_status add_stack(struct gotrace_tables *tables, struct section *section)
{
	uint64_t id = gotrace_number(&section->bytes);
	uint64_t nr_frames = gotrace_number(&section->bytes);
	struct gotrace_stack stack = {.first = (uint32_t)tables->stack_frames.count};

	if (nr_frames > GOTRACE_FRAMES_MAX)
		return refuse(section, "stack %llu has %llu frames, and none has more than %u",
			(unsigned long long)id, (unsigned long long)nr_frames, GOTRACE_FRAMES_MAX);
	if (has_id(&tables->stack_ids, id))
		return refuse(section, "stack %llu is defined twice", (unsigned long long)id);
	stack.nr_frames = (uint32_t)nr_frames;
	if (!gotrace_ids_put(&tables->stack_ids, id, (uint32_t)tables->stacks.count) ||
		!vec_push(&tables->stacks, stack))
		return ct_fail_memory(section->reterr);
	return add_frames(tables, section, id, nr_frames);
}

static enum ct_status add_sample(struct gotrace_tables *tables, struct section *section)
{
	struct gotrace_sample sample = {.time = gotrace_number(&section->bytes)};

	sample.thread = gotrace_number(&section->bytes);
	sample.proc = gotrace_number(&section->bytes);
	sample.goroutine = gotrace_number(&section->bytes);
	sample.stack = gotrace_number(&section->bytes);
	if (!gotrace_bytes_were_whole(&section->bytes))
		return refuse(section, "a sample of the processor goes beyond it");
	if (!sample.goroutine)
		sample.goroutine = GOTRACE_NONE;
	return vec_push(&tables->samples, sample) ? CT_OK : ct_fail_memory(section->reterr);
}

enum ct_status gotrace_tables_add(
	struct gotrace_tables *tables, const struct gotrace_batch *batch, struct ct_error *reterr)
{
	const uint8_t *end = batch->payload + batch->nr_bytes;
	struct section section = {batch, {batch->payload + 1, end, false}, reterr};
	uint8_t wanted = (uint8_t)(*batch->payload + 1);
	enum ct_status status = CT_OK;

	while (status == CT_OK && section.bytes.at < end) {
		uint8_t type = *section.bytes.at++;

		if (type != wanted)
			return refuse(&section, "an entry of type %u among those of type %u", type,
				wanted);
		if (type == GOTRACE_STRING)
			status = add_string(tables, &section);
		else if (type == GOTRACE_STACK)
			status = add_stack(tables, &section);
		else
			status = add_sample(tables, &section);
	}
	return status;
}

/* ----------------------------------------------------------------- finish */

static enum ct_status find_strings(struct gotrace_tables *tables, struct ct_error *reterr)
{
	size_t i;

	for (i = 0; i < tables->frames.count; i++) {
		struct gotrace_frame *frame = &tables->frames.at[i];
		uint32_t function, file;

		if (!gotrace_tables_find(&tables->string_ids, frame->function, &function))
			return ct_fail(reterr, CT_ERR_CORRUPT,
				"the stack frame at 0x%llx names string %llu, which is not there",
				(unsigned long long)frame->address,
				(unsigned long long)frame->function);
		if (!gotrace_tables_find(&tables->string_ids, frame->file, &file))
			return ct_fail(reterr, CT_ERR_CORRUPT,
				"the stack frame at 0x%llx names string %llu, which is not there",
				(unsigned long long)frame->address,
				(unsigned long long)frame->file);
		frame->function = function;
		frame->file = file;
	}
	return CT_OK;
}

static int compare_samples(const void *left, const void *right)
{
	const struct gotrace_sample *a = left, *b = right;

	return a->time < b->time ? -1 : a->time > b->time;
}

enum ct_status gotrace_tables_finish(
	struct gotrace_tables *tables, double ns_per_unit, struct ct_error *reterr)
{
	enum ct_status status = find_strings(tables, reterr);
	size_t i;

	if (status)
		return status;
	for (i = 0; i < tables->samples.count; i++)
		tables->samples.at[i].time =
			(uint64_t)gotrace_ns(tables->samples.at[i].time, ns_per_unit);
	if (tables->samples.count)
		qsort(tables->samples.at, tables->samples.count, sizeof(*tables->samples.at),
			compare_samples);
	return CT_OK;
}

bool gotrace_tables_clear(struct gotrace_tables *tables)
{
	gotrace_ids_clear(&tables->string_ids);
	gotrace_ids_clear(&tables->stack_ids);
	map_fini(&tables->frame_of);
	tables->stack_frames.count = tables->frames.count = tables->samples.count = 0;
	tables->strings.count = tables->stacks.count = 0;
	return vec_push(&tables->strings, (struct gotrace_string){.at = ""}) &&
	       vec_push(&tables->stacks, (struct gotrace_stack){0});
}

void gotrace_tables_fini(struct gotrace_tables *tables)
{
	gotrace_ids_fini(&tables->string_ids);
	gotrace_ids_fini(&tables->stack_ids);
	map_fini(&tables->frame_of);
	vec_fini(&tables->strings);
	vec_fini(&tables->stacks);
	vec_fini(&tables->stack_frames);
	vec_fini(&tables->frames);
	vec_fini(&tables->samples);
}
