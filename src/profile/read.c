/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace for a profile: events are applied to a model, and the time of each state that a coroutine leaves is
 * added to a stack.
 *
 * The stack of a state is determined when the coroutine enters the state. This stack lies on top of the awaiter's
 * stack, which was determined when the awaiter began to wait, and so contains the whole chain. The object of a wait may
 * be recorded later, so whether the time belongs to the profile is decided at the end of the state. The intervals come
 * from the model's history, so the sums equal the model's own.
 *
 * The time of a system call is what the model has added to the thread's blocked time since the previous event.
 *
 * What the kernel says of a thread lies on top of the stack of the coroutine that runs there.
 */
#include "base/failure.h"
#include "model/model.h"
#include "profile/stacks.h"

/* The time that one thread spent in calls; whether the thread is a worker is known only at the end. */
struct call_time {
	uint32_t thread;
	uint32_t stack;
	uint64_t count;
	int64_t ns;
};

struct coro {
	uint32_t stack; /* of its present state */
	/* the site, with its own call stack, at which it let its thread go last; 0: not recorded */
	uint32_t site;
	uint32_t awaiter; /* the coroutine that awaits it, or did; 0: none */
};

struct reading {
	struct profile *profile;
	struct model *model;
	struct model_history history; /* of one event */
	struct ct_event event;        /* the last one */
	VEC(struct coro) coros;       /* indexed like the model's */
	VEC(struct call_time) calls;
	struct map call_at; /* by thread and stack */
	enum ct_state state;
	bool is_broken; /* out of memory */
};

/* ---------------------------------------------------------------- which states count */

static enum ct_state state_of(enum ct_profile profile)
{
	static const enum ct_state states[] = {
#define X(name, text, state, meaning) CT_STATE_##state,
#include "corotracer/def/profiles.def"
#undef X
	};

	return states[profile];
}

/* An awaited child has a stack of its own, on which its own waits count. */
static bool is_sync(unsigned resource)
{
	return resource == CTP_RESOURCE_LOCK || resource == CTP_RESOURCE_CONDITION ||
	       resource == CTP_RESOURCE_CHANNEL || resource == CTP_RESOURCE_SEMAPHORE ||
	       resource == CTP_RESOURCE_QUEUE || resource == CTP_RESOURCE_EVENT;
}

static bool is_network(unsigned resource)
{
	return resource == CTP_RESOURCE_DESCRIPTOR || resource == CTP_RESOURCE_NETWORK;
}

static bool is_wanted(const struct reading *reading, unsigned state, uint64_t object)
{
	unsigned resource = CTP_HANDLE_RESOURCE(object);

	/* Calls of threads without a coroutine are counted by thread. */
	if (reading->profile->options.profile == CT_PROFILE_SYSCALL)
		return state == CT_STATE_SYSCALL;
	if (state != reading->state)
		return false;
	switch (reading->profile->options.profile) {
	case CT_PROFILE_NETWORK:
		return is_network(resource);
	case CT_PROFILE_SYNC:
		return is_sync(resource);
	default:
		return state < CT_STATE_DONE;
	}
}

/* ---------------------------------------------------------------- awaiters */

static struct coro *coro_of(struct reading *reading, uint32_t coro)
{
	static struct coro nowhere;

	if (vec_reach(&reading->coros, coro))
		return &reading->coros.at[coro];
	reading->is_broken = true;
	nowhere = (struct coro){0};
	return &nowhere;
}

static uint32_t child_of(struct reading *reading, const struct model_coro *coro)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(coro->wait_object);

	switch (CTP_HANDLE_RESOURCE(coro->wait_object)) {
	case CTP_RESOURCE_COROUTINE:
		return model_find(reading->model, coro->process, identity);
	case CTP_RESOURCE_FRAME:
		return model_find_frame(reading->model, coro->process, identity);
	default:
		return 0;
	}
}

