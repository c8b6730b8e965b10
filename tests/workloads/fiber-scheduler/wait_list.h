/* SPDX-License-Identifier: MIT */
/*
 * Lists of waiting fibers, first come first served. A list belongs to a mutex, semaphore, channel or fiber, and is
 * guarded by that object's lock, which the caller of every function here must hold. A fiber is in one list at most; the
 * thread that takes it out of the list has the right, and the duty, to wake it.
 */
#ifndef FIBER_WAIT_LIST_H
#define FIBER_WAIT_LIST_H

#include <pthread.h>
#include <stdbool.h>

struct fiber;

struct wait_list {
	pthread_mutex_t *guard; /* of the object that the list belongs to */
	struct fiber *first;
	struct fiber *last;
};

void wait_list_init(struct wait_list *list, pthread_mutex_t *guard);

/* wait_list_append: the fiber must not be in any list. */
void wait_list_append(struct wait_list *list, struct fiber *fiber);

/* wait_list_take_first: NULL: the list is empty. */
struct fiber *wait_list_take_first(struct wait_list *list);

/* wait_list_remove: false: the fiber is not in this list. */
bool wait_list_remove(struct wait_list *list, struct fiber *fiber);

/* wait_list_move: appends all fibers of `from`, in order, to `to`; both lists have the same guard. */
void wait_list_move(struct wait_list *from, struct wait_list *to);

#endif
