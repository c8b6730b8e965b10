/* SPDX-License-Identifier: MIT */
/*
 * The probe: how a program writes coroutine events into its segment (ctp.h).
 *
 * The hot path is inline: one relaxed load and a branch while no reader wants events; otherwise one reading of the
 * time-stamp counter and a few plain stores into a ring that belongs to the calling thread. The hot path takes no lock,
 * and contains no locked instruction, no system call, no call through the PLT and no allocation; errno is left alone.
 * Everything expensive is in functions marked CTP_COLD, which are called once per thread, per site, or per 2,048
 * events.
 *
 * Programs in C, and in C++11 to C++17, link libcorotracer-probe. In C++20 the cold functions (ctp_probe_cold.h) are
 * inline, and no library is needed. Other languages call the library, which also has each function below as an
 * ordinary, exported function (def/functions.def).
 *
 * All functions may be called on any thread at any time, also from signal handlers and when not attached. If a signal
 * handler interrupts an event of its thread and writes an event, the handler's event is given up and counted
 * (CTP_LOSS_NESTED). After fork() the child is detached: the kernel wipes its gate (MADV_WIPEONFORK), so the child
 * never writes to its parent's rings.
 */
#ifndef COROTRACER_CTP_PROBE_H
#define COROTRACER_CTP_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "corotracer/ctp.h"

/* Whether the cold functions and the state are inline, which needs C++20. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#define CTP_IS_HEADER_ONLY 1
#define CTP_COLD inline __attribute__((cold))
#else
#define CTP_IS_HEADER_ONLY 0
#define CTP_COLD __attribute__((cold, noinline))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_INLINE static inline __attribute__((always_inline, unused))
#define CTP_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define CTP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/*
 * Marks a condition that holds more often than not: its path is laid out straight, but the other path stays near and is
 * not treated as rare.
 */
#define CTP_RATHER(condition) (condition)
#ifdef __has_builtin
#if __has_builtin(__builtin_expect_with_probability)
#undef CTP_RATHER
#define CTP_RATHER(condition) __builtin_expect_with_probability(!!(condition), 1, 0.7)
#endif
#endif

/* Orders a thread against its own signal handlers: the compiler only, no instruction. */
#define CTP_SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/*
 * The gate: a page of its own, which the kernel fills with zeros in a forked child. `pass` is 0 while no segment is
 * attached. Otherwise `pass` holds the attachment's number, with its enum ctp_clock in the low byte.
 */
struct ctp_gate {
	CTP_ALIGNED(4096) uint32_t pass;
	uint32_t attach_lock; /* 1: a thread is attaching */
	uint8_t rest_of_page[4088];
};

/*
 * The engine's orders, as an event reads them: the segment's page of orders is mapped over this page, which has a fixed
 * place. A forked child still sees its parent's orders; that is why the gate's pass is read after the orders. Where the
 * machine's pages are larger than this one, nothing is mapped here: the page belongs to the probe and says that events
 * are wanted, once and for all.
 */
struct ctp_orders_place {
	CTP_ALIGNED(4096) struct ctp_orders orders;
	uint8_t rest_of_page[4096 - sizeof(struct ctp_orders)];
};

#define CTP_PASS(epoch, clock) (((uint32_t)(epoch) << 8) | (uint32_t)(clock))
#define CTP_PASS_CLOCK(pass) ((pass)&0xffu)

/*
 * The state of one thread: one cache line, and behind it the coroutine that runs on the thread. The state is zero until
 * the thread's first event. `cursor` is a multiple of CTP_CHUNK_BYTES exactly when the next record needs the cold path:
 * at the end of a chunk, or NULL.
 */
struct ctp_thread {
	CTP_ALIGNED(64) struct ctp_record *cursor; /* where the next record goes */
	struct ctp_ring *ring;
	uint64_t head; /* the private copy of ring->head */
	/* stack pointer at the start of what is under way, | CTP_BUSY_ID; 0: nothing */
	uintptr_t busy;
	uint64_t id_next; /* the next coroutine id; a multiple of CTP_ID_BLOCK: no id is left */
	struct ctp_header *header; /* the segment that the ring lies in */
	/* the pass of the attachment that this thread joined; stale if it differs from the gate's */
	uint32_t pass;
	uint32_t chunk_max;    /* number of chunks in `header`'s segment */
	uint32_t tid;          /* kernel thread id with which the ring was claimed */
	uint32_t owes_start;   /* 1: THREAD_START is still to be written */
	uint64_t current;      /* the coroutine that runs, as ctp_current returns it */
	uint64_t before_spawn; /* `current` before the last ctp_current_spawn */
};

