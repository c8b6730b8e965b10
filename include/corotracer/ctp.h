/* SPDX-License-Identifier: MIT */
/*
 * The shared-memory contract between a traced program and the engine: cTP, version 2.
 *
 * This header is the whole agreement between the two sides: the layout of the segment, the four atomic operations used
 * on it, and the races that may happen. The header needs <stddef.h> and <stdint.h> only, and compiles as strict C11 and
 * C++20. docs/spec/protocol.md contains the numbered rules (P-n).
 *
 * A target owns one sealed memfd, its segment:
 *
 *	0            header page: what this is, and counters for handing out
 *	orders_offset a page of its own: orders of the engine
 *	ring_offset  ring_max descriptions of rings, CTP_RING_STRIDE bytes each
 *	site_offset  site_max interned sites, sizeof(struct ctp_site) each
 *	name_offset  name_bytes of interned texts
 *	chunk_offset chunk_max chunks of CTP_CHUNK_BYTES, which hold the records
 *
 * The segment is sparse: memory that is never touched costs nothing. A ring belongs to one thread at a time and is a
 * sequence of records numbered from 0. Record p lies in the chunk whose number is ring->chunk[(p / CTP_CHUNK_RECORDS) %
 * CTP_RING_CHUNKS], at index p % CTP_CHUNK_RECORDS. A thread starts with one chunk. When that is full, the thread
 * reuses the chunk of its ring that was drained last (its cache lines are warm), and takes a new chunk only if no chunk
 * of its ring is drained.
 *
 * The operations on one ring that may run at the same time (X: never at the same time; -: may):
 *
 *	            emit   claim  drain  death
 *	emit         X      X      -      -
 *	claim               X      -      -
 *	drain                      X      -
 *
 * emit and claim run in the target, on the thread that owns the ring; drain runs in the engine.
 */
#ifndef COROTRACER_CTP_H
#define COROTRACER_CTP_H

#include <stddef.h>
#include <stdint.h>

/* A browser reads traces, too: CTP_READS_ONLY compiles this header without the target's side, on any machine. */
#if (!defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))) && \
		!defined(CTP_READS_ONLY) ||                                    \
	!defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "corotracer needs Linux on x86-64 or aarch64, 64-bit little-endian"
#endif

