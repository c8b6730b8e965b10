/* SPDX-License-Identifier: MIT */
/*
 * The probe: how a program writes coroutine events into its segment (ctp.h).
 *
 * The hot path is inline: one relaxed load and a branch where nobody wants events; otherwise one reading of the
 * time-stamp counter and a few plain stores into a ring that belongs to the calling thread. No lock, no locked
 * instruction, no system call, no call through the PLT, no allocation, and errno stays as it is. All that is dear is in
 * functions marked CTP_COLD, met once per thread, per site, or per 2,048 events.
 *
 * Programs in C, and in C++11 to C++17, link libcorotracer-probe. In C++20 the cold functions
 * (ctp_probe_cold.h) are inline, and no library is needed. Other languages call the library,
 * which has each call below as an ordinary function, too (def/functions.def).
 *
 * All functions may be called on any thread at any time, also from signal handlers and when not
 * attached. An event that a signal handler writes while the same thread is half-way through another
 * one is given up and counted (CTP_LOSS_NESTED). After fork() the child is detached: its gate is wiped
 * by the kernel (MADV_WIPEONFORK), so it never writes its parent's rings.
 */
#ifndef COROTRACER_CTP_PROBE_H
#define COROTRACER_CTP_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "corotracer/ctp.h"

/* Whether the cold functions and the state are inline: not where the language lacks what that takes. */
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

/* The straight way for what holds more often than not; the other way stays near, and is not laid out as rare. */
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
 * The gate: a page of its own, which the kernel fills with zeros in a forked child. `pass` is 0 while
 * nothing traces; else it names the attachment and holds what time-stamps count in its low byte.
 */
struct ctp_gate {
	CTP_ALIGNED(4096) uint32_t pass;
	uint32_t attach_lock; /* 1: a thread is attaching */
	uint8_t rest_of_page[4088];
};

/*
 * The segment's orders are mapped over this page: an event reads them at a fixed place. A forked child still sees its
 * parent's, which is why the gate's pass is asked after them. Where pages are larger than this one, nothing is mapped:
 * this page is the probe's own, and says once and for all that events are wanted.
 */
struct ctp_orders_place {
	CTP_ALIGNED(4096) struct ctp_orders orders;
	uint8_t rest_of_page[4096 - sizeof(struct ctp_orders)];
};

#define CTP_PASS(epoch, clock) (((uint32_t)(epoch) << 8) | (uint32_t)(clock))
#define CTP_PASS_CLOCK(pass) ((pass)&0xffu)

/*
 * One thread's own state: one cache line and the coroutine that runs there, zero until its first event. `cursor` is a
 * multiple of CTP_CHUNK_BYTES exactly where the next record needs the cold path: at a chunk's end, or NULL.
 */
struct ctp_thread {
	CTP_ALIGNED(64) struct ctp_record *cursor; /* where the next record goes */
	struct ctp_ring *ring;
	uint64_t head;    /* the private copy of ring->head */
	uintptr_t busy;   /* stack pointer of what is under way, | CTP_BUSY_ID; 0: nothing */
	uint64_t id_next; /* the next coroutine id; a multiple of CTP_ID_BLOCK: none left */
	struct ctp_header *header; /* the segment that the ring lies in */
	uint32_t pass;             /* of the attachment this thread joined; another one is stale */
	uint32_t chunk_max;        /* of that segment */
	uint32_t tid;              /* kernel thread id, as claimed with */
	uint32_t owes_start;       /* 1: THREAD_START is still to be written */
	uint64_t current;          /* the coroutine that runs, as ctp_current returns it */
	uint64_t before_spawn;     /* the one before the last ctp_current_spawn */
};

#define CTP_BUSY_ID 1u /* a coroutine id is being taken: no event is lost if it is abandoned */

/* One remembered site: the place it was interned from, and its number once that is known. */
struct ctp_site_slot {
	const void *place;  /* a location's address, a file name's, or an instruction's */
	uint64_t position;  /* line << 32 | column where `place` is a file name */
	const void *reason; /* the name's address, or NULL */
	uint32_t id; /* P7 release by ctp_slot_fill; pairs with P7 in ctp_site_lookup (acquire) */
	uint32_t claimed; /* 1: some thread fills it, or has done so */
};

#define CTP_SITE_SLOTS 8192u
#define CTP_SITE_PROBES 16u

