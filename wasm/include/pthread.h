/* SPDX-License-Identifier: MIT */
/* A page has one thread, so locks do nothing. */
#ifndef WASM_PTHREAD_H
#define WASM_PTHREAD_H

#include <sys/types.h>

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
	return (void)mutex, (void)attributes, 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	return (void)mutex, 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return (void)mutex, 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return (void)mutex, 0;
}

#define PTHREAD_ONCE_INIT 0

static inline int pthread_once(pthread_once_t *once, void (*function)(void))
{
	if (!*once)
		function();
	*once = 1;
	return 0;
}

#endif
