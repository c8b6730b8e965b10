/* SPDX-License-Identifier: MIT */
/*
 * Functions that the screens' threads share.
 */
#ifndef CLI_TOP_THREADS_H
#define CLI_TOP_THREADS_H

#include <pthread.h>
#include <stdint.h>

#include "corotracer/ct.h"

/* top_thread_start: starts a thread with all signals blocked, because signals are for the terminal's thread. */
enum ct_status top_thread_start(
	pthread_t *ret_thread, void *(*function)(void *), void *context, struct ct_error *reterr);

/* top_fail: fills in the error with "what: why" for an error number; returns CT_ERR_SYSTEM. */
enum ct_status top_fail(struct ct_error *reterr, int number, const char *what);

/* top_now_ns: CLOCK_MONOTONIC. */
uint64_t top_now_ns(void);

#endif
