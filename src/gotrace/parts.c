/* SPDX-License-Identifier: MIT */
/*
 * Steps from head to head and reads each by itself, so that even a very large file takes a moment.
 */
#include <stdlib.h>

#include "gotrace/generation_tables.h"
#include "gotrace/parts.h"
#include "gotrace/wire.h"

/* bytes read of a batch: its head, and the whole of a batch that holds the clocks */
#define HEAD_BYTES 256u
#define NS_PER_SECOND 1e9

struct scan {
	const struct input *input;
	struct gotrace_parts *parts;
	unsigned format;
	uint64_t offset;

	/* The generation that is being scanned. */
	uint64_t number; /* 0: none is */
	uint64_t begun;
	uint64_t least_time;
	uint64_t frequency;
	uint8_t bytes[HEAD_BYTES + GOTRACE_SLACK_BYTES];
};

void gotrace_parts_fini(struct gotrace_parts *parts)
{
	vec_fini(&parts->at);
}

/* Units of time in a second; 0: this batch does not say. */
static uint64_t frequency_in(
	const struct scan *scan, const struct gotrace_batch *batch, size_t nr_there)
{
	uint8_t kind = scan->format < GOTRACE_FORMAT_25 ? GOTRACE_FREQUENCY : GOTRACE_SYNC;
	struct gotrace_bytes bytes = {.at = batch->payload, .end = batch->payload + nr_there};

	if (batch->is_experimental || !nr_there || *bytes.at != kind)
		return 0;
	if (kind == GOTRACE_SYNC)
		bytes.at++;
	while (bytes.at < bytes.end && *bytes.at == GOTRACE_CLOCK_SNAPSHOT) {
		bytes.at++;
		gotrace_number(&bytes), gotrace_number(&bytes);
		gotrace_number(&bytes), gotrace_number(&bytes);
	}
	if (bytes.at >= bytes.end || *bytes.at++ != GOTRACE_FREQUENCY)
		return 0;
	return gotrace_number(&bytes);
}

/* A generation without a frequency is not complete. */
static enum ct_status end_part(struct scan *scan, struct ct_error *reterr)
{
	struct gotrace_part part = {
		.number = scan->number, .offset = scan->begun, .end = scan->offset};

	scan->number = 0;
	if (!scan->frequency)
		return ct_fail_at(reterr, CT_ERR_CORRUPT, part.offset,
			"generation %llu at offset %llu: it states no frequency of its clock",
			(unsigned long long)part.number, (unsigned long long)part.offset);
	part.time = gotrace_ns(scan->least_time, NS_PER_SECOND / (double)scan->frequency);
	return vec_push(&scan->parts->at, part) ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status take_batch(struct scan *scan, const struct gotrace_batch *batch,
	size_t nr_there, struct ct_error *reterr)
{
	bool is_marked = scan->format >= GOTRACE_FORMAT_26;
	enum ct_status status = CT_OK;
	uint64_t frequency;

	if (scan->number && batch->generation == scan->number + 1 && !is_marked)
		status = end_part(scan, reterr);
	if (status)
		return status;
	if (!batch->generation || (scan->number && batch->generation != scan->number))
		return ct_fail_at(reterr, CT_ERR_CORRUPT, batch->offset,
			"batch at offset %llu: it is of generation %llu, behind generation %llu",
			(unsigned long long)batch->offset, (unsigned long long)batch->generation,
			(unsigned long long)scan->number);
	if (!scan->number) {
		scan->number = batch->generation;
		scan->begun = batch->offset;
		scan->least_time = UINT64_MAX;
		scan->frequency = 0;
	}
	frequency = frequency_in(scan, batch, nr_there);
	if (frequency)
		scan->frequency = frequency;
	if (batch->time < scan->least_time)
		scan->least_time = batch->time;
	return CT_OK;
}

/* Steps over the next batch or marker. CT_END: the file ends here. */
static enum ct_status step(struct scan *scan, struct ct_error *reterr)
{
	struct gotrace_batch batch;
	size_t nr_bytes, nr_head, nr_there;
	enum ct_status status =
		input_read(scan->input, scan->offset, scan->bytes, HEAD_BYTES, &nr_bytes, reterr);

	if (status || !nr_bytes)
		return status ? status : CT_END;
	memset(scan->bytes + nr_bytes, 0, GOTRACE_SLACK_BYTES);
	if (*scan->bytes == GOTRACE_END_OF_GENERATION && scan->format >= GOTRACE_FORMAT_26 &&
		scan->number) {
		scan->offset++;
		return end_part(scan, reterr);
	}
	status = gotrace_batch_read(scan->bytes, nr_bytes, scan->offset, &batch, reterr);
	if (status < 0)
		return status;
	nr_head = status ? 0 : (size_t)(batch.payload - scan->bytes);
	if (status || scan->offset + nr_head + batch.nr_bytes > scan->input->nr_bytes)
		return ct_fail_at(reterr, CT_ERR_CORRUPT, scan->offset,
			"the file ends within the batch at offset %llu",
			(unsigned long long)scan->offset);
	nr_there = nr_bytes - nr_head < batch.nr_bytes ? nr_bytes - nr_head : batch.nr_bytes;
	status = take_batch(scan, &batch, nr_there, reterr);
	scan->offset += nr_head + batch.nr_bytes;
	return status;
}

static enum ct_status finish(struct scan *scan, struct ct_error *reterr)
{
	if (!scan->number)
		return CT_OK;
	if (scan->format < GOTRACE_FORMAT_26 && scan->frequency)
		return end_part(scan, reterr);
	scan->parts->is_unstopped = true;
	return ct_fail_at(reterr, CT_ERR_CORRUPT, scan->begun, GOTRACE_UNSTOPPED,
		(unsigned long long)scan->number, (unsigned long long)scan->begun);
}

enum ct_status gotrace_parts_find(
	const struct input *input, struct gotrace_parts *parts, struct ct_error *reterr)
{
	struct scan scan = {.input = input, .parts = parts, .offset = GOTRACE_HEADER_BYTES};
	struct ct_error failure = {0};
	size_t nr_bytes;
	enum ct_status status =
		input_read(input, 0, scan.bytes, GOTRACE_HEADER_BYTES, &nr_bytes, reterr);

	*parts = (struct gotrace_parts){0};
	if (status == CT_OK)
		status = gotrace_header_read(scan.bytes, nr_bytes, &scan.format, reterr);
	if (status)
		return status;
	while (status == CT_OK)
		status = step(&scan, &failure);
	if (status == CT_END)
		status = finish(&scan, &failure);
	if (status == CT_ERR_CORRUPT) {
		parts->failure = failure;
		return CT_OK;
	}
	if (status && reterr)
		*reterr = failure;
	return status;
}