#define CTP_BUSY_ID 1u /* a coroutine id is being taken: no event is lost if that is abandoned */

/* One remembered site: the place from which it was interned, and its number once the number is known. */
struct ctp_site_slot {
	const void *place;  /* address of a source location, a file name or an instruction */
	uint64_t position;  /* line << 32 | column if `place` is a file name */
	const void *reason; /* the name's address, or NULL */
	uint32_t id; /* P7 release by ctp_slot_fill; pairs with P7 in ctp_site_lookup (acquire) */
	uint32_t claimed; /* 1: a thread fills the slot, or has filled it */
};

#define CTP_SITE_SLOTS 8192u
#define CTP_SITE_PROBES 16u

/* The state of the process. Only attach and detach write it, except `slots` and rings_free. */
struct ctp_process {
	struct ctp_header *header;     /* the segment attached last, or NULL; stays mapped */
	uint64_t segment_bytes, epoch; /* epoch: the number of attachments so far */
	int descriptor;                /* the memfd, kept open so that an engine can find it */
	uint64_t device, inode;        /* the identity of that file */
	uint32_t pid;                  /* the process that attached */
	/* number of chunks in the segment: our own copy, because the header's is not trusted */
	uint32_t chunk_max;
	uint32_t ring_max, site_max, name_bytes; /* likewise; the smallest of all attachments */
	uint32_t rings_free;                     /* rings that threads have given back */
	uint32_t is_guarded;                     /* 1: a fork closes the gate */
	uint32_t has_thread_key;                 /* 1: thread_key has been made */
	uint32_t has_lock; /* 1: a fork closes `descriptor`, which holds a flight recorder's lock */
	uint32_t thread_key; /* a pthread_key_t: gives the ring back when a thread ends */
	struct ctp_site_slot slots[CTP_SITE_SLOTS];
};

#if CTP_IS_HEADER_ONLY
/* There is one of each in a process, even if parts of the program are compiled with -fvisibility=hidden. */
#define CTP_SHARED __attribute__((visibility("default")))
CTP_SHARED inline ctp_gate ctp_gate_page{};
CTP_SHARED inline ctp_orders_place ctp_orders_page{};
CTP_SHARED inline ctp_process ctp_process_state{};
/* `used`: the only references may stand in assembly, which the compiler does not see. */
CTP_SHARED inline constinit
	__attribute__((tls_model("initial-exec"), used)) thread_local ctp_thread ctp_thread_state{};
#else
extern struct ctp_gate ctp_gate_page;
extern struct ctp_orders_place ctp_orders_page;
extern struct ctp_process ctp_process_state;
extern __attribute__((tls_model("initial-exec"))) __thread struct ctp_thread ctp_thread_state;
#endif

/*
 * ctp_attach: creates the segment and hands it to the engine that COROTRACER_SOCKET names. Call it once, early in
 * main(). Returns true when events are recorded from now on; false, silently, when no engine asked for this process:
 * the segment then waits, empty, for an engine that comes later ('corotracer attach PID'). With COROTRACER_ATTACH=0 no
 * segment waits. If the machine refuses memory (RLIMIT_FSIZE, RLIMIT_AS, seccomp) there is no segment, and the program
 * runs untraced. The function never blocks, never prints, and keeps errno. A second call returns the present state; a
 * call in a forked child attaches the child. If there is no engine and COROTRACER_FLIGHT=PATH[,BYTES] is set, the
 * program keeps its own past (ctp_flight.h).
 */
CTP_COLD bool ctp_attach(void);

/*
 * ctp_attach_as: attaches as ctp_attach does, with a role (enum ctp_role). For the ledger: the segment of this call
 * never waits for an engine, and COROTRACER_FLIGHT is not read.
 */
CTP_COLD bool ctp_attach_as(uint32_t role);

