/* SPDX-License-Identifier: MIT */
/*
 * A program that is killed by a signal under the ledger: it ends exactly as without the ledger, and the last event says
 * which signal, where, and on which thread. Each death is compared with the same one untraced.
 */
#include "check.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tiny_engine.h"

static const char *target, *ledger, *terminating;

static void start(struct tiny_run *run, const char *command, bool is_traced)
{
	char *arguments[] = {(char *)(uintptr_t)target, (char *)(uintptr_t)command, NULL};

	memset(run, 0, sizeof(*run));
	run->preload = is_traced ? ledger : NULL;
	run->without_engine = !is_traced;
	tiny_start(run, arguments);
}

static int status_untraced(const char *command)
{
	struct tiny_run run;
	int status;

	start(&run, command, false);
	tiny_finish(&run);
	status = run.status;
	tiny_fini(&run);
	return status;
}

static const struct tiny_event *crash_of(const struct tiny_run *run)
{
	size_t index = 0;

	return tiny_next(run, &index, CTP_KIND_CRASH);
}

static void check_crash(const struct tiny_run *run, int number, unsigned flags)
{
	const struct tiny_event *event = crash_of(run);
	const struct ctp_site *site;

	CHECK(WIFSIGNALED(run->status) && WTERMSIG(run->status) == number);
	CHECK_EQUAL(tiny_count(run, CTP_KIND_CRASH), 1);
	if (!event)
		return;
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(event->record.tail), number);
	CHECK_EQUAL(CTP_TAIL_FLAGS(event->record.tail), flags);
	site = tiny_site(run, event);
	CHECK(site && site->address != 0);
	CHECK(site && site->ready == (flags == 2 ? CTP_SITE_ADDRESS : CTP_SITE_INSTRUCTION));
}

static void test_fault(const char *command, bool is_main_thread)
{
	const struct tiny_event *event;
	struct tiny_run run;
	char output[32] = "";
	long tid;

	start(&run, command, true);
	tiny_finish(&run);
	CHECK(read(run.output, output, sizeof(output) - 1) > 0);
	tid = strtol(output, NULL, 10);
	CHECK_EQUAL(run.status, status_untraced(command));
	check_crash(&run, SIGSEGV, 0);
	event = crash_of(&run);
	if (event) {
		CHECK_EQUAL(event->tid, tid);
		CHECK_EQUAL(event->record.object, 16);
		CHECK_EQUAL(tid == run.pid, is_main_thread);
	}
	tiny_fini(&run);
}

/* If the target of a call is not code, the caller is recorded. */
static void test_jump(void)
{
	const struct tiny_event *event;
	const struct ctp_site *site;
	struct tiny_run run;
	char output[32] = "";
	uint64_t function;
	size_t index = 0;

	start(&run, "jump", true);
	tiny_finish(&run);
	CHECK(read(run.output, output, sizeof(output) - 1) > 0);
	function = strtoull(output, NULL, 16);
	CHECK_EQUAL(run.status, status_untraced("jump"));
	check_crash(&run, SIGSEGV, 0);
	CHECK(tiny_next(&run, &index, CTP_KIND_CRASH));
	event = tiny_next(&run, &index, CTP_KIND_DETAIL);
	CHECK(event && CTP_TAIL_ARGUMENT(event->record.tail) == CTP_DETAIL_CALLER);
	site = event ? tiny_site(&run, event) : NULL;
	CHECK(site && site->ready == CTP_SITE_ADDRESS);
	CHECK(event && event->record.object > function && event->record.object < function + 256);
	tiny_fini(&run);
}

/* The place is that of abort's caller, not one in libc or the C++ runtime. */
static void test_abort(const char *command)
{
	const struct ctp_site *site;
	struct tiny_run run;
	char output[32] = "";
	uint64_t function;

	start(&run, command, true);
	tiny_finish(&run);
	CHECK(read(run.output, output, sizeof(output) - 1) > 0);
	function = strtoull(output, NULL, 16);
	CHECK_EQUAL(run.status, status_untraced(command));
	check_crash(&run, SIGABRT, 2);
	site = crash_of(&run) ? tiny_site(&run, crash_of(&run)) : NULL;
	CHECK(site && site->address > function && site->address < function + 256);
	tiny_fini(&run);
}

