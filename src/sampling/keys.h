/* SPDX-License-Identifier: MIT */
/*
 * The key of a window: SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace, in UTC, where RUN is the process's number and the
 * microseconds of the moment at which the window began. So a window has one key, whatever happens to its file.
 */
#ifndef SAMPLING_KEYS_H
#define SAMPLING_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#define KEYS_BYTES 256     /* of the longest key, with its NUL */
#define KEYS_NAME_BYTES 80 /* of a service's or a host's name in it */
#define KEYS_END ".ctrace"

/* keys_name: makes of a text the name of a service or host: other characters than A-Z a-z 0-9 . _ - become '_'. */
void keys_name(const char *text, char ret_name[KEYS_NAME_BYTES]);

/* keys_make: writes the key of the window that begins at this time; the names come from keys_name. */
void keys_make(const char *service, const char *host, int64_t pid, uint64_t realtime_ns,
	char ret_key[KEYS_BYTES]);

/*
 * keys_flat: the key as the name of a file, with ',' for '/'. keys_deep: the other way round; false: no key has such a
 * file. keys_moment: compares two files' names by when their windows began.
 */
void keys_flat(const char *key, char ret_name[KEYS_BYTES]);
bool keys_deep(const char *name, char ret_key[KEYS_BYTES]);
int keys_moment(const char *left, const char *right);

#endif
