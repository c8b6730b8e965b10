/* SPDX-License-Identifier: MIT */
/*
 * The files among a process's descriptors into which its probes write: segments, and the file of a flight recorder.
 * What the files state is the process's own word. Nothing here allocates; any thread may call.
 */
#ifndef COLLECT_PROBE_FILES_H
#define COLLECT_PROBE_FILES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * collect_open_segment: opens a descriptor of our own, for reading and writing, for one of the process's own segments;
 * `link` is where the process's descriptor leads. -1: the descriptor is not a segment, is another process's segment, or
 * may not be opened.
 */
int collect_open_segment(pid_t pid, int number, const char *link);

/* collect_segment_owner: returns the engine that has the segment, as the segment states; 0: none, or not stated. */
pid_t collect_segment_owner(int descriptor);

/*
 * collect_is_open_probe: returns whether this is the segment of a program's own probe (not the ledger's) that is not
 * closed.
 */
bool collect_is_open_probe(int descriptor);

/* collect_is_segment_link: returns whether a descriptor that leads there belongs to a segment of any process. */
bool collect_is_segment_link(const char *link);

/* collect_is_flight_file: returns whether the process's own flight recorder fills the file. */
bool collect_is_flight_file(pid_t pid, const char *path);

#endif