/*
 * ctp_detach: closes the gate. Every later event costs a load and a branch. Threads that are writing an event finish
 * their record; the segment stays mapped until the process ends, so no thread can fault.
 */
CTP_COLD void ctp_detach(void);

/*
 * Used by the inline functions below; not for users.
 *
 * ctp_next_chunk: makes room for one record at thread->cursor. If the thread has no ring, or has one of an attachment
 * that is over, a ring is claimed first. Returns false if there is no room; the event at `time` has then been counted
 * as dropped, or as untraced if no ring was left.
 * ctp_nested: decides about an event that found thread->busy set. Returns true if the earlier event was abandoned (by
 * siglongjmp out of a handler), so that this event goes on; false if this event is nested and has been counted as lost.
 * ctp_id_refill: returns a coroutine id when the thread's block is used up, or when (is_nested) the calling signal
 * handler interrupted a use of the block; the handler's id then comes straight from the segment.
 * ctp_time_slow: returns the time-stamp of a clock other than the counter.
 * ctp_engine_wake: wakes the engine, unless another thread has done so since the engine went to sleep.
 */
CTP_COLD bool ctp_next_chunk(struct ctp_thread *thread, uint64_t time);
CTP_COLD bool ctp_nested(struct ctp_thread *thread, uintptr_t stack);
CTP_COLD uint64_t ctp_id_refill(struct ctp_thread *thread, bool is_nested);
CTP_COLD uint64_t ctp_time_slow(uint32_t clock);
CTP_COLD void ctp_engine_wake(void);

/* The source of a site. Texts live as long as the process; any may be NULL. */
struct ctp_site_source {
	uint32_t kind; /* enum ctp_site_kind, or CTP_SITE_READY */
	uint32_t line;
	uint32_t column;
	uint32_t reason_bytes; /* length of `reason` if it is not NUL-terminated, else 0 */
	const char *file;
	const char *function;
	const char *reason;
	uint64_t address;
};

/*
 * ctp_site_remember: interns a source location, address or name, and returns its number. Returns 0 if the site was
 * refused (not attached, table full), and counts the refusal. If `place` is not NULL, ctp_site_lookup finds the number
 * from then on; without that, each call takes a new one.
 *
 * Users need both for a place that is known only when the program runs, as a line of a script: ask ctp_site_lookup, and
 * remember the place if that returns 0. `place` is then the address of the file's name, the same at each call for this
 * file, `position` is line << 32 | column, `reason_key` the address of the name, or NULL, and the source's kind is
 * CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C). For a place of the program's own there is CTP_SITE, for a code address
 * ctp_site_address.
 */
CTP_COLD uint32_t ctp_site_remember(const void *place, uint64_t position, const void *reason_key,
	const struct ctp_site_source *source);

/*
 * ctp_thread_self: returns the calling thread's state. The address is computed at each call: a compiler may keep the
 * address of a thread-local across a context switch, and a coroutine that has migrated would then write another
 * thread's ring.
 */
CTP_INLINE struct ctp_thread *ctp_thread_self(void)
{
	struct ctp_thread *thread;
#if defined(__x86_64__)
	__asm__ volatile("movq ctp_thread_state@gottpoff(%%rip), %0\n\taddq %%fs:0, %0"
			 : "=r"(thread)
			 :
			 : "cc");
#else
	uintptr_t base;

	__asm__ volatile("adrp %0, :gottprel:ctp_thread_state\n\t"
			 "ldr %0, [%0, :gottprel_lo12:ctp_thread_state]\n\t"
			 "mrs %1, tpidr_el0\n\t"
			 "add %0, %0, %1"
			 : "=&r"(thread), "=&r"(base));
#endif
	return thread;
}

CTP_INLINE uintptr_t ctp_stack_pointer(void)
{
	uintptr_t stack;

#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %0" : "=r"(stack));
#else
	__asm__ volatile("mov %0, sp" : "=r"(stack));
#endif
	return stack;
}

/* ctp_present_pass: returns 0 while no reader wants events, after one relaxed load; otherwise the gate's pass. */
CTP_INLINE uint32_t ctp_present_pass(void)
{
	if (CTP_RATHER(ctp_load_relaxed(&ctp_orders_page.orders.wanted) == 0))
		return 0;
	return ctp_load_relaxed(&ctp_gate_page.pass);
}

