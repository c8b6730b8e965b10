/* SPDX-License-Identifier: MIT */
/*
 * The shared memory of version 1: one file for all, with a station of eight slots for each coroutine.
 *
 * Any process of the target may write anything into it at any time. Each word is loaded once, and the copy is checked;
 * the content of a slot is used only if its sequence number says that it is complete. No function here fails, waits, or
 * keeps memory; only version1_format writes more than one word. All of them may be called on any thread.
 *
 * Two disciplines of the sequence number exist. Events of a station are numbered from 0 here:
 *
 *	counter        event k lies in slot (k + 1) % 8, under k + 1
 *	sequence lock  event k lies in slot k % 8, under 2 * (k / 8 + 1); one less while it is being written
 *
 * With a counter, nothing shows that a slot is being overwritten. So the oldest of eight events, whose slot is written
 * next, may be half overwritten; it is taken only if it fits the event after it.
 */
#ifndef VERSION1_VERSION1_H
#define VERSION1_VERSION1_H

#include <stdbool.h>
#include <stdint.h>

#define VERSION1_MAGIC UINT64_C(0x434F524F54524352)
#define VERSION1_STATION_BYTES 1024u
#define VERSION1_SLOTS 8u

/* A station is not believed to have had more events than this. */
#define VERSION1_EVENTS_MAX (UINT64_C(1) << 48)

struct version1_header {
	uint64_t magic;
	uint32_t version;
	uint32_t max_stations;
	uint32_t allocated_count;
	uint32_t tracer_sleeping;
	uint8_t reserved[1000];
};

struct version1_slot {
	uint64_t timestamp;
	uint64_t tid;
	uint64_t addr;
	uint64_t seq;
	uint8_t reserved[31];
	uint8_t is_active;
};

struct version1_station {
	uint64_t probe_id;
	uint64_t birth_ts;
	uint8_t is_dead;
	uint8_t padding[47];
	struct version1_slot slots[VERSION1_SLOTS];
	uint8_t flexible[448];
};

enum version1_discipline {
	VERSION1_UNDECIDED = 0, /* nothing was written yet */
	VERSION1_COUNTER = 1,
	VERSION1_SEQUENCE_LOCK = 2,
};

/* A copy of one event. The writer chose its words, so they may be nonsense. */
struct version1_event {
	uint64_t time;
	uint64_t tid;
	uint64_t addr;
	uint8_t is_active;
};

/* version1_bytes: the size of the file for this many stations. */
static inline uint64_t version1_bytes(uint32_t max_stations)
{
	return VERSION1_STATION_BYTES * (1 + (uint64_t)max_stations);
}

/* version1_format: initialises a zeroed mapping of version1_bytes as a file with no station in use. */
void version1_format(void *base, uint32_t max_stations);

/* version1_allocated: how many stations were requested; may exceed the number that exist. */
uint32_t version1_allocated(const void *base);

/* version1_station: the station with number `index`; the caller makes sure that it is below the maximum. */
const struct version1_station *version1_station(const void *base, uint32_t index);

/*
 * version1_sleep: announces that the reader sleeps and wants a byte. Words that are loaded afterwards decide whether it
 * may sleep.
 */
void version1_sleep(void *base);

/* version1_wake: announces that the reader is awake. */
void version1_wake(void *base);

/* What a station says about its coroutine. */
struct version1_identity {
	uint64_t probe_id;
	uint64_t birth_ns;
	bool is_dead; /* read before the others, and before any slot that is read later */
};

void version1_identify(
	const struct version1_station *station, struct version1_identity *ret_identity);

/* version1_decide: finds out which discipline the writer uses, by the slot that was filled first. */
enum version1_discipline version1_decide(const struct version1_station *station);

enum version1_found {
	VERSION1_TAKEN,   /* *ret_event is the event */
	VERSION1_NOT_YET, /* the event was not written yet, nor was a newer one */
	VERSION1_GONE,    /* the event was overwritten, or the slot holds an impossible number */
};

/* version1_read: looks for event `number`. */
enum version1_found version1_read(const struct version1_station *station,
	enum version1_discipline discipline, uint64_t number, struct version1_event *ret_event);

/* version1_written: one more than the number of the latest complete event; 0: there is none. */
uint64_t version1_written(
	const struct version1_station *station, enum version1_discipline discipline);

#endif