/* There was no call: the instruction itself faulted. */
static void test_death(const char *command, int number, unsigned flags)
{
	struct tiny_run run;
	size_t index = 0;

	start(&run, command, true);
	tiny_finish(&run);
	CHECK_EQUAL(run.status, status_untraced(command));
	check_crash(&run, number, flags);
	CHECK(tiny_next(&run, &index, CTP_KIND_CRASH));
	CHECK(!tiny_next(&run, &index, CTP_KIND_DETAIL));
	tiny_fini(&run);
}

static void test_sent(int number, unsigned flags, size_t nr_crashes)
{
	struct tiny_run run;
	char output[8];

	start(&run, "wait-for-signal", true);
	CHECK_EQUAL(read(run.output, output, 6), 6);
	CHECK(kill(run.pid, number) == 0);
	tiny_finish(&run);
	CHECK(WIFSIGNALED(run.status) && WTERMSIG(run.status) == number);
	CHECK_EQUAL(tiny_count(&run, CTP_KIND_CRASH), nr_crashes);
	if (nr_crashes)
		check_crash(&run, number, flags);
	tiny_fini(&run);
}

/* There is no stack for a handler: the kernel ends the program as usual. */
static void test_overflow(void)
{
	struct tiny_run run;

	start(&run, "overflow", true);
	tiny_finish(&run);
	CHECK_EQUAL(run.status, status_untraced("overflow"));
	tiny_fini(&run);
}

/* A program that handles the signal itself, or asks for the present handler, sees nothing of ours. */
static void test_survival(const char *command)
{
	struct tiny_run run;

	start(&run, command, true);
	tiny_finish(&run);
	CHECK(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 0);
	CHECK_EQUAL(run.nr_segments, 1);
	CHECK_EQUAL(tiny_count(&run, CTP_KIND_CRASH), 0);
	tiny_fini(&run);
}

/* The siginfo of the next signal to the program, which is then delivered. */
static siginfo_t next_signal(pid_t pid, int number)
{
	siginfo_t info = {.si_signo = 0};
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	CHECK_EQUAL(WSTOPSIG(status), number);
	CHECK(ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) == 0);
	CHECK(ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)number) == 0);
	return info;
}

/*
 * What a debugger or a core file shows: the signal that ends the program is the original one, with the same code,
 * sender and address.
 */
static void test_siginfo(void)
{
	struct tiny_run run;
	siginfo_t first, second;
	char output[8];

	start(&run, "wait-for-signal", true);
	CHECK_EQUAL(read(run.output, output, 6), 6);
	if (ptrace(PTRACE_SEIZE, run.pid, NULL, NULL) != 0) {
		fprintf(stderr, "ptrace is not allowed here: siginfo was not looked at\n");
		kill(run.pid, SIGKILL);
	} else {
		CHECK(kill(run.pid, SIGBUS) == 0);
		first = next_signal(run.pid, SIGBUS);
		second = next_signal(run.pid, SIGBUS);
		CHECK_EQUAL(first.si_code, SI_USER);
		CHECK_EQUAL(second.si_code, SI_USER);
		CHECK_EQUAL(second.si_pid, getpid());
	}
	tiny_finish(&run);
	tiny_fini(&run);
}

int main(int nr_arguments, char **arguments)
{
	if (nr_arguments != 4)
		return 2;
	target = arguments[1];
	ledger = arguments[2];
	terminating = arguments[3];
	test_fault("fault", true);
	test_fault("fault-in-thread", false);
	test_jump();
	test_death("illegal", SIGILL, 0);
	test_abort("abort");
	test_death("handler-gives-up", SIGSEGV, 0);
	test_death("handler-gives-up-properly", SIGSEGV, 0);
	test_survival("own-handler");
	test_survival("ignored");
	test_siginfo();
	test_sent(SIGSEGV, 1, 1);
	test_sent(SIGABRT, 1, 1);
	test_sent(SIGTERM, 0, 0);
	test_sent(SIGKILL, 0, 0);
	test_overflow();
	target = terminating;
	test_abort("uncaught");
#ifndef __clang__ /* clang's noexcept functions unwind first, and call a function of the compiler's own */
	test_abort("noexcept");
#endif
	test_abort("terminate");
	return check_result();
}
