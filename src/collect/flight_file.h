/* SPDX-License-Identifier: MIT */
/*
 * The file of a flight recorder inside a program, finished or still being written: copied, then checked.
 *
 * The file may contain anything, and may be changed or cut while it is read. The file is therefore never mapped, and
 * only the private copy is examined. For the file of a live process the heads of rings are copied first and their
 * floors last: records between head and floor were not overwritten during the copy (P-26).
 */
#ifndef COLLECT_FLIGHT_FILE_H
#define COLLECT_FLIGHT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/input.h"
#include "collect/about.h"
#include "proto/proto.h"
#include "stream/stream.h"

/* A text is "" if the file does not state it. */
struct flight_file {
	void *base; /* the copy, mapped: the segment as proto_check expects it */
	size_t nr_bytes;
	struct proto_layout layout;
	dev_t device; /* the file's device */
	ino_t inode;
	bool is_alive;     /* the file's process lives */
	bool is_this_boot; /* this machine was not rebooted since: its clocks still count */
	struct about about;
	const char *program;
	const char *command_line;
	const char *host;
};

/*
 * collect_flight_file_read: copies and checks the contents of the input. After success the caller calls
 * collect_flight_file_close.
 */
enum ct_status collect_flight_file_read(
	const struct input *input, struct flight_file *ret_file, struct ct_error *reterr);

/*
 * collect_flight_file_close: frees the memory, including `base` unless the caller has taken it over and set it to NULL.
 */
void collect_flight_file_close(struct flight_file *file);

#endif
