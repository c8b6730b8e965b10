/* SPDX-License-Identifier: MIT */
/*
 * Fibers: functions with a stack of their own, which several worker threads run. A fiber that must wait gives its
 * worker to another fiber, and may later continue on any worker.
 *
 * Consequence for thread-local memory: a compiler may compute the address of a thread-local variable, even errno's,
 * once in a function and keep it. After a call that can suspend, that address may belong to another thread. So fibers
 * use fiber_errno(), and no thread-local variables across such a call. The value of errno moves with the fiber.
 *
 * Functions of this header that take a site are called through the macro of the same name, which adds the caller's
 * place. Functions marked "Suspends" may be called only in fibers.
 */
#ifndef FIBER_FIBER_H
#define FIBER_FIBER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "corotracer/ctp_probe.h"

struct fiber;
struct scheduler;

typedef void fiber_function(void *argument);

/*
 * fiber_spawn: makes a new fiber that is ready to run. The caller owns the handle and releases it with fiber_release,
 * before or after the fiber's end. `name` is for logs and must live as long as the fiber. NULL: out of memory. Any
 * thread.
 */
#define fiber_spawn(scheduler, name, function, argument) \
	fiber_spawn_at((scheduler), (name), (function), (argument), CTP_SITE("spawn"))
struct fiber *fiber_spawn_at(struct scheduler *scheduler, const char *name,
	fiber_function *function, void *argument, uint32_t site);

/* fiber_release: releases the caller's handle. */
void fiber_release(struct fiber *fiber);

/* fiber_join: waits until `child` has ended or was destroyed. Suspends. */
#define fiber_join(child) fiber_join_at((child), CTP_SITE("fiber_join"))
void fiber_join_at(struct fiber *child, uint32_t site);

/* fiber_yield: lets other ready fibers run first, if there are any. Suspends. */
#define fiber_yield() fiber_yield_at(CTP_SITE("fiber_yield"))
void fiber_yield_at(uint32_t site);

/*
 * fiber_park: waits for fiber_unpark. The call may also return without a reason, so callers check their condition and
 * park again. An earlier unpark is not lost. Suspends.
 */
#define fiber_park() fiber_park_at(CTP_SITE("fiber_park"))
void fiber_park_at(uint32_t site);

/* fiber_unpark: makes a parked fiber ready. Any thread. */
#define fiber_unpark(fiber) fiber_unpark_at((fiber), CTP_SITE("fiber_unpark"))
void fiber_unpark_at(struct fiber *fiber, uint32_t site);

/* fiber_sleep_until: waits until CLOCK_MONOTONIC reaches `deadline_ns`. Suspends. */
#define fiber_sleep_until(deadline_ns) \
	fiber_sleep_until_at((deadline_ns), CTP_SITE("fiber_sleep_until"))
void fiber_sleep_until_at(uint64_t deadline_ns, uint32_t site);

/*
 * fiber_read, fiber_write: read(2) and write(2) of a non-blocking descriptor; if the call would block, the fiber waits
 * for readiness. Results are those of read and write, with the reason in fiber_errno(). Only one fiber at a time may
 * wait for a descriptor. Suspend.
 */
#define fiber_read(fd, buffer, nr_bytes) \
	fiber_read_at((fd), (buffer), (nr_bytes), CTP_SITE("fiber_read"))
ssize_t fiber_read_at(int fd, void *buffer, size_t nr_bytes, uint32_t site);
#define fiber_write(fd, buffer, nr_bytes) \
	fiber_write_at((fd), (buffer), (nr_bytes), CTP_SITE("fiber_write"))
ssize_t fiber_write_at(int fd, const void *buffer, size_t nr_bytes, uint32_t site);

/*
 * fiber_destroy: ends a fiber that waits for a mutex, semaphore, channel, timer, or another fiber. Its stack is
 * released without being unwound: what it holds stays held. False: it does not wait, or it is about to be woken. Any
 * thread, but never on itself; the caller keeps its handle.
 */
#define fiber_destroy(fiber) fiber_destroy_at((fiber), CTP_SITE("fiber_destroy"))
bool fiber_destroy_at(struct fiber *fiber, uint32_t site);

/* fiber_self: the running fiber; NULL outside of fibers. */
struct fiber *fiber_self(void);

/* fiber_errno, fiber_set_errno: get and set errno of the thread that now runs the caller. */
int fiber_errno(void);
void fiber_set_errno(int number);

/* fiber_id: the tracer's number of the fiber; 0: it was not traced when it was spawned. */
uint64_t fiber_id(const struct fiber *fiber);
const char *fiber_name(const struct fiber *fiber);

/* The present state of a fiber. */
enum fiber_state {
	FIBER_READY = 0,
	FIBER_RUNNING,
	FIBER_NOTIFIED, /* running, and already woken: it will not wait */
	FIBER_WAITING,
	FIBER_DONE,
	FIBER_DESTROYED,
};

enum fiber_state fiber_state(const struct fiber *fiber);

/* fiber_now_ns: CLOCK_MONOTONIC. */
uint64_t fiber_now_ns(void);

#endif
