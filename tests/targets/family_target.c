/* SPDX-License-Identifier: MIT */
/*
 * A program that becomes several processes, each of which attaches and writes three counter events, whose object is its
 * letter. The first argument says how:
 *
 *	leaf LETTER	no further process
 *	fork	forks b
 *	exec	forks, and the child becomes "leaf b"
 *	vfork	the same by vfork
 *	spawn	"leaf b" by posix_spawn
 *	orphan	forks; the child forks b and exits before b attaches
 *	copy LIBRARY	loads a library with a probe of its own, which writes b on the same thread
 *	plug-in LIBRARY	the same on another thread, which ends after the library was given back; then it is
 *			loaded once more and writes c
 *	successor GO READY	b ends when a byte can be read from the descriptor GO; then c gets its process
 *			id, writes, tells so to READY, and ends at the next byte. Ends with 77 where it
 *			may not choose a process id
 *
 * All processes that it starts have ended when it ends itself.
 */
#include <dlfcn.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"
#include "need.h"

extern char **environ;

static void write_letter(char letter)
{
	unsigned i;

	NEED(ctp_attach());
	for (i = 0; i < 3; i++)
		ctp_emit(0, (unsigned char)letter,
			CTP_TAIL(CTP_SITE("letter"), CTP_KIND_COUNTER, 0, 0));
}

static void wait_for(pid_t child)
{
	int status;

	NEED(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void become_leaf(const char *program)
{
	execl(program, program, "leaf", "b", NULL);
	_exit(2);
}

static void run_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		write_letter('b');
		_exit(0);
	}
	wait_for(child);
}

static void run_exec(const char *program)
{
	pid_t child = fork();

	if (child == 0)
		become_leaf(program);
	wait_for(child);
}

static void run_vfork(const char *program)
{
	pid_t child = vfork();

	if (child == 0)
		become_leaf(program);
	wait_for(child);
}

static void run_spawn(char *program)
{
	char *arguments[] = {program, (char[]){"leaf"}, (char[]){"b"}, NULL};
	pid_t child;

	NEED(posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0);
	wait_for(child);
}

/* The pipe's end is seen when the last process that has it open is gone. */
static void run_orphan(void)
{
	int middle_is_gone[2], all_are_gone[2];
	pid_t child;
	char byte;

	NEED(pipe(middle_is_gone) == 0 && pipe(all_are_gone) == 0);
	child = fork();
	if (child == 0) {
		if (fork() != 0)
			_exit(0);
		NEED(read(middle_is_gone[0], &byte, 1) == 1);
		write_letter('b');
		_exit(0);
	}
	close(all_are_gone[1]);
	wait_for(child);
	NEED(write(middle_is_gone[1], "", 1) == 1);
	NEED(read(all_are_gone[0], &byte, 1) == 0);
}

static void write_letter_of(void *library, char letter)
{
	bool (*write_own)(char) = NULL;

	NEED(library != NULL);
	*(void **)&write_own = dlsym(library, "write_letter_of_copy");
	NEED(write_own != NULL);
	write_own(letter);
}

static void run_copy(const char *path)
{
	write_letter_of(dlopen(path, RTLD_NOW | RTLD_LOCAL), 'b');
}

static pthread_barrier_t turn;

static void *write_and_outlive(void *library)
{
	write_letter_of(library, 'b');
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	return NULL;
}

static void run_plug_in(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	pthread_t thread;

	pthread_barrier_init(&turn, NULL, 2);
	NEED(pthread_create(&thread, NULL, write_and_outlive, library) == 0);
	pthread_barrier_wait(&turn);
	NEED(dlclose(library) == 0);
	pthread_barrier_wait(&turn);
	pthread_join(thread, NULL);
	write_letter_of(dlopen(path, RTLD_NOW | RTLD_LOCAL), 'c');
}

/* A child with a process id of our choice; 0: any. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args how = {.exit_signal = SIGCHLD};

	if (pid) {
		how.set_tid = (uint64_t)(uintptr_t)&pid;
		how.set_tid_size = 1;
	}
	return (pid_t)syscall(SYS_clone3, &how, sizeof(how));
}

static void run_successor(int go, int ready)
{
	pid_t first, second;
	char byte;

	first = fork_as(0);
	if (first == 0) {
		write_letter('b');
		NEED(read(go, &byte, 1) == 1);
		_exit(0);
	}
	wait_for(first);
	second = fork_as(first);
	if (second == 0) {
		write_letter('c');
		NEED(write(ready, "", 1) == 1);
		NEED(read(go, &byte, 1) == 1);
		_exit(0);
	}
	if (second < 0)
		_exit(77);
	wait_for(second);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	alarm(300);
	write_letter(argc > 2 && strcmp(what, "leaf") == 0 ? argv[2][0] : 'a');
	if (strcmp(what, "fork") == 0)
		run_fork();
	else if (strcmp(what, "exec") == 0)
		run_exec(argv[0]);
	else if (strcmp(what, "vfork") == 0)
		run_vfork(argv[0]);
	else if (strcmp(what, "spawn") == 0)
		run_spawn(argv[0]);
	else if (strcmp(what, "orphan") == 0)
		run_orphan();
	else if (strcmp(what, "copy") == 0 && argc > 2)
		run_copy(argv[2]);
	else if (strcmp(what, "plug-in") == 0 && argc > 2)
		run_plug_in(argv[2]);
	else if (strcmp(what, "successor") == 0 && argc > 3)
		run_successor((int)strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10));
	return 0;
}
