/* SPDX-License-Identifier: MIT */
/*
 * The file that a flight recorder inside a program has left, or is writing: copied, then checked.
 *
 * The file may hold anything, may be changed and cut while it is read. So it is never mapped, and only the private copy
 * is looked at. In a live process's file the heads of rings are copied first and their floors last: records between the
 * two were not overwritten while they were copied (P-26).
 */
#ifndef COLLECT_FLIGHT_FILE_H
#define COLLECT_FLIGHT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/input.h"
#include "collect/about.h"
#include "proto/proto.h"
#include "stream/stream.h"

/* Texts are "" where the file does not tell. */
struct flight_file {
	void *base; /* of the copy, mapped: the segment as proto_check expects it */
	size_t nr_bytes;
	struct proto_layout layout;
	dev_t device; /* of the file */
	ino_t inode;
	bool is_alive;     /* its process lives */
	bool is_this_boot; /* this machine has not been started anew since: its clocks still count */
	struct about about;
	const char *program;
	const char *command_line;
	const char *host;
};

/* collect_flight_file_read: copies and checks what lies in the input. On success the caller closes it. */
enum ct_status collect_flight_file_read(
	const struct input *input, struct flight_file *ret_file, struct ct_error *reterr);

/* collect_flight_file_close: gives the memory back; of `base` unless the caller has taken it, and set it NULL. */
void collect_flight_file_close(struct flight_file *file);

#endif
