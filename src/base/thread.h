/* SPDX-License-Identifier: MIT */
/* The engine's own threads. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/*
 * thread_start: starts a thread as pthread_create does, but the thread takes no signals: signals must interrupt the
 * waiting of the thread that started it. Returns 0, or the errno of the failure.
 */
int thread_start(pthread_t *ret_thread, void *(*function)(void *), void *context);

#endif
