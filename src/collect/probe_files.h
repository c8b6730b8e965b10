/* SPDX-License-Identifier: MIT */
/*
 * The files among a process's descriptors that its probes write into: segments, and the file of a flight recorder. What
 * they say of themselves is the process's word. Nothing here allocates; any thread.
 */
#ifndef COLLECT_PROBE_FILES_H
#define COLLECT_PROBE_FILES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * collect_open_segment: a descriptor of ours, for reading and writing, for one of the process's own segments; `link` is
 * where its descriptor leads. -1: that one is none, is another process's, or may not be opened.
 */
int collect_open_segment(pid_t pid, int number, const char *link);

/* collect_segment_owner: the engine that has the segment, by the segment's own word; 0: none, or not told. */
pid_t collect_segment_owner(int descriptor);

/* collect_is_open_probe: is it the segment of a program's own probe (not the ledger's), which goes on? */
bool collect_is_open_probe(int descriptor);

/* collect_is_segment_link: does a descriptor that leads there belong to a segment, whosever it is? */
bool collect_is_segment_link(const char *link);

/* collect_is_flight_file: is the file what the process's own flight recorder fills? */
bool collect_is_flight_file(pid_t pid, const char *path);

#endif