/* ctp_is_attached: returns true while events are recorded. */
CTP_INLINE bool ctp_is_attached(void)
{
	return ctp_present_pass() != 0;
}

/*
 * The kinds of events that follow something that another thread passed on: an event written with a lock held, or after
 * taking from a queue. The processor may read its counter before the preceding locked instruction has its cache line;
 * the time-stamp is then some microseconds too early, never too late. Events of these kinds therefore read the counter
 * after a fence. The fence costs nothing after a locked instruction, which the processor has to wait for anyway. The
 * reader puts events of other kinds whose time-stamps are too early in order.
 */
#define CTP_KINDS_FENCED                                                              \
	(UINT64_C(1) << CTP_KIND_CREATE | UINT64_C(1) << CTP_KIND_WAKE |              \
		UINT64_C(1) << CTP_KIND_DEQUEUE | UINT64_C(1) << CTP_KIND_ACQUIRE |   \
		UINT64_C(1) << CTP_KIND_RELEASE | UINT64_C(1) << CTP_KIND_HAND_OVER | \
		UINT64_C(1) << CTP_KIND_NOTIFY)

/* ctp_fence: makes the processor finish everything before the fence before it reads the counter. */
CTP_INLINE void ctp_fence(void)
{
#if defined(__x86_64__)
	_mm_lfence();
#else
	__asm__ volatile("isb" : : : "memory");
#endif
}

/* ctp_time_of: returns the time of an event with this tail. The compiler mostly knows the tail's kind. */
CTP_INLINE uint64_t ctp_time_of(uint32_t clock, uint64_t tail)
{
	if (clock == CTP_CLOCK_COARSE)
		return ctp_load_relaxed(&ctp_orders_page.orders.coarse_time);
	if (CTP_UNLIKELY(clock != CTP_CLOCK_COUNTER))
		return ctp_time_slow(clock);
	if (CTP_KINDS_FENCED >> (CTP_TAIL_KIND(tail) & 63) & 1)
		ctp_fence();
#if defined(__x86_64__)
	return __rdtsc();
#else
	uint64_t counter;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
	return counter;
#endif
}

CTP_INLINE uint64_t ctp_time(uint32_t clock)
{
	return ctp_time_of(clock, 0);
}

/*
 * ctp_enter: marks the thread's state as busy with one event. Returns false if the event is nested; it has then been
 * counted.
 */
CTP_INLINE bool ctp_enter(struct ctp_thread *thread)
{
	uintptr_t stack = ctp_stack_pointer();

	if (CTP_UNLIKELY(thread->busy != 0) && !ctp_nested(thread, stack))
		return false;
	thread->busy = stack;
	CTP_SIGNAL_FENCE();
	return true;
}

CTP_INLINE void ctp_leave(struct ctp_thread *thread)
{
	CTP_SIGNAL_FENCE();
	thread->busy = 0;
}

/*
 * ctp_finish: ends an event as ctp_leave does, and wakes the engine if the engine sleeps. The load of `sleeping` must
 * not move before the store of the head: ctp_leave keeps the compiler from moving it, and the engine's barrier keeps
 * the processor from it (P12).
 */
CTP_INLINE void ctp_finish(struct ctp_thread *thread)
{
	ctp_leave(thread);
	if (CTP_UNLIKELY(ctp_load_relaxed(&ctp_orders_page.orders.sleeping) != 0))
		ctp_engine_wake();
}

/*
 * ctp_publish: writes a record at thread->cursor, which must have room, and publishes the record. The words are stored
 * atomically because the reader of an overwriting ring may copy them while they change (the reader checks afterwards).
 */
CTP_INLINE void ctp_publish(
	struct ctp_thread *thread, uint64_t time, uint64_t coro, uint64_t object, uint64_t tail)
{
	struct ctp_record *record = thread->cursor;
	uint64_t head = thread->head + 1;

	ctp_store_relaxed(&record->time, time);
	ctp_store_relaxed(&record->coro, coro);
	ctp_store_relaxed(&record->object, object);
	ctp_store_relaxed(&record->tail, tail);
	thread->cursor = record + 1;
	thread->head = head;
	ctp_store_release(&thread->ring->head, head); /* P1 */
}