/* The process's own state: written by attach and detach only, but for the slots and rings_free. */
struct ctp_process {
	struct ctp_header *header;     /* the segment attached last, or NULL; stays mapped */
	uint64_t segment_bytes, epoch; /* epoch counts attachments */
	int descriptor;                /* the memfd, kept open so that an engine can find it */
	uint64_t device, inode;        /* and which file that is */
	uint32_t pid;                  /* the process that attached */
	uint32_t chunk_max; /* of the segment: our own copy, the header's is not trusted */
	uint32_t ring_max, site_max, name_bytes; /* likewise; the least of all attachments */
	uint32_t rings_free;                     /* rings that threads gave back */
	uint32_t is_guarded;                     /* 1: a fork closes the gate */
	uint32_t has_thread_key;                 /* 1: thread_key is made */
	uint32_t has_lock; /* 1: a fork closes `descriptor`, which holds a flight recorder's lock */
	uint32_t thread_key; /* a pthread_key_t: gives the ring back when a thread ends */
	struct ctp_site_slot slots[CTP_SITE_SLOTS];
};

#if CTP_IS_HEADER_ONLY
/* One of each in a process, also where its parts are compiled with -fvisibility=hidden. */
#define CTP_SHARED __attribute__((visibility("default")))
CTP_SHARED inline ctp_gate ctp_gate_page{};
CTP_SHARED inline ctp_orders_place ctp_orders_page{};
CTP_SHARED inline ctp_process ctp_process_state{};
/* used: the only references may stand in assembly, where the compiler does not see them. */
CTP_SHARED inline constinit
	__attribute__((tls_model("initial-exec"), used)) thread_local ctp_thread ctp_thread_state{};
#else
extern struct ctp_gate ctp_gate_page;
extern struct ctp_orders_place ctp_orders_page;
extern struct ctp_process ctp_process_state;
extern __attribute__((tls_model("initial-exec"))) __thread struct ctp_thread ctp_thread_state;
#endif

/*
 * ctp_attach: creates the segment and hands it to the engine that COROTRACER_SOCKET names. Call it
 * once, early in main(). Returns true when events are recorded from now on; false, silently, when no
 * engine asked for this process: the segment then waits, with nothing written, for one that comes later
 * ('corotracer attach PID'). COROTRACER_ATTACH=0 refuses that; where the machine refuses memory
 * (RLIMIT_FSIZE, RLIMIT_AS, seccomp) there is no segment, and the program runs untraced. Never blocks,
 * never prints; keeps errno. A second call returns the present state; in a forked child it attaches anew.
 * Without an engine, COROTRACER_FLIGHT=PATH[,BYTES] has the program keep its own past (ctp_flight.h).
 */
CTP_COLD bool ctp_attach(void);

/* ctp_attach_as: ctp_attach with a role (enum ctp_role); the ledger's way in. */
CTP_COLD bool ctp_attach_as(uint32_t role);

/*
 * ctp_detach: closes the gate. Events after it cost a load and a branch. Threads that are writing
 * finish their record; the segment stays mapped until the process ends, so none can fault.
 */
CTP_COLD void ctp_detach(void);

/*
 * Used by the inline functions below; not for users.
 *
 * ctp_next_chunk: makes room for one record at thread->cursor, claiming a ring for the thread first
 * if it has none, or one of an attachment that is over. False: no room; the event at `time` has been
 * counted as dropped, or as untraced where no ring is left.
 * ctp_nested: an event met thread->busy set. True: the earlier event was abandoned (siglongjmp out of
 * a handler), go on; false: this one is nested and has been counted as lost.
 * ctp_id_refill: a coroutine id where the thread's block is used up, or (is_nested) is in use below
 * a signal handler, which then takes one id straight from the segment.
 * ctp_time_slow: a time-stamp of a clock other than the counter.
 * ctp_engine_wake: wakes the engine, if nobody has done so since it went to sleep.
 * ctp_site_remember: interns a source location, address or name; where `place` is not NULL, also
 * remembers its slot for ctp_site_lookup. 0: refused (not attached, table full), and counted.
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
	uint32_t reason_bytes; /* length of reason where it is not NUL-terminated, else 0 */
	const char *file;
	const char *function;
	const char *reason;
	uint64_t address;
};
CTP_COLD uint32_t ctp_site_remember(const void *place, uint64_t position, const void *reason_key,
	const struct ctp_site_source *source);

/*
 * ctp_thread_self: the calling thread's state. The address is computed anew at each call: a compiler
 * may keep the address of a thread-local across a context switch, and a coroutine that has migrated
 * would then write another thread's ring.
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

/* ctp_present_pass: 0 while nobody wants events, after one relaxed load; else the gate's pass. */
CTP_INLINE uint32_t ctp_present_pass(void)
{
	if (CTP_RATHER(ctp_load_relaxed(&ctp_orders_page.orders.wanted) == 0))
		return 0;
	return ctp_load_relaxed(&ctp_gate_page.pass);
}

