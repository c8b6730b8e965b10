/* SPDX-License-Identifier: MIT */
/*
 * From a flight recorder's file to a trace: a recording whose target is gone, or is not asked.
 */
#ifndef COLLECT_FLIGHT_PAST_H
#define COLLECT_FLIGHT_PAST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/input.h"
#include "collect/collect.h"

/* The contents of the file. */
struct flight_facts {
	uint64_t pid;
	bool is_alive;
	bool has_lost_times; /* the machine is not the one, or not in the same run: times are estimated */
	uint64_t nr_overwritten;
	uint64_t held_ns;     /* from the earliest event that is left to the end */
	uint64_t complete_ns; /* so long before the end nothing of any thread was overwritten */
};

/*
 * collect_flight: puts all that a file holds into the sink, as collect_open and collect_step would have
 * done, up to what collect_finish adds. The caller names the sites, then calls collect_finish and
 * collect_close. On failure nothing is left to close.
 *
 * A process that lives is looked at, too, if it has the file open. `pid` says which one that is, where the caller
 * knows; 0: the one that the file names, which in a container is another than here.
 */
enum ct_status collect_flight(const struct input *input, pid_t pid, struct ct_sink *sink,
	struct collect **ret_collect, struct flight_facts *ret_facts, struct ct_error *reterr);

#endif