/* ctp_is_unwanted: returns whether the engine has switched the category off. Scheduling is always wanted. */
CTP_INLINE bool ctp_is_unwanted(enum ctp_category category)
{
	return category != CTP_CATEGORY_SCHEDULING &&
	       (ctp_load_relaxed(&ctp_orders_page.orders.categories_off) >> category & 1);
}

CTP_INLINE bool ctp_has_room(struct ctp_thread *thread, uint32_t pass, uint64_t time)
{
	return CTP_LIKELY(
		       thread->pass == pass && (uintptr_t)thread->cursor % CTP_CHUNK_BYTES != 0) ||
	       ctp_next_chunk(thread, time);
}

/*
 * ctp_emit_of: writes one event of `category`: a coroutine (0: none), an object, and a tail made by CTP_TAIL.
 * ctp_emit: writes one event of the category scheduling.
 */
CTP_INLINE void ctp_emit_of(
	enum ctp_category category, uint64_t coro, uint64_t object, uint64_t tail)
{
	uint32_t pass = ctp_present_pass();
	struct ctp_thread *thread;
	uint64_t time;

	if (pass == 0 || ctp_is_unwanted(category))
		return;
	thread = ctp_thread_self();
	if (CTP_UNLIKELY(!ctp_enter(thread)))
		return;
	time = ctp_time_of(CTP_PASS_CLOCK(pass), tail);
	if (ctp_has_room(thread, pass, time))
		ctp_publish(thread, time, coro, object, tail);
	ctp_finish(thread);
}

CTP_INLINE void ctp_emit(uint64_t coro, uint64_t object, uint64_t tail)
{
	ctp_emit_of(CTP_CATEGORY_SCHEDULING, coro, object, tail);
}

/*
 * ctp_emit_with_of: writes one event as ctp_emit_of does, and a detail of the event with the same time. The detail is
 * written only if the event was written, so a detail never follows the wrong event.
 */
CTP_INLINE void ctp_emit_with_of(enum ctp_category category, uint64_t coro, uint64_t object,
	uint64_t tail, enum ctp_detail detail, uint64_t number)
{
	uint32_t pass = ctp_present_pass();
	struct ctp_thread *thread;
	uint64_t time;

	if (pass == 0 || ctp_is_unwanted(category))
		return;
	thread = ctp_thread_self();
	if (CTP_UNLIKELY(!ctp_enter(thread)))
		return;
	time = ctp_time_of(CTP_PASS_CLOCK(pass), tail);
	if (ctp_has_room(thread, pass, time)) {
		ctp_publish(thread, time, coro, object, tail);
		if (ctp_has_room(thread, pass, time))
			ctp_publish(thread, time, coro, number,
				CTP_TAIL(0, CTP_KIND_DETAIL, detail, 0));
	}
	ctp_finish(thread);
}

/* ctp_emit_with: does what ctp_emit_with_of does, for the category scheduling. */
CTP_INLINE void ctp_emit_with(
	uint64_t coro, uint64_t object, uint64_t tail, enum ctp_detail detail, uint64_t number)
{
	ctp_emit_with_of(CTP_CATEGORY_SCHEDULING, coro, object, tail, detail, number);
}

/*
 * ctp_attachment: returns a number that names the present period in which events are wanted; 0 outside of such a
 * period. Facts recorded about an object in one period are not known in another period.
 */
CTP_INLINE uint32_t ctp_attachment(void)
{
	uint32_t wanted = ctp_load_relaxed(&ctp_orders_page.orders.wanted);
	uint32_t pass;

	if (wanted == 0)
		return 0;
	pass = ctp_load_relaxed(&ctp_gate_page.pass);
	return pass == 0 ? 0 : pass + (wanted >> CTP_WANTED_BITS << 20);
}

/*
 * ctp_coro_new: returns an id that no other coroutine of this process has had or will have. Ids are given out even
 * while events are not wanted, because coroutines that are traced later must be distinguishable. Returns 0 if there is
 * no segment.
 */