/* The coroutine that awaits this one, if it waits now; 0: none. */
static uint32_t awaiter_of(struct reading *reading, uint32_t coro)
{
	uint32_t awaiter = coro_of(reading, coro)->awaiter;
	const struct model_coro *at = &reading->model->coros.at[awaiter];

	if (!awaiter || awaiter == coro || at->state != CT_STATE_WAITING)
		return 0;
	return at->rare->nr_awaits || child_of(reading, at) == coro ? awaiter : 0;
}

static void note_await(struct reading *reading, const struct ct_event *event)
{
	uint32_t awaiter = model_find(reading->model, event->process, event->coro);
	uint32_t child = model_find(reading->model, event->process, event->object);

	if (!awaiter || !child)
		return;
	if (event->kind == CTP_KIND_AWAIT)
		coro_of(reading, child)->awaiter = awaiter;
	else if (coro_of(reading, child)->awaiter == awaiter)
		coro_of(reading, child)->awaiter = 0;
}

/* A suspend may name the child instead of an await event. */
static void note_wait(struct reading *reading, uint32_t coro)
{
	const struct model_coro *at = &reading->model->coros.at[coro];
	uint32_t child = at->state == CT_STATE_WAITING ? child_of(reading, at) : 0;

	if (child)
		coro_of(reading, child)->awaiter = coro;
}

/* ---------------------------------------------------------------- call stacks */

/* Does the coroutine give up its thread by this event? */
static bool lets_go(const struct reading *reading, uint32_t coro)
{
	const struct ct_event *event = &reading->event;

	return (event->kind == CTP_KIND_SUSPEND || event->kind == CTP_KIND_SYSCALL_BEGIN) &&
	       event->coro == reading->model->coros.at[coro].id;
}

static uint32_t stack_of(const struct reading *reading, uint32_t site)
{
	const struct ct_tables *tables = reading->profile->tables;

	return site < tables->nr_sites ? tables->sites[site].stack : 0;
}

/*
 * The site whose call stack shows how the coroutine came to its state: its own site; but if another coroutine woke it,
 * the waker's site, where the delay began.
 */
static uint32_t site_of_state(struct reading *reading, uint32_t coro)
{
	const struct model_coro *at = &reading->model->coros.at[coro];
	bool is_woken = at->state == CT_STATE_READY && reading->event.kind == CTP_KIND_WAKE;

	if (lets_go(reading, coro))
		coro_of(reading, coro)->site = reading->event.site;
	return is_woken && stack_of(reading, reading->event.site) ? reading->event.site
								  : coro_of(reading, coro)->site;
}

/* Adds the frames of a call stack, the outermost first, on top of `below`; 0: there are none. */
static uint32_t put_calls(struct reading *reading, uint32_t below, uint32_t site)
{
	const struct ct_tables *tables = reading->profile->tables;
	uint32_t frames[PROFILE_FRAMES], count = 0, at, stack = below;

	for (at = stack_of(reading, site); at && count < PROFILE_FRAMES;
		at = tables->stacks[at].caller)
		frames[count++] = tables->stacks[at].site;
	if (!count)
		return 0;
	while (count) {
		stack = profile_stacks_call(&reading->profile->stacks, stack,
			model_place(reading->model, frames[--count]));
		if (!stack)
			reading->is_broken = true;
	}
	return stack;
}

static void take_stack(struct reading *reading, uint32_t coro)
{
	const struct model_coro *at = &reading->model->coros.at[coro];
	uint32_t site = at->suspended == CT_NO_TIME ? at->spawn_site : at->wait_site;
	uint32_t told = site_of_state(reading, coro), below = 0, stack = 0;

	if (at->state < CT_STATE_DONE && !reading->profile->options.by_place) {
		below = awaiter_of(reading, coro);
		below = below ? coro_of(reading, below)->stack : 0;
		stack = put_calls(reading, below, told);
	}
	if (!stack)
		stack = profile_stacks_find(
			&reading->profile->stacks, below, model_place(reading->model, site));
	reading->is_broken |= !stack;
	coro_of(reading, coro)->stack = stack;
}

