/* SPDX-License-Identifier: MIT */
/*
 * Waking a sleeping engine: protocol rules P-91 and P-92, and the engine's death of P-94. A seccomp filter turns each
 * system call into a signal, so that the test sees it.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#define EVENTS 1000

static void emit_one(void)
{
	ctp_emit(1, 2, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
}

static void attach(struct reader *reader)
{
	CHECK(ctp_attach());
	CHECK(reader_take(reader));
	emit_one(); /* what the first event costs is not asked */
}

/* ------------------------------------------------------------------ system calls, seen */

static unsigned nr_futex_calls;
static bool was_open_to_signals;

static void set_result(ucontext_t *context, long result)
{
#if defined(__x86_64__)
	context->uc_mcontext.gregs[REG_RAX] = result;
#else
	context->uc_mcontext.regs[0] = (unsigned long long)result;
#endif
}

static void on_call(int number, siginfo_t *information, void *context)
{
	ucontext_t *interrupted = context;

	(void)number;
	(void)information;
	nr_futex_calls++;
	was_open_to_signals |= sigismember(&interrupted->uc_sigmask, SIGUSR1) != 1;
	set_result(interrupted, -EPERM);
}

/* From here on the call with this number does nothing but what `action` says. */
static bool catch_calls(unsigned number, unsigned action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
	struct sigaction handler = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &handler, NULL);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/*
 * P-91: an event makes no call while the engine is awake and one call while it sleeps, with signals blocked, and errno
 * stays as it was.
 */
static void calls_are_counted(void)
{
	struct reader reader;
	unsigned i;

	attach(&reader);
	if (!catch_calls(SYS_futex, SECCOMP_RET_TRAP))
		return;
	for (i = 0; i < EVENTS; i++)
		emit_one();
	CHECK(nr_futex_calls == 0);
	ctp_store_relaxed(&reader.orders->sleeping, 1);
	errno = ENOTTY;
	emit_one();
	CHECK(errno == ENOTTY);
	CHECK(nr_futex_calls == 1 && !was_open_to_signals);
	CHECK(ctp_load_relaxed(&reader.orders->sleeping) == 0);
	for (i = 0; i < EVENTS; i++)
		emit_one();
	CHECK(nr_futex_calls == 1);
	/* P-94: nobody sets `sleeping` to 0 for an engine that died asleep. */
	ctp_store_relaxed(&reader.orders->sleeping, 1);
	for (i = 0; i < EVENTS; i++)
		emit_one();
	CHECK(nr_futex_calls == 2);
}

/* Every kind of event wakes the engine, and a call that writes no event wakes nobody. */
static void every_event_wakes(void)
{
	struct reader reader;

	attach(&reader);
	ctp_store_relaxed(&reader.orders->sleeping, 1);
	ctp_coro_new();
	CHECK(ctp_load_relaxed(&reader.orders->sleeping) == 1);
	ctp_emit_with(1, 2, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0), CTP_DETAIL_DEADLINE, 3);
	CHECK(ctp_load_relaxed(&reader.orders->sleeping) == 0);
	ctp_store_relaxed(&reader.orders->sleeping, 1);
	ctp_log_text(1, "text", 4, 0);
	CHECK(ctp_load_relaxed(&reader.orders->sleeping) == 0);
}

/* ------------------------------------------------------------------ a waiter */

static uint32_t *waited_for;

static void *emit_when_told(void *unused)
{
	(void)unused;
	while (ctp_load_acquire(waited_for) == 0)
		;
	emit_one();
	return NULL;
}

/* The word `sleeping` is the same futex in all mappings of the segment; otherwise the wake-up would reach nobody. */
static void waiter_is_woken(void)
{
	struct reader reader;
	pthread_t thread;

	attach(&reader);
	waited_for = &reader.orders->sleeping;
	CHECK(pthread_create(&thread, NULL, emit_when_told, NULL) == 0);
	ctp_store_release(waited_for, 1);
	while (ctp_load_relaxed(waited_for) == 1)
		syscall(SYS_futex, waited_for, FUTEX_WAIT, 1, NULL, NULL, 0);
	pthread_join(thread, NULL);
	CHECK(ctp_load_relaxed(waited_for) == 0);
}

/* ------------------------------------------------------------------ registering */

static bool has_barrier(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return commands > 0 && (commands & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

static bool says_it_wakes(const struct reader *reader)
{
	return reader->header->features_compatible & CTP_FEATURE_WAKES;
}

/* P-92: the process registers, and says so; a forked child does, too, whatever its parent has become meanwhile. */
static void *do_nothing(void *unused)
{
	return unused;
}

static void child_attaches(void)
{
	struct reader reader;

	CHECK(!ctp_is_attached());
	attach(&reader);
	CHECK(says_it_wakes(&reader));
}

static void single_thread_registers(void)
{
	struct reader reader;
	pthread_t thread;
	bool is_single = __libc_single_threaded; /* a sanitizer may have made another thread */

	attach(&reader);
	CHECK(says_it_wakes(&reader) == is_single);
	if (!is_single)
		return;
	CHECK(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(in_child(child_attaches) == 0);
}

static void *attach_as_second(void *unused)
{
	struct reader reader;

	attach(&reader);
	CHECK(!says_it_wakes(&reader));
	return unused;
}

/*
 * P-92: a process with several threads that never registered does not say so, and the kernel is not asked to wait for
 * all of the threads.
 */
static void several_threads_do_not(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, attach_as_second, NULL) == 0);
	pthread_join(thread, NULL);
}

/* P-92: where the call is forbidden the process is traced, and does not say that it is registered. */
static void forbidden_is_not_said(void)
{
	struct reader reader;

	if (!catch_calls(SYS_membarrier, SECCOMP_RET_ERRNO | EPERM))
		return;
	attach(&reader);
	CHECK(!says_it_wakes(&reader));
}

int main(void)
{
	bool has_filters = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;

	reader_listen();
	if (!has_barrier())
		SKIP("the kernel has no such barrier");
	/* These two run first: what is registered here is inherited. */
	CHECK(in_child(several_threads_do_not) == 0);
	if (has_filters) {
		CHECK(in_child(forbidden_is_not_said) == 0);
		CHECK(in_child(calls_are_counted) == 0);
	}
	CHECK(in_child(every_event_wakes) == 0);
	CHECK(in_child(waiter_is_woken) == 0);
	CHECK(in_child(single_thread_registers) == 0);
	if (!has_filters && check_result() == 0)
		SKIP("the kernel filters no system calls; the rest passed");
	return check_result();
}