#ifdef __cplusplus
#define CTP_STATIC_ASSERT(condition, text) static_assert(condition, text)
#define CTP_ALIGNED(bytes) alignas(bytes)
extern "C" {
#else
#define CTP_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#define CTP_ALIGNED(bytes) _Alignas(bytes)
#endif

/* The four operations. No other operation touches a word that both sides share. */
#define ctp_load_relaxed(pointer) __atomic_load_n((pointer), __ATOMIC_RELAXED)
#define ctp_load_acquire(pointer) __atomic_load_n((pointer), __ATOMIC_ACQUIRE)
#define ctp_store_relaxed(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_RELAXED)
#define ctp_store_release(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_RELEASE)

#define CTP_MAGIC UINT64_C(0x3247455343505443) /* "CTPCSEG2" read as little-endian bytes */
#define CTP_VERSION 2u
#define CTP_PAGE_BYTES 4096u

#define CTP_RECORD_WORDS 4u
#define CTP_RECORD_BYTES 32u
#define CTP_CHUNK_BYTES 65536u
#define CTP_CHUNK_RECORDS (CTP_CHUNK_BYTES / CTP_RECORD_BYTES)
#define CTP_RING_CHUNKS 256u /* at most 16 MiB of records wait in one ring */
#define CTP_RING_STRIDE 2560u
#define CTP_RING_MAX 4096u
#define CTP_SITE_MAX 65536u
#define CTP_NAME_BYTES (8u << 20)
#define CTP_CHUNK_MAX 16384u /* 1 GiB of records */
#define CTP_ID_BLOCK 1024u   /* coroutine ids that a thread takes at a time */

/* The environment variable that holds the name of the engine's abstract Unix socket, without the leading NUL. */
#define CTP_ENVIRONMENT "COROTRACER_SOCKET"
/*
 * The environment variable by which an engine sets the clock of its probes: "coarse" (P-52); unset: the probe chooses.
 */
#define CTP_CLOCK_ENVIRONMENT "COROTRACER_CLOCK"
/* The environment variable by which a program refuses to wait for an engine: 0 (P-16). */
#define CTP_ATTACH_ENVIRONMENT "COROTRACER_ATTACH"
/* The environment variable that makes a program without an engine keep its past: PATH[,BYTES] (P-80). */
#define CTP_FLIGHT_ENVIRONMENT "COROTRACER_FLIGHT"

/* The tables use the macro X: a caller's own X is saved here and restored after the tables. */
#pragma push_macro("X")
#undef X

enum ctp_kind {
#define X(name, number, text, category, object, argument, meaning) CTP_KIND_##name = number,
#include "corotracer/def/kinds.def"
#undef X
};

enum ctp_resource {
#define X(name, number, text, meaning) CTP_RESOURCE_##name = number,
#include "corotracer/def/resources.def"
#undef X
};

enum ctp_outcome {
#define X(name, number, text, meaning) CTP_OUTCOME_##name = number,
#include "corotracer/def/outcomes.def"
#undef X
};

enum ctp_point {
#define X(name, number, text, meaning) CTP_POINT_##name = number,
#include "corotracer/def/points.def"
#undef X
};

enum ctp_life {
#define X(name, number, text, meaning) CTP_LIFE_##name = number,
#include "corotracer/def/lives.def"
#undef X
};

enum ctp_mark {
#define X(name, number, text, meaning) CTP_MARK_##name = number,
#include "corotracer/def/marks.def"
#undef X
};

enum ctp_loss {
#define X(name, number, text, meaning) CTP_LOSS_##name = number,
#include "corotracer/def/losses.def"
#undef X
};

enum ctp_call {
#define X(name, number, text, meaning) CTP_CALL_##name = number,
#include "corotracer/def/calls.def"
#undef X
};

enum ctp_descriptor_type {
#define X(name, number, text, meaning) CTP_DESCRIPTOR_TYPE_##name = number,
#include "corotracer/def/descriptors.def"
#undef X
};

enum ctp_range {
#define X(name, number, text, scope, meaning) CTP_RANGE_##name = number,
#include "corotracer/def/ranges.def"
#undef X
};

enum ctp_processor {
#define X(name, number, text, meaning) CTP_PROCESSOR_##name = number,
#include "corotracer/def/processors.def"
#undef X
};

/* The flags of DESCRIPTOR_OPEN and DESCRIPTOR_DUP: an enum ctp_descriptor_type, and the bit below. */
#define CTP_DESCRIPTOR_TYPE(flags) ((flags)&0xffu)
/*
 * In DESCRIPTOR_OPEN only: this descriptor is the other end of the descriptor that the thread's last DESCRIPTOR_OPEN
 * opened.
 */
#define CTP_DESCRIPTOR_IS_SECOND_END 0x100u

/*
 * The flags of SAMPLE: the kernel's clock found the thread there, and the coroutine is the one that runs on it by other
 * events; the thread was inside of the kernel, called from there; and how many such samples make up a second of the
 * thread's processor time, 0 if that is not known.
 */
#define CTP_SAMPLE_BY_KERNEL 1u
#define CTP_SAMPLE_IN_KERNEL 2u
#define CTP_SAMPLE_FLAGS_HZ(hz) ((uint32_t)(hz) << 4)
#define CTP_SAMPLE_HZ(flags) ((flags) >> 4)

/* The flag of THREAD_OFF: the thread had no processor at its last such event either, and the time is the same. */
#define CTP_OFF_GOES_ON 1u

/* The flag of PARK, which ctp_park_untimed (ctp_probe_events.h) sets. */
#define CTP_PARK_UNTIMED 1u

enum ctp_detail {
#define X(name, number, text, meaning) CTP_DETAIL_##name = number,
#include "corotracer/def/details.def"
#undef X
};

enum ctp_category {
#define X(name, number, text, is_evidence, meaning) CTP_CATEGORY_##name = number,
#include "corotracer/def/categories.def"
#undef X
};

/* The clocks: what word 0 of a record counts. The probe chooses the clock when it attaches (P-50 to P-52). */
enum ctp_clock {
	CTP_CLOCK_NONE = 0,
	CTP_CLOCK_COUNTER = 1,   /* rdtsc or cntvct_el0 */
	CTP_CLOCK_MONOTONIC = 2, /* CLOCK_MONOTONIC in nanoseconds */
	CTP_CLOCK_COARSE = 3,    /* ctp_orders.coarse_time, which the engine advances */
};

/* The writer of a segment. */
enum ctp_role {
	CTP_ROLE_PROBE = 1,  /* the program's own probe */
	CTP_ROLE_LEDGER = 2, /* the descriptor ledger, which creates no coroutine */
	CTP_ROLE_ENGINE = 3, /* the engine's own observations; no mapped segment has this role */
};

enum ctp_segment_state {
	CTP_SEGMENT_LIVE = 1,
	CTP_SEGMENT_CLOSED = 2, /* the program detached; no event follows */
};

/* What a probe does when a ring is full. The engine decides. */
enum ctp_policy {
	CTP_POLICY_DROP_NEWEST = 0,
	CTP_POLICY_OVERWRITE_OLDEST = 1, /* the flight recorder */
};

/* The bits of ctp_orders.wanted: the readers that want events. A number stands above the bits. */
#define CTP_WANTED_ENGINE 1u /* an engine that has the segment */
#define CTP_WANTED_FLIGHT 2u /* the program itself, for its flight recorder */
#define CTP_WANTED_BITS 8u   /* the attachment's number stands above these bits */

/* Bits of features_compatible. */
/* of a flight recorder: ctp_header.about_* and instants are valid */
#define CTP_FEATURE_FLIGHT UINT64_C(16)
#define CTP_FEATURE_ABOUT UINT64_C(32) /* ctp_header.about_* is valid */

/* A resource handle: kind in the top eight bits, identity below (def/resources.def). */
#define CTP_HANDLE(resource, identity) \
	(((uint64_t)(resource) << 56) | ((uint64_t)(identity)&UINT64_C(0x00ffffffffffffff)))
#define CTP_HANDLE_RESOURCE(handle) ((unsigned)((uint64_t)(handle) >> 56))
#define CTP_HANDLE_IDENTITY(handle) ((uint64_t)(handle)&UINT64_C(0x00ffffffffffffff))
#define CTP_DESCRIPTOR(fd, generation)      \
	CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, \
		((uint64_t)((generation)&0xffffffu) << 32) | (uint32_t)(fd))

