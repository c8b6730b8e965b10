/* SPDX-License-Identifier: MIT */
/* The kernel's accounts of threads: for how long each ran, and was runnable without a processor. */
#include "model/parts.h"

bool model_times_account(struct model *model, const struct ct_event *event)
{
	struct model_account account = {event->time, event->object, event->coro};

	return vec_push(&thread_at(model, event->thread)->accounts, account);
}

bool model_account_between(const struct model *model, uint32_t index, ct_time from, ct_time until,
	struct model_account *ret_account)
{
	const struct model_thread *thread = &model->threads[index];
	struct model_account before = {0};
	size_t i;

	for (i = 0; i < thread->accounts.count; i++) {
		const struct model_account *account = &thread->accounts.at[i];

		if (account->time <= from)
			before = *account;
		if (account->time < until)
			continue;
		*ret_account = (struct model_account){.time = account->time,
			.waited_ns = account->waited_ns - before.waited_ns,
			.ran_ns = account->ran_ns - before.ran_ns};
		return true;
	}
	return false;
}

bool model_account_since(const struct model *model, uint32_t index, ct_time from,
	struct model_account *ret_account, ct_time *ret_from)
{
	const struct model_thread *thread = &model->threads[index];
	const struct model_account *last;
	size_t i = 0;

	while (i < thread->accounts.count && thread->accounts.at[i].time < from)
		i++;
	if (i + 1 >= thread->accounts.count)
		return false;
	last = &thread->accounts.at[thread->accounts.count - 1];
	*ret_account = (struct model_account){.time = last->time,
		.waited_ns = last->waited_ns - thread->accounts.at[i].waited_ns,
		.ran_ns = last->ran_ns - thread->accounts.at[i].ran_ns};
	*ret_from = thread->accounts.at[i].time;
	return true;
}
