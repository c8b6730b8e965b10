/* SPDX-License-Identifier: MIT */
/*
 * Numbers with their units, as options have them.
 */
#ifndef CLI_QUANTITY_H
#define CLI_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * quantity_time: see ct_duration_read. quantity_bytes: B, KiB, MiB, GiB; at least a byte. Only the first `length` bytes
 * of `text` are read. False: the text is none.
 */
bool quantity_time(const char *text, size_t length, int64_t *ret_ns);
bool quantity_bytes(const char *text, size_t length, uint64_t *ret_bytes);

#endif