/* The handle of a coroutine in another process, as the target of a wake (P-34). 0: the id has more than 34 bits. */
#define CTP_REMOTE(pid, coro)                                     \
	((uint64_t)(coro) >> 34 ? UINT64_C(0)                     \
				: CTP_HANDLE(CTP_RESOURCE_REMOTE, \
					  ((uint64_t)(pid) << 34) | (uint64_t)(coro)))
#define CTP_REMOTE_PID(handle) (CTP_HANDLE_IDENTITY(handle) >> 34)
#define CTP_REMOTE_CORO(handle) ((uint64_t)(handle)&UINT64_C(0x3ffffffff))

/* Flags of a log record. */
#define CTP_LOG_HAS_NUMBER 1u /* the record's object is a number of the message */
#define CTP_LOG_TEXT_MAX 128u /* most bytes of text that a message adds to the text of its site */
#define CTP_LOG_TEXT(bytes) ((uint32_t)(bytes) << 8)
#define CTP_LOG_TEXT_BYTES(flags) ((uint32_t)(flags) >> 8)
#define CTP_TEXT_DETAIL_BYTES 8u /* bytes of that text in one detail record */

/* Bits of features_compatible. */
#define CTP_FEATURE_CATEGORIES UINT64_C(1) /* the probe obeys categories_off */
#define CTP_FEATURE_WANTED UINT64_C(2)     /* the probe obeys `wanted` at the next event */
#define CTP_FEATURE_WAKES UINT64_C(8)      /* the probe wakes a sleeping engine (P-92) */

