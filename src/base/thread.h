/* SPDX-License-Identifier: MIT */
/*
 * Threads of the engine's own.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/*
 * thread_start: pthread_create for a thread that takes no signals: those are for the one that made it, whose
 * waiting they interrupt. Returns 0, or why there is none (an errno).
 */
int thread_start(pthread_t *ret_thread, void *(*function)(void *), void *context);

#endif
