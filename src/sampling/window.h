/* SPDX-License-Identifier: MIT */
/* Taking one window of a program. */
#ifndef SAMPLING_WINDOW_H
#define SAMPLING_WINDOW_H

#include "sampling/sampling.h"

/*
 * window_take: records a window and keeps it in the spool. CT_OK: it is there; CT_ERR_BUSY, CT_ERR_NO_PROBE,
 * CT_ERR_NOT_FOUND: none was begun.
 */
enum ct_status window_take(struct program *program, struct ct_error *reterr);

#endif
