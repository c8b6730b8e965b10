/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a Go execution trace: numbers, the header, batches, and the types of events.
 *
 * A file is a header followed by batches; each batch names its generation and its thread. The functions here keep no
 * state and do not interpret events.
 */
#ifndef GOTRACE_WIRE_H
#define GOTRACE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/failure.h"

#define GOTRACE_HEADER_BYTES 16u
#define GOTRACE_BATCH_MAX 65536u
#define GOTRACE_BATCH_HEAD_MAX 42u /* two bytes and four numbers */
#define GOTRACE_STRING_MAX 1024u
#define GOTRACE_FRAMES_MAX 128u
#define GOTRACE_ARGUMENTS_MAX 4u
/* A generation, and its offset */
#define GOTRACE_UNSTOPPED                                                                        \
	"the trace ends without trace.Stop, in generation %llu, which began at offset %llu; Go " \
	"completes one about once a second"
#define GOTRACE_NONE UINT64_MAX /* no thread, processor or goroutine */

/*
 * Bytes behind the end of decoded data that must be readable; their values do not matter. One event of the longest
 * numbers fits.
 */
#define GOTRACE_SLACK_BYTES 64u

/* Formats, named after the Go release that first wrote them. */
#define GOTRACE_FORMAT_22 22u
#define GOTRACE_FORMAT_23 23u
#define GOTRACE_FORMAT_25 25u
#define GOTRACE_FORMAT_26 26u

enum gotrace_type {
	GOTRACE_EVENT_BATCH = 1,
	GOTRACE_STACKS = 2,
	GOTRACE_STACK = 3,
	GOTRACE_STRINGS = 4,
	GOTRACE_STRING = 5,
	GOTRACE_CPU_SAMPLES = 6,
	GOTRACE_CPU_SAMPLE = 7,
	GOTRACE_FREQUENCY = 8,
#define X(name, number, since, text, rule, nr_arguments, arguments) GOTRACE_##name = number,
#include "gotrace/wire.def"
#undef X
	GOTRACE_EXPERIMENTAL_BATCH = 49,
	GOTRACE_SYNC = 50,
	GOTRACE_CLOCK_SNAPSHOT = 51,
	GOTRACE_END_OF_GENERATION = 52,
};

/*
 * gotrace_type_numbers: how many numbers follow an event's type, the time difference first; 0: not an event with a
 * time.
 */
extern const uint8_t gotrace_type_numbers[256];

/* gotrace_type_name: never NULL; "unknown" if the number is not an event with a time. */
const char *gotrace_type_name(unsigned type);

/* The bytes still to be decoded. `is_broken` is set once a number is invalid. */
struct gotrace_bytes {
	const uint8_t *at;
	const uint8_t *end; /* GOTRACE_SLACK_BYTES may be read behind it */
	bool is_broken;
};

/* gotrace_number_long: the slow path of gotrace_number_at. */
const uint8_t *gotrace_number_long(const uint8_t *at, uint64_t *ret_number, bool *is_broken);

/*
 * gotrace_number_at: decodes the number that begins at `at` and returns the address behind it; sets `is_broken` if the
 * number is invalid. Leading zeros are valid; more than 64 bits are not.
 */
static inline const uint8_t *gotrace_number_at(
	const uint8_t *at, uint64_t *ret_number, bool *is_broken)
{
	unsigned first = at[0], second;

	*ret_number = first;
	if (first < 0x80)
		return at + 1;
	second = at[1];
	*ret_number = (first & 0x7f) | second << 7;
	if (second < 0x80)
		return at + 2;
	return gotrace_number_long(at, ret_number, is_broken);
}

/*
 * gotrace_number: decodes the next number. With GOTRACE_SLACK_BYTES readable behind the end, gotrace_bytes_were_whole
 * need not be checked before the last number of an event.
 */
static inline uint64_t gotrace_number(struct gotrace_bytes *bytes)
{
	uint64_t number;

	bytes->at = gotrace_number_at(bytes->at, &number, &bytes->is_broken);
	return number;
}

/* gotrace_bytes_were_whole: was everything decoded so far within the bounds, and valid? */
static inline bool gotrace_bytes_were_whole(const struct gotrace_bytes *bytes)
{
	return bytes->at <= bytes->end && !bytes->is_broken;
}

struct gotrace_batch {
	uint64_t generation;
	uint64_t thread; /* GOTRACE_NONE: the batch belongs to no thread */
	uint64_t time;
	uint64_t offset; /* of its first byte in the file */
	const uint8_t *payload;
	uint32_t nr_bytes; /* of the payload */
	bool is_experimental;
};

/* gotrace_header_is_ours: do these bytes claim to begin a Go trace, of any format? */
bool gotrace_header_is_ours(const void *bytes, size_t nr_bytes);

/*
 * gotrace_header_read: returns the format of the file that begins with these bytes. CT_ERR_FORMAT: not a Go trace, or a
 * format that this reader cannot read; the error says what the file is.
 */
enum ct_status gotrace_header_read(
	const uint8_t *bytes, size_t nr_bytes, unsigned *ret_format, struct ct_error *reterr);

/*
 * gotrace_batch_read: decodes the head of a batch, which begins with its type. CT_OK: `payload` points to where the
 * payload must be. CT_END: more bytes are needed to decide. CT_ERR_CORRUPT: no batch begins here. GOTRACE_SLACK_BYTES
 * behind the bytes must be readable.
 */
enum ct_status gotrace_batch_read(const uint8_t *bytes, size_t nr_bytes, uint64_t offset,
	struct gotrace_batch *ret_batch, struct ct_error *reterr);

#endif
