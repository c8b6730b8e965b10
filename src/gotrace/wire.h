/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a Go execution trace: numbers, the header, batches, and the types of events.
 *
 * A file is a header and batches; a batch says to which generation and thread it belongs. Nothing here keeps state, or
 * knows what an event means.
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
#define GOTRACE_NONE UINT64_MAX /* no thread, processor or goroutine */

/* Bytes behind the end of what is decoded that may be read, and mean nothing: one event of the longest numbers. */
#define GOTRACE_SLACK_BYTES 64u

/* Formats, by the Go release that wrote them first. */
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

/* gotrace_type_numbers: how many numbers stand behind a type, the time's difference first; 0: it is no timed event. */
extern const uint8_t gotrace_type_numbers[256];

/* gotrace_type_name: never NULL; "unknown" for a number that is no event with a time. */
const char *gotrace_type_name(unsigned type);

/* What is still to be decoded. Once a number cannot be one, `is_broken`. */
struct gotrace_bytes {
	const uint8_t *at;
	const uint8_t *end; /* GOTRACE_SLACK_BYTES may be read behind it */
	bool is_broken;
};

/* gotrace_number_long: the rest of gotrace_number_at. */
const uint8_t *gotrace_number_long(const uint8_t *at, uint64_t *ret_number, bool *is_broken);

/*
 * gotrace_number_at: the number that begins here, and where the next byte stands; `is_broken` is set where it is none.
 * Numbers with zeros in front are valid; more than 64 bits are not.
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

/* gotrace_number: the next one. GOTRACE_SLACK_BYTES behind the end suffice until gotrace_bytes_were_whole is asked. */
static inline uint64_t gotrace_number(struct gotrace_bytes *bytes)
{
	uint64_t number;

	bytes->at = gotrace_number_at(bytes->at, &number, &bytes->is_broken);
	return number;
}

/* gotrace_bytes_were_whole: was all that was decoded so far there, and valid? */
static inline bool gotrace_bytes_were_whole(const struct gotrace_bytes *bytes)
{
	return bytes->at <= bytes->end && !bytes->is_broken;
}

struct gotrace_batch {
	uint64_t generation;
	uint64_t thread; /* GOTRACE_NONE: of none */
	uint64_t time;
	uint64_t offset; /* of its first byte in the file */
	const uint8_t *payload;
	uint32_t nr_bytes; /* of the payload */
	uint8_t experiment;
	bool is_experimental;
};

/* gotrace_header_is_ours: do these bytes claim to begin a Go trace, of whatever format? */
bool gotrace_header_is_ours(const void *bytes, size_t nr_bytes);

/*
 * gotrace_header_read: the format that a file with these first bytes has. CT_ERR_FORMAT, with a sentence that says
 * what the file is, for what is no Go trace, or one that this reader cannot read.
 */
enum ct_status gotrace_header_read(
	const uint8_t *bytes, size_t nr_bytes, unsigned *ret_format, struct ct_error *reterr);

/*
 * gotrace_batch_read: the head of a batch, which begins with its type. CT_OK, with `payload` where it has to be;
 * CT_END: more bytes are needed to tell. CT_ERR_CORRUPT: these bytes begin no batch. GOTRACE_SLACK_BYTES may be read
 * behind them.
 */
enum ct_status gotrace_batch_read(const uint8_t *bytes, size_t nr_bytes, uint64_t offset,
	struct gotrace_batch *ret_batch, struct ct_error *reterr);

#endif
