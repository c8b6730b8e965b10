/* SPDX-License-Identifier: MIT */
/*
 * Reads the arguments of poll and select from another process (polled.h).
 */
#include <poll.h>
#include <string.h>

#include "base/system_calls.h"
#include "kernel/polled.h"

#define NUMBERS_MAX 8192u /* of a set of select: larger numbers are not looked at */
#define BITS_A_WORD 64u

/* The sets of select, in the order of its arguments. */
static const uint16_t set_events[] = {POLLIN, POLLOUT, POLLPRI};
#define NR_SETS (sizeof(set_events) / sizeof(set_events[0]))

static bool is_poll(int32_t call)
{
	return call == SYSTEM_CALL_poll || call == SYSTEM_CALL_ppoll;
}

static bool is_select(int32_t call)
{
	return call == SYSTEM_CALL_select || call == SYSTEM_CALL_pselect6;
}

static bool add(struct polled *polled, int32_t number, uint16_t events)
{
	if (polled->count == POLLED_MAX)
		return false;
	polled->at[polled->count++] = (struct polled_descriptor){number, events};
	return true;
}

/* A negative number means that the entry is unused. */
static bool read_poll(int folder, const uint64_t *arguments, struct polled *polled)
{
	struct pollfd all[POLLED_MAX];
	uint64_t count = arguments[1], i;

	if (count > POLLED_MAX ||
		!procfs_memory_at(folder, arguments[0], all, (size_t)count * sizeof(all[0])))
		return false;
	for (i = 0; i < count; i++)
		if (all[i].fd >= 0)
			add(polled, all[i].fd, (uint16_t)all[i].events);
	return true;
}

/* A set that is not given is empty. The kernel reads whole words. */
static bool read_set(int folder, uint64_t address, uint64_t nr_numbers, uint64_t *words)
{
	size_t nr_words = (size_t)((nr_numbers + BITS_A_WORD - 1) / BITS_A_WORD);

	memset(words, 0, nr_words * sizeof(*words));
	return address == 0 || procfs_memory_at(folder, address, words, nr_words * sizeof(*words));
}

static bool read_select(int folder, const uint64_t *arguments, struct polled *polled)
{
	uint64_t sets[NR_SETS][NUMBERS_MAX / BITS_A_WORD];
	uint64_t nr_numbers = arguments[0], number, i;

	if (nr_numbers > NUMBERS_MAX)
		return false;
	for (i = 0; i < NR_SETS; i++)
		if (!read_set(folder, arguments[1 + i], nr_numbers, sets[i]))
			return false;
	for (number = 0; number < nr_numbers; number++) {
		uint16_t events = 0;

		for (i = 0; i < NR_SETS; i++)
			if (sets[i][number / BITS_A_WORD] >> (number % BITS_A_WORD) & 1)
				events |= set_events[i];
		if (events && !add(polled, (int32_t)number, events))
			return false;
	}
	return true;
}

bool polled_is_call(int32_t call)
{
	return is_poll(call) || is_select(call);
}

bool polled_read(int folder, int32_t call, const uint64_t arguments[PROCFS_ARGUMENTS],
	struct polled *ret_polled)
{
	struct polled polled;

	polled.count = 0;
	if (!(is_poll(call) && read_poll(folder, arguments, &polled)) &&
		!(is_select(call) && read_select(folder, arguments, &polled)))
		return false;
	*ret_polled = polled;
	return true;
}
