/* SPDX-License-Identifier: MIT */
/* Takes the records of a perf ring apart. */
#include "kernel/perf_records.h"

#include <linux/perf_event.h>
#include <string.h>

/* A record ends anywhere in the ring, and may go on at its beginning. */
struct reader {
	const struct perf_bytes *bytes;
	uint64_t at;
	uint64_t end;
};

static bool read_bytes(struct reader *reader, void *to, size_t size)
{
	uint64_t from = reader->at & (reader->bytes->size - 1);
	uint64_t first = reader->bytes->size - from;

	if (reader->end - reader->at < size)
		return false;
	if (first > size)
		first = size;
	memcpy(to, reader->bytes->at + from, first);
	memcpy((uint8_t *)to + first, reader->bytes->at, size - first);
	reader->at += size;
	return true;
}

static bool read_thread_and_time(struct reader *reader, struct perf_record *record)
{
	uint32_t ids[2];

	if (!read_bytes(reader, ids, sizeof(ids)) ||
		!read_bytes(reader, &record->time, sizeof(record->time)))
		return false;
	record->tid = ids[1];
	return true;
}

/* Markers between the addresses say whose addresses follow; those of the program alone are asked for. */
static bool is_marker(uint64_t address)
{
	return address >= PERF_CONTEXT_MAX;
}

static bool read_calls(struct reader *reader, struct perf_record *record)
{
	uint64_t count, address;

	if (!read_bytes(reader, &count, sizeof(count)) ||
		count > (reader->end - reader->at) / sizeof(address))
		return false;
	while (count-- > 0) {
		if (!read_bytes(reader, &address, sizeof(address)))
			return false;
		if (!is_marker(address) && address && record->nr_calls < PERF_CALLS)
			record->calls[record->nr_calls++] = address;
	}
	return true;
}

static bool read_sample(struct reader *reader, uint16_t misc, struct perf_record *record)
{
	uint64_t period;

	record->is_in_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	if (!read_thread_and_time(reader, record) ||
		!read_bytes(reader, &record->address, sizeof(record->address)) ||
		!read_bytes(reader, &period, sizeof(period)))
		return false;
	record->kind = period != 1 ? PERF_SAMPLE : record->address ? PERF_FAULT : PERF_STACK;
	return read_calls(reader, record);
}

static bool read_switch(struct reader *reader, uint16_t misc, struct perf_record *record)
{
	record->kind = misc & PERF_RECORD_MISC_SWITCH_OUT ? PERF_SWITCH_OUT : PERF_SWITCH_IN;
	record->is_preempted =
		record->kind == PERF_SWITCH_OUT && misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	return read_thread_and_time(reader, record);
}

static bool read_lost(struct reader *reader, struct perf_record *record)
{
	uint64_t event;

	record->kind = PERF_LOST;
	return read_bytes(reader, &event, sizeof(event)) &&
	       read_bytes(reader, &record->count, sizeof(record->count)) &&
	       read_thread_and_time(reader, record);
}

enum outcome {
	OF_NO_INTEREST,
	READ,
	SENSELESS,
};

static enum outcome read_record(
	struct reader *reader, const struct perf_event_header *header, struct perf_record *record)
{
	record->nr_calls = 0;
	record->count = record->address = 0;
	record->is_preempted = record->is_in_kernel = false;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return read_sample(reader, header->misc, record) ? READ : SENSELESS;
	case PERF_RECORD_SWITCH:
		return read_switch(reader, header->misc, record) ? READ : SENSELESS;
	case PERF_RECORD_LOST:
		return read_lost(reader, record) ? READ : SENSELESS;
	default:
		return OF_NO_INTEREST;
	}
}

bool perf_records_next(const struct perf_bytes *bytes, uint64_t *position, uint64_t end,
	struct perf_record *ret_record, bool *ret_is_corrupt)
{
	enum outcome outcome = OF_NO_INTEREST;

	*ret_is_corrupt = false;
	while (outcome == OF_NO_INTEREST && *position < end) {
		struct reader reader = {bytes, *position, end};
		struct perf_event_header header;

		if (end - *position > bytes->size ||
			!read_bytes(&reader, &header, sizeof(header)) ||
			header.size < sizeof(header) || header.size > end - *position) {
			outcome = SENSELESS;
			break;
		}
		reader.end = *position + header.size;
		outcome = read_record(&reader, &header, ret_record);
		*position = reader.end;
	}
	if (outcome != SENSELESS)
		return outcome == READ;
	*position = end;
	*ret_is_corrupt = true;
	return false;
}
