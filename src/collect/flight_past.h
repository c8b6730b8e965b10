/* SPDX-License-Identifier: MIT */
/* Makes a trace of a flight recorder's file: a recording whose target is gone, or is not asked for events. */
#ifndef COLLECT_FLIGHT_PAST_H
#define COLLECT_FLIGHT_PAST_H

#include <sys/types.h>

#include "base/input.h"
#include "collect/collect.h"

#define COLLECT_IS_DUMPED ((pid_t)-1)

/*
 * collect_flight: puts everything in a file into the sink, as collect_open and collect_step would have done, except
 * what collect_finish adds. The caller then names the sites, and calls collect_finish and collect_close. After a
 * failure nothing is left to close.
 *
 * A live process is observed, too, if it has the file open. `pid` names the process if the caller knows it; 0: the
 * process that the file names, whose id may be another one here if it runs in a container; COLLECT_IS_DUMPED: the file
 * is out of the memory in a core dump, its process is over, and pieces of it may be missing. The counts of events in
 * *ret_facts are not set: collect_stats has them after collect_finish.
 */
enum ct_status collect_flight(const struct input *input, pid_t pid, struct ct_sink *sink,
	struct collect **ret_collect, struct ct_flight_recovered *ret_facts,
	struct ct_error *reterr);

#endif