CTP_INLINE uint64_t ctp_coro_new(void)
{
	struct ctp_thread *thread;
	uint64_t id;

	if (ctp_load_relaxed(&ctp_gate_page.pass) == 0)
		return 0;
	thread = ctp_thread_self();
	if (CTP_UNLIKELY(thread->busy != 0))
		return ctp_id_refill(thread, true);
	thread->busy = ctp_stack_pointer() | CTP_BUSY_ID;
	CTP_SIGNAL_FENCE();
	id = thread->id_next;
	if (CTP_LIKELY(id % CTP_ID_BLOCK != 0))
		thread->id_next = id + 1;
	else
		id = ctp_id_refill(thread, false);
	ctp_leave(thread);
	return id;
}

CTP_INLINE uint32_t ctp_site_hash(const void *place, uint64_t position, const void *reason)
{
	uint64_t hash = ((uint64_t)(uintptr_t)place + position) * UINT64_C(0x9e3779b97f4a7c15);

	hash ^= (uint64_t)(uintptr_t)reason * UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(hash >> 40);
}

/*
 * ctp_site_lookup: returns the number of a site that ctp_site_remember has interned with this place, or 0. `place`,
 * `position` and `reason` are compared as values; the memory that they point to is not read.
 */
CTP_INLINE uint32_t ctp_site_lookup(const void *place, uint64_t position, const void *reason)
{
	uint32_t index = ctp_site_hash(place, position, reason);
	uint32_t probe;

	for (probe = 0; probe < CTP_SITE_PROBES; probe++) {
		struct ctp_site_slot *slot =
			&ctp_process_state.slots[(index + probe) % CTP_SITE_SLOTS];
		uint32_t id = ctp_load_acquire(&slot->id); /* P7 */

		if (id == 0)
			return 0;
		if (slot->place == place && slot->position == position && slot->reason == reason)
			return id;
	}
	return 0;
}

/* ctp_site_address: returns the site of a code address (kind: CTP_SITE_ADDRESS, _FUNCTION, _INSTRUCTION). */
CTP_INLINE uint32_t ctp_site_address(const void *address, uint32_t kind)
{
	uint32_t id = ctp_site_lookup(address, kind, NULL);

	if (CTP_LIKELY(id != 0))
		return id;
	{
		struct ctp_site_source source = {
			kind, 0, 0, 0, NULL, NULL, NULL, (uint64_t)(uintptr_t)address};

		return ctp_site_remember(address, kind, NULL, &source);
	}
}

/*
 * CTP_SITE(name): the number of the place in the source where the macro stands, with a name (what the wait is for, or
 * NULL). Each place has one static descriptor, which is interned at its first use; each later use costs one load. The
 * name must be a literal or another constant address. In a function that other functions call in order to wait,
 * CTP_SITE names that function, even if it is inlined. To name the caller instead, make the function a macro, or keep
 * it from being inlined and take its return address: ctp_site_address(__builtin_return_address(0), CTP_SITE_ADDRESS).
 */
/*
 * ctp_site_use: returns the number of a place whose descriptor `here` the caller keeps in an object that lives as long
 * as the process, with `id` 0 and the source of the site at first. CTP_SITE calls this function; languages that cannot
 * include this header call it directly.
 */
struct ctp_site_here {
	uint32_t id;
	struct ctp_site_source source;
};

CTP_INLINE uint32_t ctp_site_use(struct ctp_site_here *here)
{
	uint32_t id = ctp_load_acquire(&here->id); /* P7 */

	if (CTP_LIKELY(id != 0) || !ctp_is_attached())
		return id;
	id = ctp_site_remember(NULL, 0, NULL, &here->source);
	if (id != 0)
		ctp_store_release(&here->id, id); /* P7 */
	return id;
}

#define CTP_SITE(name)                                                                             \
	__extension__({                                                                            \
		static struct ctp_site_here ctp_here = {                                           \
			0, {CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C), __LINE__, 0, 0, __FILE__, \
				   __func__, (name), 0}};                                          \
		ctp_site_use(&ctp_here);                                                           \
	})

#ifdef __cplusplus
}
#endif

#include "corotracer/ctp_probe_events.h"
#include "corotracer/ctp_probe_annotate.h"
#include "corotracer/ctp_probe_runtime.h"

/* Inline functions are defined in every translation unit that declares them. */
#if CTP_IS_HEADER_ONLY
#include "corotracer/ctp_probe_cold.h"
#endif

#endif