/* ---------------------------------------------------------------- counting */

static ct_time observed(const struct model *model, ct_time time)
{
	return model->from != CT_NO_TIME && time < model->from ? model->from : time;
}

static void count(struct reading *reading, uint32_t number, uint64_t times, int64_t ns)
{
	struct profile_stack *stack = &reading->profile->stacks.all.at[number];

	stack->count += times;
	stack->ns += ns;
}

/* Did the state begin before the observation, or before its coroutine first ran during the observation? */
static bool is_cut(const struct reading *reading, const struct model_interval *interval)
{
	const struct model *model = reading->model;
	const struct model_coro *coro = &model->coros.at[interval->coro];

	if (model->from != CT_NO_TIME && interval->from <= model->from)
		return true;
	return interval->state == CT_STATE_READY &&
	       coro->nr_resumes <= (coro->state == CT_STATE_RUNNING);
}

static void count_interval(struct reading *reading, const struct model_interval *interval)
{
	const struct model *model = reading->model;
	bool is_before = model->from != CT_NO_TIME && interval->until < model->from;

	if (!coro_of(reading, interval->coro)->stack)
		take_stack(reading, interval->coro);
	if (reading->profile->options.only_ended && is_cut(reading, interval))
		return;
	if (is_wanted(reading, interval->state, interval->object))
		count(reading, coro_of(reading, interval->coro)->stack, !is_before,
			observed(model, interval->until) - observed(model, interval->from));
}

/*
 * Takes the states that this event ended, then those that it began. The history is emptied after each event, which
 * keeps it small, because it is not needed later.
 */
static void take_intervals(struct reading *reading)
{
	struct model_history *history = &reading->history;
	size_t i;

	for (i = 0; i < history->ring.count; i++)
		count_interval(reading, &history->ring.at[i]);
	for (i = 0; i < history->ring.count; i++) {
		take_stack(reading, history->ring.at[i].coro);
		note_wait(reading, history->ring.at[i].coro);
	}
	history->ring.count = 0;
	history->count = 0;
}

/* ---------------------------------------------------------------- system calls */

static uint32_t call_stack(struct reading *reading, const struct model_thread *thread)
{
	uint32_t below = thread->top ? coro_of(reading, thread->top)->stack : 0;

	return profile_stacks_find(
		&reading->profile->stacks, below, PROFILE_CALL | thread->blocked_call);
}

static void count_call(struct reading *reading, uint32_t index, bool is_over, int64_t ns)
{
	uint32_t stack = call_stack(reading, &reading->model->threads[index]);
	uint64_t key = (uint64_t)index << 32 | stack;
	uint32_t at = (uint32_t)reading->calls.count;
	struct call_time new = {.thread = index, .stack = stack};

	if (stack && !map_get(&reading->call_at, key, &at) &&
		(!vec_push(&reading->calls, new) || !map_put(&reading->call_at, key, at)))
		stack = 0;
	reading->is_broken |= !stack;
	if (!stack)
		return;
	reading->calls.at[at].count += is_over;
	reading->calls.at[at].ns += ns;
}

static int64_t blocked_of(const struct reading *reading, uint32_t thread)
{
	return reading->model->threads[thread].spent[MODEL_ACTIVITY_BLOCKED];
}

/* A coroutine that is in the call has a state of its own for that. */
static bool is_of_coro(const struct reading *reading, uint32_t thread)
{
	const struct model *model = reading->model;

	return model->coros.at[model->threads[thread].top].state == CT_STATE_SYSCALL;
}

/* The event may end the call, so the running coroutine and the call are determined before it is applied. */
static enum ct_status apply_with_calls(
	struct reading *reading, const struct ct_event *event, struct ct_error *reterr)
{
	int64_t before = blocked_of(reading, event->thread), ns;
	bool is_told = is_of_coro(reading, event->thread);
	enum ct_status status = model_apply(reading->model, event, reterr);

