/* SPDX-License-Identifier: MIT */
/*
 * What the engine itself records about threads: their states when nothing runs, and the kernel's account of them.
 *
 * argv[1] is tests/targets/collect_target.
 */
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_calls.h"
#include "whole_run.h"

static const char *target;

static void end_by_kill(struct run *run)
{
	collect_signal(run->collect, SIGKILL, false, &run->trouble);
	run_to_end(run);
	CHECK_EQUAL(run->stats.ending_value, SIGKILL);
}

/*
 * Checks what the engine records about a target that stalls: the state of its only thread, whether it waits without
 * end, and the flags. 2: something else can resume it; 4: only handlers of signals can; 16: only the process itself can
 * make what it polls ready.
 */
static void check_stall(const char *how, long system_call, bool is_for_ever, unsigned flags)
{
	const char *command[] = {target, "stall", how, NULL};
	const struct ctp_record *state;
	struct run run;

	run_open(&run, command);
	step_until_kind(&run, CTP_KIND_THREAD_STATE);
	state = &first_of_kind(&run, CTP_KIND_THREAD_STATE)->record;
	CHECK_EQUAL(state->coro, run.stats.target_pid);
	CHECK_EQUAL(state->object & 0xff, 'S');
	CHECK_EQUAL(state->object >> 8, system_call);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(state->tail), is_for_ever);
	CHECK_EQUAL(CTP_TAIL_FLAGS(state->tail), flags);
	end_by_kill(&run);
	run_close(&run);
}

static void test_stalls(void)
{
	check_stall("futex", SYSTEM_CALL_futex, true, 0);
	check_stall("futex-timed", SYSTEM_CALL_futex, false, 0);
	check_stall("epoll", SYSTEM_CALL_epoll_pwait, true, 16);
	check_stall("epoll-timed", SYSTEM_CALL_epoll_pwait, false, 16);
	/* an armed timer may end the wait */
	check_stall("epoll-timer", SYSTEM_CALL_epoll_pwait, false, 16);
	check_stall("epoll-idle-timer", SYSTEM_CALL_epoll_pwait, true, 16);
	check_stall("epoll-handler", SYSTEM_CALL_epoll_pwait, true, 2 | 4 | 16);
	check_stall("epoll-child", SYSTEM_CALL_epoll_pwait, true, 2 | 16);
}

/*
 * The engine must record that the thread in poll or select waits for descriptors 5 and 7, the latter for these events.
 */
static void check_polls(const char *how, unsigned events_of_7)
{
	const char *command[] = {target, "stall", how, NULL};
	const struct kept_record *told;
	struct run run;

	run_open(&run, command);
	step_until_kind(&run, CTP_KIND_THREAD_STATE);
	told = first_of_kind(&run, CTP_KIND_THREAD_POLL);
	CHECK_EQUAL(told[0].record.object, CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, 5));
	CHECK_EQUAL(CTP_TAIL_FLAGS(told[0].record.tail), POLLIN);
	CHECK_EQUAL(told[1].record.object, CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, 7));
	CHECK_EQUAL(CTP_TAIL_FLAGS(told[1].record.tail), events_of_7);
	CHECK_EQUAL(CTP_TAIL_KIND(told[2].record.tail), CTP_KIND_THREAD_STATE);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(told[2].record.tail), 1);
	CHECK_EQUAL(CTP_TAIL_FLAGS(told[2].record.tail), 8);
	CHECK_EQUAL(told[0].record.time, told[2].record.time);
	CHECK_EQUAL(told[1].record.coro, told[2].record.coro);
	end_by_kill(&run);
	run_close(&run);
}

/* What poll of the C library calls: machines of later years have no call without a mask of signals. */
#ifdef __NR_poll
#define CALL_OF_POLL SYSTEM_CALL_poll
#else
#define CALL_OF_POLL SYSTEM_CALL_ppoll
#endif

static void test_polls(void)
{
	check_polls("poll", POLLIN | POLLOUT);
	check_polls("select", POLLIN | POLLOUT);
	check_stall(
		"poll-many", CALL_OF_POLL, true, 0); /* too many descriptors: none is recorded */
}

/*
 * More threads than the engine looks at: the last one that it looks at has the flag, and no other. On a busy machine,
 * further looks may follow before the test continues.
 */
static void test_many_threads(void)
{
	const char *command[] = {target, "crowd", "4200", NULL};
	size_t i, nr_looks = 0, nr_flagged = 0;
	struct run run;

	run_open(&run, command);
	step_until_kind(&run, CTP_KIND_THREAD_STATE); /* all records of one look come in one step */
	for (i = 0; i < run.keep.records.count && nr_flagged == 0; i++) {
		uint64_t tail = run.keep.records.at[i].record.tail;
		bool is_look = CTP_TAIL_KIND(tail) == CTP_KIND_THREAD_STATE;

		nr_looks += is_look;
		nr_flagged += is_look && (CTP_TAIL_FLAGS(tail) & 1);
	}
	CHECK_EQUAL(nr_looks, 4096);
	CHECK_EQUAL(nr_flagged, 1);
	end_by_kill(&run);
	run_close(&run);
}

/* The kernel's account of a thread that writes without a pause: it has run. */
static void test_thread_time(void)
{
	char path[] = "/tmp/corotracer-test-XXXXXX";
	int descriptor = mkstemp(path);
	const char *command[] = {target, "flood", path, NULL};
	const struct kept_record *account;
	struct run run;

	CHECK_EQUAL(ftruncate(descriptor, sizeof(uint64_t)), 0);
	close(descriptor);
	run_open(&run, command);
	step_until_kind(&run, CTP_KIND_THREAD_TIME);
	account = first_of_kind(&run, CTP_KIND_THREAD_TIME);
	CHECK(account->record.coro > 0);
	CHECK(account->thread == first_of_kind(&run, CTP_KIND_SUSPEND)->thread);
	end_by_kill(&run);
	run_close(&run);
	unlink(path);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		SKIP("the target's path is the first argument");
	target = argv[1];
	test_stalls();
	test_polls();
	test_many_threads();
	test_thread_time();
	return check_result();
}