/* Flag of a resume or suspend record: a hook around the run wrote the record, not the switch itself (P-36). */
#define CTP_TOLD_AROUND 1u

/* Flags of a return record. */
#define CTP_RETURN_FAILED 1u    /* a panic or an exception ended the coroutine */
#define CTP_RETURN_CANCELLED 2u /* a cancellation ended the coroutine, or made it end itself */

/* Flags of a wake record of the outcome CTP_OUTCOME_NO_WAKER. */
#define CTP_WAKER_TAKEN 1u /* a waker was taken during that run and dropped during the same run */

/* Flags of a notify record. */
#define CTP_NOTIFY_UNKEPT 1u /* whoever begins to wait after it has nothing of it (P-39) */

/* Flags of an enqueue record. */
/* only the thread that wrote the record can take the coroutine out again */
#define CTP_ENQUEUE_PRIVATE 1u

/* Flags of a syscall-end record. */
/* the call's processor was taken away: the coroutine is ready, not running */
#define CTP_SYSCALL_READY 1u

/* One record. `tail` is site:32 | kind:8 | argument:8 | flags:16, from the low end. */
struct ctp_record {
	uint64_t time;
	uint64_t coro;
	uint64_t object;
	uint64_t tail;
};

#define CTP_TAIL(site, kind, argument, flags)                             \
	((uint64_t)(uint32_t)(site) | ((uint64_t)(uint8_t)(kind) << 32) | \
		((uint64_t)(uint8_t)(argument) << 40) | ((uint64_t)(uint16_t)(flags) << 48))
#define CTP_TAIL_SITE(tail) ((uint32_t)(tail))
#define CTP_TAIL_KIND(tail) ((uint8_t)((tail) >> 32))
#define CTP_TAIL_ARGUMENT(tail) ((uint8_t)((tail) >> 40))
#define CTP_TAIL_FLAGS(tail) ((uint16_t)((tail) >> 48))

/*
 * One ring. Only the owning thread writes the producer line, and only the engine writes the consumer line. Each is a
 * cache line of its own, so that a write to one does not disturb users of the other.
 *
 * P1 head (release by emit) publishes the record below it, its chunk's entry and every site that the record names;
 * pairs with P1 in collect_ring_drain (acquire). P2 tail (release by collect_ring_drain) gives drained records back;
 * pairs with P2 in ctp_next_chunk (acquire). P3 floor (release by ctp_next_chunk, overwriting only, before the chunk's
 * new content): records below it may be overwritten; pairs with P3 in collect_ring_drain (acquire after the copy). P4
 * owner (release by ctp_thread_leave) gives the ring away; pairs with P4 in ctp_ring_claim (acquire). P10 surplus
 * (release by ctp_surplus_give) passes a chunk on to another ring; pairs with P10 in ctp_surplus_take (acquire).
 */
struct ctp_ring {
	/* producer line */
	CTP_ALIGNED(64) uint64_t head; /* records published since the ring was first claimed */
	uint64_t floor;                /* the first record that has not been overwritten */
	/* records dropped because the ring was full, since the segment was made */
	uint64_t dropped;
	/* records given up because a signal handler interrupted one half written, since the segment was made */
	uint64_t nested;
	uint64_t dropped_first; /* time of the first record dropped in the present gap */
	uint64_t dropped_told;  /* how many of `dropped` the LOST records have counted so far */
	uint32_t owner;         /* kernel thread id; 0: free */
	uint32_t claims;        /* how often the ring was claimed */
	uint64_t nr_beside;     /* records published that are not events (P-28), ever */

	/* consumer line */
	CTP_ALIGNED(64) uint64_t tail; /* records drained */
	uint64_t tail_reserved[7];

