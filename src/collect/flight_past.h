/* SPDX-License-Identifier: MIT */
/*
 * From a flight recorder's file to a trace: a recording whose target is gone, or is not asked.
 */
#ifndef COLLECT_FLIGHT_PAST_H
#define COLLECT_FLIGHT_PAST_H

#include <sys/types.h>

#include "base/input.h"
#include "collect/collect.h"

/*
 * collect_flight: puts all that a file holds into the sink, as collect_open and collect_step would have
 * done, up to what collect_finish adds. The caller names the sites, then calls collect_finish and
 * collect_close. On failure nothing is left to close.
 *
 * A process that lives is looked at, too, if it has the file open. `pid` says which one that is, where the caller
 * knows; 0: the one that the file names, which in a container is another than here. Counts of events are not among
 * *ret_facts: they are collect_stats', once all is finished.
 */
enum ct_status collect_flight(const struct input *input, pid_t pid, struct ct_sink *sink,
	struct collect **ret_collect, struct ct_flight_recovered *ret_facts,
	struct ct_error *reterr);

#endif
