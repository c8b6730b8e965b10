/* SPDX-License-Identifier: MIT */
/*
 * A target that is not started by the engine: it publishes numbered events while events are wanted, and counts them in
 * a file of its own. The program never ends by itself.
 *
 *	attach_target COUNTERS [fork | plug-in LIBRARY]
 *
 * COUNTERS is a file of words, in this order: the process id, the number of the last event published, 1 where the test
 * wants a pause, 1 while there is one, the process id of the engine that has the segment, and 1 once the events of the
 * plug-in are wanted. With `fork` a child publishes, and attaches itself once the pause is wanted. With `plug-in` a
 * library with a probe of its own is loaded at the first event, and writes one event with each of the program's.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corotracer/ctp_flight.h"
#include "corotracer/ctp_probe.h"
#include "need.h"

enum word {
	WORD_PID,
	WORD_COUNT,
	WORD_PAUSE_WANTED,
	WORD_PAUSES,
	WORD_ENGINE,
	WORD_PLUG_IN,
	NR_WORDS,
};

static uint64_t *words;
static const char *library_path; /* NULL: there is no plug-in */

static void map_words(const char *path)
{
	int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	NEED(descriptor >= 0 && ftruncate(descriptor, NR_WORDS * sizeof(*words)) == 0);
	words = mmap(
		NULL, NR_WORDS * sizeof(*words), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	NEED(words != MAP_FAILED);
	close(descriptor);
}

static bool is_pause_wanted(void)
{
	return __atomic_load_n(&words[WORD_PAUSE_WANTED], __ATOMIC_ACQUIRE) != 0;
}

static void pause_here(void)
{
	__atomic_store_n(&words[WORD_PAUSES], 1, __ATOMIC_RELEASE);
	while (is_pause_wanted())
		sched_yield();
	__atomic_store_n(&words[WORD_PAUSES], 0, __ATOMIC_RELEASE);
}

static void write_beside(void)
{
	static bool (*write_letter)(char);
	void *library;

	if (!library_path)
		return;
	if (!write_letter) {
		library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
		NEED(library != NULL);
		*(void **)&write_letter = dlsym(library, "write_letter_of_copy");
		NEED(write_letter != NULL);
	}
	if (write_letter('b'))
		__atomic_store_n(&words[WORD_PLUG_IN], 1, __ATOMIC_RELEASE);
}

static void publish(void)
{
	uint64_t coro = ctp_coro_new();
	uint64_t number = 0;
	unsigned round;

	NEED(coro == 1); /* also while no engine is attached */
	for (;;) {
		__atomic_store_n(
			&words[WORD_ENGINE], ctp_orders_page.orders.engine_pid, __ATOMIC_RELEASE);
		if (is_pause_wanted())
			pause_here();
		if (!ctp_is_attached()) {
			sched_yield();
			continue;
		}
		number++;
		ctp_emit(coro, number, CTP_TAIL(CTP_SITE("tick"), CTP_KIND_COUNTER, 0, 0));
		__atomic_store_n(&words[WORD_COUNT], number, __ATOMIC_RELEASE);
		write_beside();
		for (round = 0; round < 500; round++)
			__asm__ volatile("" ::: "memory");
	}
}

int main(int argc, char **argv)
{
	NEED(argc >= 2);
	map_words(argv[1]);
	NEED(ctp_attach() == (getenv("COROTRACER_FLIGHT") != NULL));
	if (argc > 2 && strcmp(argv[2], "fork") == 0 && fork() == 0) {
		__atomic_store_n(&words[WORD_PID], (uint64_t)getpid(), __ATOMIC_RELEASE);
		while (!is_pause_wanted())
			sched_yield();
		NEED(!ctp_attach());
		pause_here();
		publish();
	}
	if (argc == 3)
		for (;;)
			pause();
	if (argc == 4)
		library_path = argv[3];
	__atomic_store_n(&words[WORD_PID], (uint64_t)getpid(), __ATOMIC_RELEASE);
	publish();
	return 0;
}