	/* the producer's book-keeping; the engine does not read it */
	CTP_ALIGNED(64) uint32_t nr_owned; /* chunks that this ring has taken */
	/* chunks of nr_owned that are drained and lie in `spare` */
	uint32_t nr_free;
	/* chunk sequence numbers below this one are in `spare` or in use again */
	uint64_t reclaimed;
	uint64_t assigned; /* chunk sequence numbers below this one have had a chunk */
	/* 1 + the drained chunks when the ring was last found full; 0: not full */
	uint64_t full_drained;
	uint64_t full_orders; /* the engine's orders when the ring was last found full */
	/* 1 + a chunk that has been handed out but has no memory yet; 0: none */
	uint32_t unbacked;
	uint32_t surplus; /* 1 + a chunk that any other ring may take; 0: none (P10) */
	uint64_t book_reserved[2];
	uint32_t spare[CTP_RING_CHUNKS]; /* a stack: the chunk drained last is on top */

	/* chunk numbers; entry (p / CTP_CHUNK_RECORDS) % CTP_RING_CHUNKS serves record p. */
	CTP_ALIGNED(64) uint32_t chunk[CTP_RING_CHUNKS];
	uint32_t ring_reserved[80];
};

/*
 * One interned site: a place in the source, or an address. The entry is written once; then `ready` is stored.
 *
 * P5 ready (release by ctp_site_intern) publishes the entry and its names; pairs with P5 in
 *     proto_read_site (acquire).
 *
 * Names are offsets from name_offset, 0 for none; each name is a uint32_t length and its bytes.
 */
enum ctp_site_kind {
#define X(name, number, text, meaning) CTP_SITE_##name = number,
#include "corotracer/def/sites.def"
#undef X
};

/* The form in which a site that is not an address was stated; 0: not known. */
enum ctp_form {
#define X(name, number, text, meaning) CTP_FORM_##name = number,
#include "corotracer/def/forms.def"
#undef X
};

#pragma pop_macro("X")

/* The word that makes a site ready: an enum ctp_site_kind, with an enum ctp_form above it (P-44). */
#define CTP_SITE_READY(kind, form) ((uint32_t)(kind) | (uint32_t)(form) << 8)
#define CTP_SITE_KIND(ready) ((uint32_t)(ready)&0xffu)
#define CTP_SITE_FORM(ready) ((uint32_t)(ready) >> 8 & 0xffu)

/*
 * A site of kind CTP_SITE_CALLER holds a second address, as line | column << 32: a return address within the function
 * whose caller is meant. If that function was inlined, `address` already lies in its caller. In a site of kind
 * CTP_SITE_SOURCE `address` holds the numbers of two other sites (P-45).
 */
struct ctp_site {
	uint32_t ready; /* 0 or CTP_SITE_READY */
	uint32_t line;
	uint32_t column;
	uint32_t file;     /* offset of a name */
	uint32_t function; /* offset of a name */
	uint32_t reason;   /* offset of a name: the awaiter's type, or the site's own name */
	uint64_t address;
};

/* Three readings of one instant. */
struct ctp_instant {
	uint64_t counter; /* in the unit of the header's clock */
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};

/*
 * The engine's orders. A probe maps this page a second time, at a fixed place in its own image (ctp_orders_page), so
 * that each event reads the words of the first line without looking up the segment's address. Words that change often
 * have cache lines of their own. Only the engine writes here after the magic has been stored.
 */
struct ctp_orders {
	/* read at every event */
	/* 0: no reader wants events; else CTP_WANTED_ bits and the attachment's number */
	CTP_ALIGNED(64) uint32_t wanted;
	uint32_t categories_off; /* bit n: no reader wants events of category n */
	uint32_t sleeping;       /* futex word: 1 while the engine sleeps */

	/* read when a ring needs room */
	uint32_t policy;          /* an enum ctp_policy */
	uint32_t chunks_per_ring; /* most chunks of one ring; 0: CTP_RING_CHUNKS - 1 */

