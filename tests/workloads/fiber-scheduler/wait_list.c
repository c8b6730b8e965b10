/* SPDX-License-Identifier: MIT */
/* Lists of waiting fibers. */
#include "wait_list.h"

#include <stdatomic.h>
#include <stddef.h>

#include "scheduler.h"

void wait_list_init(struct wait_list *list, pthread_mutex_t *guard)
{
	*list = (struct wait_list){.guard = guard};
}

void wait_list_append(struct wait_list *list, struct fiber *fiber)
{
	fiber->next = NULL;
	if (list->last)
		list->last->next = fiber;
	else
		list->first = fiber;
	list->last = fiber;
	atomic_store_explicit(&fiber->waits_in, list, memory_order_release);
}

struct fiber *wait_list_take_first(struct wait_list *list)
{
	struct fiber *fiber = list->first;

	if (!fiber)
		return NULL;
	list->first = fiber->next;
	if (!list->first)
		list->last = NULL;
	atomic_store_explicit(&fiber->waits_in, NULL, memory_order_release);
	return fiber;
}

bool wait_list_remove(struct wait_list *list, struct fiber *fiber)
{
	struct wait_list kept = {.guard = list->guard};
	struct fiber *each;
	bool is_found = false;

	while ((each = wait_list_take_first(list))) {
		if (each == fiber)
			is_found = true;
		else
			wait_list_append(&kept, each);
	}
	wait_list_move(&kept, list);
	return is_found;
}

void wait_list_move(struct wait_list *from, struct wait_list *to)
{
	struct fiber *fiber;

	while ((fiber = wait_list_take_first(from)))
		wait_list_append(to, fiber);
}
