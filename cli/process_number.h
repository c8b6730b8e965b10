/* SPDX-License-Identifier: MIT */
/*
 * The number of a process, as `attach` and `why` take it.
 */
#ifndef CLI_PROCESS_NUMBER_H
#define CLI_PROCESS_NUMBER_H

#include <stdint.h>

/* process_read: the number, as ps and pidof print it; 0: it is none. */
int64_t process_read(const char *text);

#endif
