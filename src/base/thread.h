/* SPDX-License-Identifier: MIT */
/* The engine's own threads. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/*
 * thread_start: does what pthread_create does, for a thread that takes no signals, because signals are to interrupt the
 * waiting of the thread that made it. Returns 0, or the errno of the failure.
 */
int thread_start(pthread_t *ret_thread, void *(*function)(void *), void *context);

#endif