	ns = blocked_of(reading, event->thread) - before;
	if (ns && !is_told)
		count_call(reading, event->thread,
			reading->model->threads[event->thread].blocked_from == CT_NO_TIME, ns);
	return status;
}

/* ---------------------------------------------------------------- samples */

/* Counts a sample with the call stack that the sampler saw; if there is none, only with the sample's site. */
static void count_sample(struct reading *reading, const struct ct_event *event)
{
	uint32_t stack = 0;

	if (!reading->profile->options.by_place)
		stack = put_calls(reading, 0, event->site);
	if (!stack)
		stack = profile_stacks_find(
			&reading->profile->stacks, 0, model_place(reading->model, event->site));
	reading->is_broken |= !stack;
	count(reading, stack, 1, 1);
}

/* ---------------------------------------------------------------- what the kernel says of threads */

#define SECOND_NS INT64_C(1000000000)

/* The stack of the coroutine that runs on the event's thread; 0: none does. */
static uint32_t stack_there(struct reading *reading, const struct ct_event *event)
{
	uint32_t top = reading->model->threads[event->thread].top;

	if (!top || reading->model->coros.at[top].state != CT_STATE_RUNNING)
		return 0;
	return coro_of(reading, top)->stack;
}

/* Where the thread was, on top of `below`. */
static uint32_t put_place(struct reading *reading, uint32_t below, uint32_t site)
{
	uint32_t stack;

	if (reading->profile->options.by_place)
		below = 0;
	stack = reading->profile->options.by_place ? 0 : put_calls(reading, below, site);
	if (!stack && site)
		stack = profile_stacks_call(
			&reading->profile->stacks, below, model_place(reading->model, site));
	return stack ? stack : below;
}

static void count_cpu(struct reading *reading, const struct ct_event *event)
{
	int64_t hz = CTP_SAMPLE_HZ(event->flags);
	uint32_t stack;

	if (!(event->flags & CTP_SAMPLE_BY_KERNEL) || !hz)
		return;
	stack = put_place(reading, stack_there(reading, event), event->site);
	if (!stack)
		stack = profile_stacks_find(&reading->profile->stacks, 0, 0);
	reading->is_broken |= !stack;
	count(reading, stack, 1, SECOND_NS / hz);
}

/* A worker that has nothing to run is left out: that time is no coroutine's. */
static void count_off(struct reading *reading, const struct ct_event *event)
{
	uint32_t below = stack_there(reading, event), stack;
	uint64_t longest = (uint64_t)ct_time_between(0, event->time);

	if (!below)
		return;
	stack = profile_stacks_call(&reading->profile->stacks,
		put_place(reading, below, event->site), PROFILE_OFF | (event->argument != 0));
	reading->is_broken |= !stack;
	count(reading, stack, !(event->flags & CTP_OFF_GOES_ON),
		(int64_t)(event->object < longest ? event->object : longest));
}

static void count_told(struct reading *reading, const struct ct_event *event)
{
	enum ct_profile profile = reading->profile->options.profile;

	if (profile == CT_PROFILE_SAMPLES && event->kind == CTP_KIND_SAMPLE)
		count_sample(reading, event);
	else if (profile == CT_PROFILE_CPU && event->kind == CTP_KIND_SAMPLE)
		count_cpu(reading, event);
	else if (profile == CT_PROFILE_OFF_CPU && event->kind == CTP_KIND_THREAD_OFF)
		count_off(reading, event);
}

/* ---------------------------------------------------------------- events */

static enum ct_status apply(void *context, const struct ct_event *event, struct ct_error *reterr)
{
	struct reading *reading = context;
	bool is_possible = model_is_possible(reading->model, event);
	enum ct_status status;

	reading->event = *event;
	reading->history.event = &reading->event;
	if (is_possible && reading->profile->options.profile == CT_PROFILE_SYSCALL)
		status = apply_with_calls(reading, event, reterr);
	else
		status = model_apply(reading->model, event, reterr);
	if (status)
		return status;
	take_intervals(reading);
	if (is_possible)
		count_told(reading, event);
	if (is_possible && (event->kind == CTP_KIND_AWAIT || event->kind == CTP_KIND_AWAIT_DONE))
		note_await(reading, event);
	return reading->is_broken || reading->history.is_broken ? ct_fail_memory(reterr) : CT_OK;
}

