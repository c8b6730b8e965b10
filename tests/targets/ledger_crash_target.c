/* SPDX-License-Identifier: MIT */
/*
 * A program without tracing, for the tests of the descriptor ledger: each sub-command is one way to be killed by a
 * signal, or to survive one. Must never link any part of corotracer.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "need.h"

static int *volatile nowhere = (int *)16;

static void *fault(void *unused)
{
	printf("%ld\n", syscall(SYS_gettid));
	fflush(stdout);
	*nowhere = 1;
	return unused;
}

static int do_fault(void)
{
	fault(NULL);
	return 0;
}

static int do_fault_in_thread(void)
{
	pthread_t thread;

	NEED(pthread_create(&thread, NULL, fault, NULL) == 0);
	pthread_join(thread, NULL);
	return 0;
}

/* Like a resume through a freed frame. */
__attribute__((noinline)) static int do_jump(void)
{
	void (*volatile data)(void) = (void (*)(void))nowhere;

	printf("%lx\n", (unsigned long)do_jump);
	fflush(stdout);
	data();
	return 0;
}

static int do_illegal(void)
{
	__builtin_trap();
}

static int do_abort(void)
{
	printf("%lx\n", (unsigned long)do_abort);
	fflush(stdout);
	abort();
}

static int do_wait_for_signal(void)
{
	printf("ready\n");
	fflush(stdout);
	pause();
	return 1;
}

static int deep(int depth)
{
	volatile char room[4096];

	room[depth % 4096] = (char)depth;
	return depth == 1 << 30 ? 0 : deep(depth + 1) + room[0];
}

static int do_overflow(void)
{
	return deep(0);
}

static sigjmp_buf back;

static void jump_back(int number)
{
	siglongjmp(back, number);
}

static int do_own_handler(void)
{
	struct sigaction old;

	NEED(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL && old.sa_flags == 0);
	NEED(signal(SIGSEGV, jump_back) == SIG_DFL);
	NEED(signal(SIGSEGV, jump_back) == jump_back);
	if (sigsetjmp(back, 1) == 0) {
		*nowhere = 1;
		return 1;
	}
	NEED(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == jump_back);
	return 0;
}

/* Like some language runtimes: a handler that sets the default action and lets the fault happen again. */
static void give_up(int number)
{
	signal(number, SIG_DFL);
}

static int do_handler_gives_up(void)
{
	NEED(signal(SIGSEGV, give_up) == SIG_DFL);
	*nowhere = 1;
	return 1;
}

static void give_up_properly(int number)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};

	NEED(sigaction(number, &standard, NULL) == 0);
}

static int do_handler_gives_up_properly(void)
{
	struct sigaction action = {.sa_handler = give_up_properly};

	NEED(sigaction(SIGSEGV, &action, NULL) == 0);
	*nowhere = 1;
	return 1;
}

static int do_ignored(void)
{
	NEED(signal(SIGFPE, SIG_IGN) == SIG_DFL);
	NEED(raise(SIGFPE) == 0);
	NEED(signal(SIGFPE, SIG_DFL) == SIG_IGN);
	NEED(signal(SIGFPE, SIG_IGN) == SIG_DFL);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} commands[] = {
	{"fault", do_fault},
	{"fault-in-thread", do_fault_in_thread},
	{"jump", do_jump},
	{"illegal", do_illegal},
	{"abort", do_abort},
	{"wait-for-signal", do_wait_for_signal},
	{"overflow", do_overflow},
	{"own-handler", do_own_handler},
	{"handler-gives-up", do_handler_gives_up},
	{"handler-gives-up-properly", do_handler_gives_up_properly},
	{"ignored", do_ignored},
};

int main(int nr_arguments, char **arguments)
{
	struct rlimit no_core = {0, 0};
	size_t i;

	if (nr_arguments != 2)
		return 2;
	setrlimit(RLIMIT_CORE, &no_core);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(arguments[1], commands[i].name) == 0)
			return commands[i].run();
	}
	return 2;
}