	/* written many times a second if the clock is CTP_CLOCK_COARSE */
	CTP_ALIGNED(64) uint64_t coarse_time;

	/* the engine's own words */
	CTP_ALIGNED(64) uint32_t engine_pid; /* 0: no engine has the segment */
	/* how often `wanted` has changed from 0 to another value */
	uint32_t attachments;
	uint64_t engine_heartbeat_ns; /* CLOCK_MONOTONIC */
};

/*
 * The header page.
 *
 * P6  magic is stored last (release) by ctp_attach, after everything it promises; pairs with P6 in
 *     proto_check (acquire). P11  instants_taken (release by ctp_instant_note) publishes an instant;
 *     pairs with P11 in proto_check (acquire).
 */
struct ctp_header {
	/* identity: written before the magic, constant from then on */
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes;
	uint64_t features_compatible;   /* a reader ignores unknown bits */
	uint64_t features_incompatible; /* a reader refuses a segment with unknown bits */
	uint64_t segment_bytes;
	uint64_t orders_offset;
	uint64_t ring_offset;
	uint64_t site_offset;
	uint64_t name_offset;
	uint64_t chunk_offset;
	uint32_t ring_max;
	uint32_t site_max;
	uint32_t name_bytes;
	uint32_t chunk_max;
	uint32_t clock;         /* enum ctp_clock */
	uint32_t role;          /* enum ctp_role */
	uint64_t pid;           /* the process id in the target's own namespace */
	uint64_t clock_counter; /* three readings of one instant at attach */
	uint64_t clock_monotonic_ns;
	uint64_t clock_realtime_ns;
	uint8_t identity[16]; /* random: no two segments share it */

	/*
	 * counters from which the target's threads take rings, chunks, sites, names and ids, each by an atomic addition
	 * on a cold path
	 */
	/* rings ever claimed; the engine looks at no ring beyond them */
	CTP_ALIGNED(64) uint32_t rings_used;
	uint32_t chunks_used;
	uint32_t sites_used;      /* site 0 is never taken */
	uint32_t names_used;      /* bytes of names */
	uint64_t ids_used;        /* coroutine id 0 is never taken */
	uint64_t untraced_events; /* events of threads for which no ring was left */
	uint32_t sites_refused;   /* sites for which no room was left; their events carry site 0 */
	uint32_t state;           /* enum ctp_segment_state */

	/* of a flight recorder: what a reader needs after the process has ended (P-85, P-86) */
	CTP_ALIGNED(64) uint64_t about_offset; /* a text that says which program this is (P-85) */
	uint64_t about_bytes;
	uint32_t instants_lock;  /* 1: a thread is writing an instant */
	uint32_t instants_taken; /* instants[instants_taken % 2] is the latest; 0: none yet */
	/* together with the readings at attach they give the counter's rate */
	struct ctp_instant instants[2];
};

/* Bytes of the header of a probe that keeps no flight recorder. */
#define CTP_HEADER_BYTES_LEAST offsetof(struct ctp_header, about_offset)

/* The only message that a probe sends over the engine's socket; the memfd travels with it. */
struct ctp_hello {
	uint64_t magic;   /* CTP_MAGIC */
	uint32_t version; /* CTP_VERSION */
	uint32_t role;    /* enum ctp_role */
};

CTP_STATIC_ASSERT(sizeof(struct ctp_record) == CTP_RECORD_BYTES, "a record is four words");
CTP_STATIC_ASSERT(sizeof(struct ctp_ring) == CTP_RING_STRIDE, "a ring's description");
CTP_STATIC_ASSERT(sizeof(struct ctp_site) == 32, "a site");
CTP_STATIC_ASSERT(sizeof(struct ctp_header) <= CTP_PAGE_BYTES, "the header fits its page");
CTP_STATIC_ASSERT(sizeof(struct ctp_orders) <= CTP_PAGE_BYTES, "the orders fit their page");
CTP_STATIC_ASSERT(sizeof(struct ctp_hello) == 16, "the greeting");

#ifdef __cplusplus
}
#endif

#endif
