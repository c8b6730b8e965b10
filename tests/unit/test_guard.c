/* SPDX-License-Identifier: MIT */
/*
 * Mappings of files that are shortened: a guarded mapping turns into zeros; a fault anywhere else ends the process, or
 * calls the handler, as it would without a guard.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "version1/guard.h"

#define NR_BYTES (16u * 4096)

struct mapped_file {
	int file;
	volatile unsigned char *bytes;
};

static struct mapped_file map_file(void)
{
	struct mapped_file made = {.file = memfd_create("guard", MFD_CLOEXEC)};
	void *base;

	if (made.file < 0 || ftruncate(made.file, NR_BYTES))
		abort();
	base = mmap(NULL, NR_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, made.file, 0);
	if (base == MAP_FAILED)
		abort();
	memset(base, 7, NR_BYTES);
	made.bytes = base;
	return made;
}

static void unmap_file(const struct mapped_file *made)
{
	munmap((void *)(uintptr_t)made->bytes, NR_BYTES);
	close(made->file);
}

static void *base_of(const struct mapped_file *made)
{
	return (void *)(uintptr_t)made->bytes;
}

static void test_shortened_file(void)
{
	struct mapped_file made = map_file(), other = map_file();
	struct guard *guard = version1_guard_open(base_of(&made), NR_BYTES);
	struct guard *second = version1_guard_open(base_of(&other), NR_BYTES);

	CHECK(guard && second);
	CHECK_EQUAL(made.bytes[NR_BYTES - 1], 7);
	CHECK(!version1_guard_was_hit(guard));
	CHECK_EQUAL(ftruncate(made.file, 4096), 0);
	CHECK_EQUAL(made.bytes[0], 7);
	CHECK(!version1_guard_was_hit(guard));
	CHECK_EQUAL(made.bytes[NR_BYTES - 1], 0);
	CHECK(version1_guard_was_hit(guard));
	CHECK_EQUAL(made.bytes[0], 0);
	made.bytes[5] = 1;
	CHECK_EQUAL(made.bytes[5], 1);
	CHECK(!version1_guard_was_hit(second));
	CHECK_EQUAL(ftruncate(other.file, 0), 0);
	other.bytes[0] = 3;
	CHECK(version1_guard_was_hit(second));
	version1_guard_close(guard);
	version1_guard_close(second);
	unmap_file(&made);
	unmap_file(&other);
}

/* The fate of a child process that does this: its exit status, or the signal plus 128. */
static int fate_of(void (*act)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		act();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void fault_outside(void)
{
	struct mapped_file made = map_file(), other = map_file();

	if (!version1_guard_open(base_of(&made), NR_BYTES) || ftruncate(other.file, 0))
		_exit(1);
	other.bytes[0] = 1;
}

static void own_handler(int number)
{
	_exit(number == SIGBUS ? 33 : 1);
}

static void own_action(int number, siginfo_t *info, void *context)
{
	(void)context;
	_exit(number == SIGBUS && info->si_addr ? 34 : 1);
}

static void fault_outside_with_handler(void)
{
	signal(SIGBUS, own_handler);
	fault_outside();
}

static void fault_outside_with_action(void)
{
	struct sigaction action = {.sa_sigaction = own_action, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
	fault_outside();
}

static void fault_after_close(void)
{
	struct mapped_file made = map_file();
	struct guard *guard = version1_guard_open(base_of(&made), NR_BYTES);

	version1_guard_close(guard);
	if (ftruncate(made.file, 0))
		_exit(1);
	made.bytes[0] = 1;
}

/* A SIGBUS that was sent by a process is not the guard's. */
static void sent_by_hand(void)
{
	struct mapped_file made = map_file();

	if (!version1_guard_open(base_of(&made), NR_BYTES))
		_exit(1);
	raise(SIGBUS);
}

static void standard_action(void)
{
	signal(SIGBUS, SIG_DFL);
}

static void with_standard_action(void (*act)(void))
{
	/* A sanitizer's own handler would report the fault. */
	standard_action();
	CHECK_EQUAL(fate_of(act), 128 + SIGBUS);
}

static void test_others_keep_their_faults(void)
{
	with_standard_action(fault_outside);
	with_standard_action(fault_after_close);
	with_standard_action(sent_by_hand);
	CHECK_EQUAL(fate_of(fault_outside_with_handler), 33);
	CHECK_EQUAL(fate_of(fault_outside_with_action), 34);
}

static void test_handler_is_given_back(void)
{
	struct mapped_file made = map_file();
	struct sigaction present;
	struct guard *guard;

	signal(SIGBUS, own_handler);
	guard = version1_guard_open(base_of(&made), NR_BYTES);
	version1_guard_close(guard);
	sigaction(SIGBUS, NULL, &present);
	CHECK(present.sa_handler == own_handler);
	/* A later handler stays installed. */
	guard = version1_guard_open(base_of(&made), NR_BYTES);
	signal(SIGBUS, SIG_IGN);
	version1_guard_close(guard);
	sigaction(SIGBUS, NULL, &present);
	CHECK(present.sa_handler == SIG_IGN);
	standard_action();
	unmap_file(&made);
}

static void test_bound(void)
{
	struct mapped_file made = map_file();
	struct guard *taken[GUARDS_MAX];
	int i;

	for (i = 0; i < GUARDS_MAX; i++) {
		taken[i] = version1_guard_open((char *)base_of(&made) + i * 4096, 4096);
		CHECK(taken[i] != NULL);
	}
	CHECK(version1_guard_open(base_of(&made), 4096) == NULL);
	for (i = 0; i < GUARDS_MAX; i++)
		version1_guard_close(taken[i]);
	version1_guard_close(version1_guard_open(base_of(&made), 4096));
	unmap_file(&made);
}

int main(void)
{
	test_shortened_file();
	test_others_keep_their_faults();
	test_handler_is_given_back();
	test_bound();
	return check_result();
}
