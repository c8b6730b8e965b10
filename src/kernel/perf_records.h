/* SPDX-License-Identifier: MIT */
/*
 * The records of one perf ring, as the kernel writes them, for events with the sample type TID, TIME, ADDR, PERIOD and
 * CALLCHAIN and with sample_id_all: a clock, and perhaps the thread's switches and major page faults, each of which is
 * a sample of period 1. Faults alone have an address.
 *
 * Nothing is trusted: lengths are checked before anything is read, and a record that makes no sense ends the reading of
 * what is there, because nobody knows where the next one begins.
 */
#ifndef KERNEL_PERF_RECORDS_H
#define KERNEL_PERF_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Calls of a stack that are kept, innermost first. */
#define PERF_CALLS 64u

enum perf_record_kind {
	PERF_SAMPLE, /* the thread was found running */
	PERF_STACK,  /* where the thread is that leaves its processor: a SWITCH_OUT follows */
	PERF_FAULT,  /* a page was read from a file or from swap for the thread, which goes on */
	PERF_SWITCH_OUT, /* the thread leaves its processor */
	PERF_SWITCH_IN,  /* the thread has a processor again */
	PERF_LOST,       /* the ring was full */
};

struct perf_record {
	enum perf_record_kind kind;
	uint32_t tid;
	uint64_t time;
	uint64_t address;  /* FAULT: in the page */
	uint64_t count;    /* LOST: records that are missing here */
	bool is_preempted; /* SWITCH_OUT: the thread could have run on */
	bool is_in_kernel; /* SAMPLE: the thread was in the kernel, on behalf of its program */
	uint32_t nr_calls; /* SAMPLE, STACK, FAULT */
	uint64_t calls
		[PERF_CALLS]; /* addresses in the program: where it runs, then return addresses */
};

struct perf_bytes {
	const uint8_t *at; /* the ring's data */
	uint64_t size;     /* a power of two */
};

/*
 * perf_records_next: reads the record at *position, which is at most `end`, and moves *position behind it; records that
 * are none of the above are skipped. False: there is no further record. *ret_is_corrupt: what lay there made no sense;
 * *position is `end` then.
 */
bool perf_records_next(const struct perf_bytes *bytes, uint64_t *position, uint64_t end,
	struct perf_record *ret_record, bool *ret_is_corrupt);

#endif
