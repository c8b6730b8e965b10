/* SPDX-License-Identifier: MIT */
/*
 * The handler of SIGBUS. The handler runs on the thread that faulted, within a load or a store. The handler may only
 * read the table, map memory in place of the file, and return; the instruction is then repeated.
 *
 * An entry of the table is visible to the handler as long as its `base` is not 0. Opening and closing guards takes the
 * lock; the handler takes no lock.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#include "version1/guard.h"

struct guard {
	uintptr_t base; /* 0: the entry is free */
	size_t nr_bytes;
	bool was_hit;
};

static struct guard guards[GUARDS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned nr_guards;
static struct sigaction before;

static struct guard *find(uintptr_t address)
{
	size_t i;

	for (i = 0; i < GUARDS_MAX; i++) {
		uintptr_t base = __atomic_load_n(&guards[i].base, __ATOMIC_SEQ_CST);

		if (base && address - base < guards[i].nr_bytes)
			return &guards[i];
	}
	return NULL;
}

static bool replace(struct guard *guard)
{
	void *base = (void *)guard->base;

	__atomic_store_n(&guard->was_hit, true, __ATOMIC_SEQ_CST);
	return mmap(base, guard->nr_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		       0) != MAP_FAILED;
}

/*
 * There was no previous handler: a fault will occur again with the default action; a signal that was sent is sent once
 * more.
 */
static void end_by(int number, const siginfo_t *info)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};

	sigaction(number, &standard, NULL);
	if (info->si_code <= 0)
		raise(number);
}

static void hand_on(int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(number);
	else if (before.sa_handler == SIG_DFL || info->si_code > 0)
		end_by(number, info);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	struct guard *guard = info->si_code > 0 ? find((uintptr_t)info->si_addr) : NULL;
	int kept = errno;

	if (!guard || !replace(guard))
		hand_on(number, info, context);
	errno = kept;
}

static bool install(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, &before) == 0;
}

/* Does nothing if other code has installed a handler in the meantime. */
static void uninstall(void)
{
	struct sigaction present;

	if (sigaction(SIGBUS, NULL, &present) == 0 && (present.sa_flags & SA_SIGINFO) &&
		present.sa_sigaction == on_fault)
		sigaction(SIGBUS, &before, NULL);
}

struct guard *version1_guard_open(void *base, size_t nr_bytes)
{
	struct guard *guard = NULL;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < GUARDS_MAX && guards[i].base; i++)
		;
	if (i < GUARDS_MAX && (nr_guards > 0 || install())) {
		guard = &guards[i];
		nr_guards++;
		guard->nr_bytes = nr_bytes;
		guard->was_hit = false;
		__atomic_store_n(&guard->base, (uintptr_t)base, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&lock);
	return guard;
}

bool version1_guard_was_hit(const struct guard *guard)
{
	return __atomic_load_n(&guard->was_hit, __ATOMIC_SEQ_CST);
}

void version1_guard_close(struct guard *guard)
{
	if (!guard)
		return;
	pthread_mutex_lock(&lock);
	__atomic_store_n(&guard->base, 0, __ATOMIC_SEQ_CST);
	if (--nr_guards == 0)
		uninstall();
	pthread_mutex_unlock(&lock);
}