/* Like the model: a state that has not ended lasts until the end. */
static void finish_coro(struct reading *reading, uint32_t coro)
{
	const struct model_coro *at = &reading->model->coros.at[coro];
	ct_time end = model_end_of(reading->model, at->process);
	struct model_interval open = model_interval_open(reading->model, coro);

	if (at->state >= CT_STATE_DONE || reading->profile->options.only_ended)
		return;
	open.until = end > at->changed ? end : at->changed;
	count_interval(reading, &open);
}

static void give_calls(struct reading *reading)
{
	size_t i;

	for (i = 0; i < reading->calls.count; i++) {
		const struct call_time *call = &reading->calls.at[i];

		if (reading->model->threads[call->thread].is_worker)
			count(reading, call->stack, call->count, call->ns);
	}
}

static enum ct_status finish(struct reading *reading, struct ct_error *reterr)
{
	struct model *model = reading->model;
	int64_t *before = calloc(model->nr_threads + 1u, sizeof(*before));
	enum ct_status status;
	uint32_t i;

	if (!before)
		return ct_fail_memory(reterr);
	for (i = 0; i < model->nr_threads; i++)
		before[i] = blocked_of(reading, i);
	status = model_finish(model, reterr);
	take_intervals(reading);
	for (i = 1; i < model->coros.count; i++)
		finish_coro(reading, i);
	for (i = 1; i < model->nr_threads && reading->state == CT_STATE_DONE; i++)
		if (blocked_of(reading, i) != before[i] && !is_of_coro(reading, i))
			count_call(reading, i, true, blocked_of(reading, i) - before[i]);
	give_calls(reading);
	free(before);
	if (status == CT_OK && (reading->is_broken || reading->history.is_broken))
		return ct_fail_memory(reterr);
	return status;
}

static enum ct_status name_places(struct profile *profile, struct ct_error *reterr)
{
	const struct profile_stacks *stacks = &profile->stacks;
	struct map first = {0};
	bool is_whole = true;
	uint32_t i, at;

	profile->names = arena_array(&profile->arena, stacks->all.count, sizeof(*profile->names));
	for (i = 1; profile->names && is_whole && i < stacks->all.count; i++) {
		if (map_get(&first, stacks->all.at[i].place, &at)) {
			profile->names[i] = profile->names[at];
			continue;
		}
		profile->names[i] =
			profile_names(&profile->arena, profile->tables, stacks->all.at[i].place);
		profile->names[i].first = i;
		is_whole =
			profile->names[i].nr_lines && map_put(&first, stacks->all.at[i].place, i);
	}
	map_fini(&first);
	return profile->names && is_whole ? CT_OK : ct_fail_memory(reterr);
}

static void sum_up(struct profile *profile)
{
	size_t i;

	for (i = 1; i < profile->stacks.all.count; i++)
		profile->total_ns += profile->stacks.all.at[i].ns;
}

enum ct_status profile_read(
	struct profile *profile, struct ct_source *source, struct ct_error *reterr)
{
	struct reading reading = {.profile = profile, .history.from = CT_NO_TIME};
	enum ct_status status = model_new(source->tables, &reading.model, reterr);

	if (status)
		return status;
	reading.model->history = &reading.history;
	reading.state = state_of(profile->options.profile);
	status = source_each(source, apply, &reading, reterr);
	if (status == CT_OK)
		status = finish(&reading, reterr);
	profile->nr_lost = reading.model->nr_lost;
	model_history_fini(&reading.history);
	vec_fini(&reading.coros);
	vec_fini(&reading.calls);
	map_fini(&reading.call_at);
	model_free(reading.model);
	sum_up(profile);
	return status == CT_OK ? name_places(profile, reterr) : status;
}
