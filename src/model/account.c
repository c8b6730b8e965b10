/* SPDX-License-Identifier: MIT */
/* The kernel's accounts of threads: for how long each ran, and was runnable without a processor. */
#include "model/parts.h"

/* A thread that never says that it waits for work may have done so whenever it ran no coroutine. */
static int64_t rested(const struct model_thread *thread)
{
	int64_t rested_ns =
		thread->spent[MODEL_ACTIVITY_IDLE] + thread->spent[MODEL_ACTIVITY_BLOCKED];

	return thread->idle_began == CT_NO_TIME
		       ? rested_ns + thread->spent[MODEL_ACTIVITY_SCHEDULING]
		       : rested_ns;
}

bool model_times_account(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);
	struct model_account account = {
		.time = event->time, .waited_ns = event->object, .ran_ns = event->coro};

	if (thread->counted != CT_NO_TIME)
		model_times_thread(model, thread, event->time);
	account.rested_ns = rested(thread);
	return vec_push(&thread->accounts, account);
}

struct model_account model_account_whole(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];
	const struct model_account *first = thread->accounts.at, *last;

	if (!thread->accounts.count)
		return (struct model_account){.time = 0};
	last = &first[thread->accounts.count - 1];
	return (struct model_account){.time = last->time,
		.waited_ns = last->waited_ns - first->waited_ns,
		.ran_ns = last->ran_ns - first->ran_ns};
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

int64_t model_account_asleep(const struct model *model, uint32_t index, ct_time from, ct_time until)
{
	const struct model_thread *thread = &model->threads[index];
	const struct model_account *before = NULL, *after = NULL;
	int64_t asleep_ns;
	size_t i;

	for (i = 0; i < thread->accounts.count && !after; i++) {
		if (thread->accounts.at[i].time <= from)
			before = &thread->accounts.at[i];
		if (thread->accounts.at[i].time >= until)
			after = &thread->accounts.at[i];
	}
	if (!before || !after)
		return 0;
	asleep_ns = after->time - before->time - (int64_t)(after->ran_ns - before->ran_ns) -
		    (int64_t)(after->waited_ns - before->waited_ns) -
		    (after->rested_ns - before->rested_ns);
	return asleep_ns > 0 ? asleep_ns : 0;
}

/* What the thread waited between two readings, less the time between them that lies outside of what is asked. */
static int64_t starved_between(const struct model_account *before,
	const struct model_account *after, ct_time from, ct_time until)
{
	int64_t starved_ns = (int64_t)(after->waited_ns - before->waited_ns);

	if (before->time < from)
		starved_ns -= from - before->time;
	if (after->time > until)
		starved_ns -= after->time - until;
	return starved_ns > 0 ? starved_ns : 0;
}

int64_t model_account_starved(
	const struct model *model, uint32_t index, ct_time from, ct_time until)
{
	const struct model_thread *thread = &model->threads[index];
	int64_t starved_ns = 0;
	size_t i;

	for (i = 1; i < thread->accounts.count && thread->accounts.at[i - 1].time < until; i++)
		if (thread->accounts.at[i].time > from)
			starved_ns += starved_between(
				&thread->accounts.at[i - 1], &thread->accounts.at[i], from, until);
	return starved_ns;
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