/* ctp_is_attached: true while events are recorded. */
CTP_INLINE bool ctp_is_attached(void)
{
	return ctp_present_pass() != 0;
}

/*
 * Events that follow something another thread gave: taken with a lock held, or from a queue. A counter read may execute
 * before the locked instruction in front of it has its cache line; the time-stamp is then some microseconds too early,
 * never too late. So these read the counter behind all that came before, which costs nothing behind a locked
 * instruction: that is waited for anyway. The reader puts other events that are early in order.
 */
#define CTP_KINDS_FENCED                                                              \
	(UINT64_C(1) << CTP_KIND_CREATE | UINT64_C(1) << CTP_KIND_WAKE |              \
		UINT64_C(1) << CTP_KIND_DEQUEUE | UINT64_C(1) << CTP_KIND_ACQUIRE |   \
		UINT64_C(1) << CTP_KIND_RELEASE | UINT64_C(1) << CTP_KIND_HAND_OVER | \
		UINT64_C(1) << CTP_KIND_NOTIFY)

/* ctp_fence: everything before it is done before the counter is read. */
CTP_INLINE void ctp_fence(void)
{
#if defined(__x86_64__)
	_mm_lfence();
#else
	__asm__ volatile("isb" : : : "memory");
#endif
}

/* ctp_time_of: the time of an event with this tail, whose kind the compiler knows mostly. */
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

/* ctp_enter: takes the thread's state for one event; false: nested, and counted. */
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
 * ctp_finish: ctp_leave, after an event; and wakes the engine, where that sleeps. The load must not come before
 * the head's store: ctp_leave keeps the compiler from that, and the engine's barrier the processor (P12).
 */
CTP_INLINE void ctp_finish(struct ctp_thread *thread)
{
	ctp_leave(thread);
	if (CTP_UNLIKELY(ctp_load_relaxed(&ctp_orders_page.orders.sleeping) != 0))
		ctp_engine_wake();
}

/*
 * ctp_publish: writes a record at thread->cursor, which has room, and publishes it. The words are
 * atomic because an overwriting ring's reader may copy them while they change (it checks afterwards).
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

/* ctp_is_unwanted: has the engine switched the category off? Scheduling is always wanted. */
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
 * ctp_emit_of: writes one event of a category: a coroutine (0: none), an object, and the tail made by
 * CTP_TAIL. ctp_emit: the same, of scheduling.
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
 * ctp_emit_with_of: ctp_emit_of, and at the same instant a detail of the event. The detail is written only
 * where the event was, so it never stands behind another one.
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

/* ctp_emit_with: the same, of scheduling. */
CTP_INLINE void ctp_emit_with(
	uint64_t coro, uint64_t object, uint64_t tail, enum ctp_detail detail, uint64_t number)
{
	ctp_emit_with_of(CTP_CATEGORY_SCHEDULING, coro, object, tail, detail, number);
}

/*
 * ctp_attachment: names the time during which events are wanted, and is 0 outside; facts told of an object in another
 * such time are not known in this one.
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
 * ctp_coro_new: an id that no other coroutine of this process has or will have, also while events are not wanted:
 * coroutines that are traced later must be told apart then. 0 where there is no segment.
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
 * ctp_site_lookup: the number of a site that was met before, or 0. `place`, `position` and `reason`
 * are compared as they are; nothing they point to is read.
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

/* ctp_site_address: the site of a code address (kind: CTP_SITE_ADDRESS, _FUNCTION, _INSTRUCTION). */
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
 * CTP_SITE(name): the number of the place where it stands, with a name (what the wait is for, or NULL). One static
 * descriptor per place, interned at its first use; one load later on. The name has to be a literal, or another constant
 * address. In a function that others call to wait, CTP_SITE names that function, inlined or not: there, make the
 * function a macro, or take the address to which it returns, where it is not inlined:
 * ctp_site_address(__builtin_return_address(0), CTP_SITE_ADDRESS).
 */
/*
 * ctp_site_use: the number of a place that the caller keeps by itself, in an object that lives as long as the process:
 * `id` 0, and the source of the site. What CTP_SITE does; for languages that cannot include this header.
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

/* Inline functions are defined wherever they are declared. */
#if CTP_IS_HEADER_ONLY
#include "corotracer/ctp_probe_cold.h"
#endif

#endif
