/* SPDX-License-Identifier: MIT */
/*
 * Numbers, headers and batches of the wire format.
 */
#include "gotrace/wire.h"

#define NUMBER_BYTES_MAX 10u

const uint8_t gotrace_type_numbers[256] = {
#define X(name, number, since, text, rule, nr_arguments, arguments) [number] = 1 + (nr_arguments),
#include "gotrace/wire.def"
#undef X
};

const char *gotrace_type_name(unsigned type)
{
	switch (type) {
#define X(name, number, since, text, rule, nr_arguments, arguments) \
	case number:                                                \
		return text;
#include "gotrace/wire.def"
#undef X
	default:
		return "unknown";
	}
}

const uint8_t *gotrace_number_long(const uint8_t *at, uint64_t *ret_number, bool *is_broken)
{
	uint64_t value = 0;
	unsigned i;

	for (i = 0; i < NUMBER_BYTES_MAX; i++) {
		value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
		if (at[i] < 0x80) {
			*is_broken |= i == NUMBER_BYTES_MAX - 1 && at[i] > 1;
			*ret_number = value;
			return at + i + 1;
		}
	}
	*is_broken = true;
	*ret_number = 0;
	return at + 1;
}

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* The format of bytes that begin like a Go trace, up to the format's number; 0: they begin otherwise. */
static unsigned format_of(const uint8_t *bytes, size_t nr_bytes)
{
	static const uint8_t behind[] = {' ', 't', 'r', 'a', 'c', 'e', 0, 0, 0};

	if (nr_bytes < GOTRACE_HEADER_BYTES || memcmp(bytes, "go 1.", 5) != 0)
		return 0;
	if (is_digit(bytes[5]) && memcmp(bytes + 6, behind, sizeof(behind)) == 0)
		return bytes[5] - '0' + 0u;
	if (!is_digit(bytes[5]) || !is_digit(bytes[6]) ||
		memcmp(bytes + 7, behind, sizeof(behind)) != 0)
		return 0;
	return (bytes[5] - '0') * 10u + (bytes[6] - '0');
}

bool gotrace_header_is_ours(const void *bytes, size_t nr_bytes)
{
	return format_of(bytes, nr_bytes);
}

enum ct_status gotrace_header_read(
	const uint8_t *bytes, size_t nr_bytes, unsigned *ret_format, struct ct_error *reterr)
{
	unsigned format = format_of(bytes, nr_bytes);

	if (!format)
		return ct_fail_at(reterr, CT_ERR_FORMAT, 0, "this is no execution trace of Go");
	if (format < GOTRACE_FORMAT_22)
		return ct_fail_at(reterr, CT_ERR_FORMAT, 0,
			"this trace has the format of Go 1.%u, which is older than Go 1.22: build "
			"the program with Go "
			"1.22 or newer, and record it again",
			format);
	if (format == 24 || format > GOTRACE_FORMAT_26)
		return ct_fail_at(reterr, CT_ERR_FORMAT, 0,
			"this trace has the format of Go 1.%u, which this version cannot read: it "
			"knows those of Go "
			"1.22, 1.23, 1.25 and 1.26",
			format);
	*ret_format = format;
	return CT_OK;
}

/* Reads the numbers of a batch's head. An error says which number is invalid. */
static enum ct_status read_numbers(
	struct gotrace_bytes *bytes, uint64_t numbers[4], uint64_t offset, struct ct_error *reterr)
{
	static const char *const names[] = {"generation", "thread", "time", "size"};
	unsigned i;

	for (i = 0; i < 4; i++) {
		size_t nr_left = (size_t)(bytes->end - bytes->at);

		if (!nr_left)
			return CT_END;
		numbers[i] = gotrace_number(bytes);
		if (bytes->at > bytes->end || (bytes->is_broken && nr_left < NUMBER_BYTES_MAX))
			return CT_END;
		if (bytes->is_broken)
			return ct_fail_at(reterr, CT_ERR_CORRUPT, offset,
				"batch at offset %llu: its %s has more than 64 bits",
				(unsigned long long)offset, names[i]);
	}
	return CT_OK;
}

enum ct_status gotrace_batch_read(const uint8_t *bytes, size_t nr_bytes, uint64_t offset,
	struct gotrace_batch *ret_batch, struct ct_error *reterr)
{
	struct gotrace_bytes head = {.at = bytes, .end = bytes + nr_bytes};
	struct gotrace_batch batch = {.offset = offset};
	uint64_t numbers[4];
	enum ct_status status;

	if (!nr_bytes)
		return CT_END;
	batch.is_experimental = *bytes == GOTRACE_EXPERIMENTAL_BATCH;
	if (*bytes != GOTRACE_EVENT_BATCH && !batch.is_experimental)
		return ct_fail_at(reterr, CT_ERR_CORRUPT, offset,
			"no batch begins at offset %llu: byte %u", (unsigned long long)offset,
			*bytes);
	head.at += 1 + batch.is_experimental;
	if (head.at > head.end)
		return CT_END;
	status = read_numbers(&head, numbers, offset, reterr);
	if (status)
		return status;
	if (numbers[3] > GOTRACE_BATCH_MAX)
		return ct_fail_at(reterr, CT_ERR_CORRUPT, offset,
			"batch at offset %llu: %llu bytes, and no batch has more than %u",
			(unsigned long long)offset, (unsigned long long)numbers[3],
			GOTRACE_BATCH_MAX);
	batch.generation = numbers[0];
	batch.thread = numbers[1];
	batch.time = numbers[2];
	batch.nr_bytes = (uint32_t)numbers[3];
	batch.payload = head.at;
	*ret_batch = batch;
	return CT_OK;
}
