/* SPDX-License-Identifier: MIT */
/*
 * Lanes, and how events change them.
 */
#include "analyze/lane.h"
#include "event/around.h"

/* ---------------------------------------------------------------- the bars that are kept */

static void leave_out(struct lane *lane, const struct lane_bar *bar)
{
	lane->out = *bar;
	lane->nr_left_out++;
}

/* Words that say "1 more state" would need more room than the state itself. */
static void keep_single(struct lane *lane, uint32_t room)
{
	if (lane->nr_left_out != 1 || lane->nr_bars + room + 1 >= CT_LANE_BARS)
		return;
	lane->bars[lane->nr_bars++] = lane->out;
	lane->nr_left_out = 0;
}

/* Keeps a bar, unless fewer than `room` places remain for later bars. The last bar always has room. */
static void keep(struct lane *lane, const struct lane_bar *bar, uint32_t room)
{
	keep_single(lane, room);
	if (lane->nr_bars + room >= CT_LANE_BARS) {
		leave_out(lane, bar);
		return;
	}
	lane->bars[lane->nr_bars] = *bar;
	lane->bars[lane->nr_bars++].bar.nr_before = lane->nr_left_out;
	lane->nr_left_out = 0;
}

static void keep_before(struct lane *lane)
{
	if (lane->before.bar.state)
		keep(lane, &lane->before, 2);
	lane->before.bar.state = CT_BAR_NONE;
}

static bool has_moment(const struct lane *lane, const struct ct_bar *bar)
{
	uint32_t i;

	for (i = 0; i < lane->nr_moments; i++)
		if (lane->moments[i] >= bar->from && lane->moments[i] <= bar->until)
			return true;
	return false;
}

static void leave(struct lane *lane, ct_time time)
{
	struct lane_bar *now = &lane->now;

	now->bar.until = time > now->bar.from ? time : now->bar.from;
	if (has_moment(lane, &now->bar)) {
		keep_before(lane);
		keep(lane, now, 2);
		lane->keeps_next = true;
	} else if (lane->keeps_next) {
		keep(lane, now, 2);
		lane->keeps_next = false;
	} else {
		if (lane->before.bar.state)
			leave_out(lane, &lane->before);
		lane->before = *now;
	}
}

static struct lane_bar *enter(struct lane *lane, enum ct_bar_state state, ct_time time)
{
	if (lane->now.bar.state)
		leave(lane, time);
	lane->now = (struct lane_bar){.bar = {.state = state, .from = time, .text = ""}};
	lane->call_name = NULL;
	return &lane->now;
}

void analyze_lane_call(struct lane *lane, ct_time from, const char *name)
{
	uint32_t thread = lane->now.bar.thread;
	struct lane_bar *now;

	if (lane->now.bar.state != CT_BAR_RUNNING)
		return;
	now = enter(lane, CT_BAR_CALL, from > lane->now.bar.from ? from : lane->now.bar.from);
	now->bar.thread = thread;
	now->bar.text = name;
}

/* The bar of the call that the coroutine was in, if that lasted. */
static void tell_call(struct lane *lane, ct_time until)
{
	const char *name = lane->call_name;
	uint32_t site = lane->call_site;

	if (!name || until - lane->call_from < LANE_CALL_NS)
		return;
	analyze_lane_call(lane, lane->call_from, name);
	lane->now.bar.site = site;
}

void analyze_lane_end(struct lane *lane, ct_time end)
{
	if (!lane->now.bar.state)
		return;
	tell_call(lane, end);
	lane->now.bar.until = end > lane->now.bar.from ? end : lane->now.bar.from;
	lane->now.bar.is_open = true;
	keep_before(lane);
	keep(lane, &lane->now, 0);
}

/* ---------------------------------------------------------------- the index */

/* A descriptor's number is given out again and again. A lane is of one generation, but is found by the number. */
static uint64_t key_of(uint32_t process, uint64_t handle)
{
	if (CTP_HANDLE_RESOURCE(handle) == CTP_RESOURCE_DESCRIPTOR)
		handle = CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, (uint32_t)handle);
	return handle ^ ((uint64_t)process << 40);
}

static void add_resource(struct lane_index *index, struct lane *lane)
{
	uint64_t key = key_of(lane->process, lane->handle);
	uint32_t at;

	if (map_get(&index->of_resource, key, &at)) {
		lane->next = index->resources.at[at];
		index->resources.at[at] = lane;
		return;
	}
	at = (uint32_t)index->resources.count;
	if (!vec_push(&index->resources, lane) || !map_put(&index->of_resource, key, at))
		index->is_broken = true;
}

void analyze_lane_add(struct lane_index *index, struct lane *lane)
{
	struct lane **first = lane->kind == CT_LANE_COROUTINE ? &index->of_coro[lane->coro]
							      : &index->of_thread[lane->thread];

	if (!vec_push(&index->all, lane))
		index->is_broken = true;
	if (lane->kind == CT_LANE_RESOURCE) {
		add_resource(index, lane);
		return;
	}
	lane->next = *first;
	*first = lane;
}

void analyze_lane_fini(struct lane_index *index)
{
	map_fini(&index->of_resource);
	vec_fini(&index->resources);
	vec_fini(&index->all);
}

static bool is_other_generation(const struct lane *lane, uint64_t handle)
{
	uint64_t meant = CTP_HANDLE_IDENTITY(lane->handle) >> 32;
	uint64_t named = CTP_HANDLE_IDENTITY(handle) >> 32;

	return CTP_HANDLE_RESOURCE(handle) == CTP_RESOURCE_DESCRIPTOR && meant && named &&
	       meant != named;
}

bool analyze_lane_is_of(const struct lane *lane, uint32_t process, uint64_t handle)
{
	return lane->kind == CT_LANE_RESOURCE && lane->process == process &&
	       key_of(process, lane->handle) == key_of(process, handle) &&
	       !is_other_generation(lane, handle);
}

/* The first lane with this descriptor number. */
static struct lane *find_resource(const struct lane_index *index, const struct ct_event *event)
{
	uint32_t at;

	if (!map_get(&index->of_resource, key_of(event->process, event->object), &at))
		return NULL;
	return index->resources.at[at];
}

/* ---------------------------------------------------------------- coroutines */

static bool is_running(const struct lane *lane)
{
	return lane->now.bar.state == CT_BAR_RUNNING;
}

static bool has_ended(const struct lane *lane)
{
	return lane->now.bar.state == CT_BAR_DONE || lane->now.bar.state == CT_BAR_DESTROYED;
}

static void run(struct lane *lane, const struct ct_event *event)
{
	for (; lane; lane = lane->next) {
		if (event_is_told_around(event) && has_ended(lane))
			continue; /* a hook's event after the end begins no run */
		if (is_running(lane) && lane->now.bar.thread == event->thread)
			continue;
		enter(lane, CT_BAR_RUNNING, event->time)->bar.thread = event->thread;
		lane->is_woken = false;
	}
}

/* The coroutine, and its thread with it, enters a call. */
static void call_begin(struct lane *lane, const struct ct_event *event, const char *name)
{
	for (; lane; lane = lane->next) {
		if (!is_running(lane) || lane->now.bar.thread != event->thread)
			continue;
		lane->call_from = event->time;
		lane->call_name = name;
		lane->call_site = event->site;
	}
}

static void call_end(struct lane *lane, const struct ct_event *event, enum ct_bar_state next)
{
	for (; lane; lane = lane->next) {
		if (!is_running(lane) || !lane->call_name)
			continue;
		tell_call(lane, event->time);
		lane->call_name = NULL;
		if (next != lane->now.bar.state)
			enter(lane, next, event->time)->bar.thread = event->thread;
	}
}

static void enter_all(struct lane *lane, enum ct_bar_state state, ct_time time)
{
	for (; lane; lane = lane->next)
		if (lane->now.bar.state != state)
			enter(lane, state, time);
}

static void wait_for(struct lane *lane, const struct ct_event *event, uint64_t object)
{
	for (; lane; lane = lane->next) {
		bool is_ready = lane->is_woken || event->argument == CTP_POINT_PREEMPTED;
		struct lane_bar *now =
			enter(lane, is_ready ? CT_BAR_READY : CT_BAR_WAITING, event->time);

		if (is_ready)
			continue;
		now->bar.site = event->site;
		now->object = object;
	}
}

/* Is this a hook's event of an end that arrives when the coroutine runs on another thread, or has ended? */
static bool is_late(const struct lane *lane, const struct ct_event *event)
{
	if (!event_is_told_around(event) || !lane)
		return false;
	return !is_running(lane) || lane->now.bar.thread != event->thread;
}

static void suspend(struct lane *lane, const struct ct_event *event)
{
	if (is_late(lane, event))
		return;
	switch (event->argument) {
	case CTP_POINT_FINAL:
		enter_all(lane, CT_BAR_DONE, event->time);
		break;
	case CTP_POINT_INITIAL:
		enter_all(lane, CT_BAR_NEW, event->time);
		break;
	default:
		wait_for(lane, event, event->object);
		break;
	}
}

/*
 * A coroutine that wakes itself, or is queued, while it runs will not wait when it suspends. Any other wake of a
 * coroutine that runs, or has ended, changes nothing.
 */
static void make_ready(struct lane *lane, const struct lane_event *of)
{
	const struct ct_event *event = of->event;

	for (; lane; lane = lane->next) {
		enum ct_bar_state state = lane->now.bar.state;

		if (state == CT_BAR_WAITING || state == CT_BAR_NEW)
			enter(lane, CT_BAR_READY, event->time)->bar.coro = of->waker;
		else if (state == CT_BAR_RUNNING)
			lane->is_woken |= event->kind == CTP_KIND_ENQUEUE ||
					  (lane->now.bar.thread == event->thread &&
						  (!of->coro || of->coro == lane->coro));
	}
}

static void take_coroutine(struct lane *lane, const struct lane_event *of)
{
	const struct ct_event *event = of->event;

	switch (event->kind) {
	case CTP_KIND_CREATE:
		enter_all(lane, CT_BAR_NEW, event->time);
		break;
	case CTP_KIND_RESUME:
	case CTP_KIND_CANCEL:
		run(lane, event);
		break;
	case CTP_KIND_SUSPEND:
		suspend(lane, event);
		break;
	case CTP_KIND_SWITCH:
		wait_for(lane, event, 0);
		break;
	case CTP_KIND_ENQUEUE:
		make_ready(lane, of);
		break;
	case CTP_KIND_SYSCALL_BEGIN:
		call_begin(lane, event, "a system call");
		break;
	case CTP_KIND_SYSCALL_END:
		call_end(lane, event,
			event->flags & CTP_SYSCALL_READY ? CT_BAR_READY : CT_BAR_RUNNING);
		break;
	case CTP_KIND_RETURN:
		enter_all(lane, CT_BAR_DONE, event->time);
		break;
	case CTP_KIND_DESTROY:
		enter_all(lane, CT_BAR_DESTROYED, event->time);
		break;
	case CTP_KIND_CRASH:
		enter_all(lane, CT_BAR_CRASHED, event->time);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------- threads */

static void run_on(struct lane *lane, const struct ct_event *event, uint64_t coro)
{
	enter(lane, CT_BAR_RUNNING, event->time)->bar.coro = coro;
}

static void stop_running(struct lane *lane, const struct ct_event *event)
{
	if (is_running(lane) && lane->now.bar.coro == event->coro)
		enter(lane, CT_BAR_OUTSIDE, event->time);
}

static void enter_call(struct lane *lane, const struct ct_event *event)
{
	struct lane_bar *now;

	if (lane->now.bar.state == CT_BAR_IDLE)
		return;
	lane->around = is_running(lane) ? lane->now.bar.coro : 0;
	now = enter(lane, CT_BAR_CALL, event->time);
	now->bar.site = event->site;
	now->bar.text = ct_call_name(event->argument);
}

static void leave_call(struct lane *lane, const struct ct_event *event)
{
	if (lane->now.bar.state != CT_BAR_CALL)
		return;
	if (lane->around)
		run_on(lane, event, lane->around);
	else
		enter(lane, CT_BAR_OUTSIDE, event->time);
}

static void take_thread(struct lane *lane, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_RESUME:
		run_on(lane, event, event->coro);
		break;
	case CTP_KIND_SWITCH:
		run_on(lane, event, event->object);
		break;
	case CTP_KIND_SUSPEND:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
		stop_running(lane, event);
		break;
	case CTP_KIND_PARK:
		enter(lane, CT_BAR_IDLE, event->time);
		break;
	case CTP_KIND_UNPARK:
		enter(lane, CT_BAR_OUTSIDE, event->time);
		break;
	case CTP_KIND_BLOCK_BEGIN:
		enter_call(lane, event);
		break;
	case CTP_KIND_BLOCK_END:
		leave_call(lane, event);
		break;
	case CTP_KIND_CRASH:
		enter(lane, CT_BAR_CRASHED, event->time);
		break;
	case CTP_KIND_THREAD_STOP:
		enter(lane, CT_BAR_ENDED, event->time);
		break;
	default:
		break;
	}
	if (!lane->now.bar.state)
		enter(lane, CT_BAR_OUTSIDE, event->time);
}

/* ---------------------------------------------------------------- resources */

static void hold(struct lane *lane, const struct ct_event *event, uint64_t coro)
{
	if (CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_LOCK)
		return;
	for (; lane; lane = lane->next) {
		struct lane_bar *now = enter(lane, CT_BAR_HELD, event->time);

		now->bar.coro = coro;
		now->bar.thread = event->thread;
	}
}

/* Another coroutine may have taken the lock meanwhile, and still hold it: then nothing changes. */
static void give_back(struct lane *lane, const struct ct_event *event)
{
	if (CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_LOCK)
		return;
	for (; lane; lane = lane->next)
		if (lane->now.bar.state != CT_BAR_HELD || lane->now.bar.coro == event->coro)
			enter(lane, CT_BAR_FREE, event->time);
}

static void open_or_close(struct lane *lane, const struct ct_event *event, enum ct_bar_state state)
{
	for (; lane; lane = lane->next) {
		if (is_other_generation(lane, event->object))
			continue;
		/* The open was not seen: the descriptor had been open since the observation began. */
		if (!lane->now.bar.state && state == CT_BAR_CLOSED)
			enter(lane, CT_BAR_OPEN, lane->from);
		enter(lane, state, event->time);
	}
}

static void take_resource(const struct lane_index *index, const struct ct_event *event)
{
	struct lane *lane = find_resource(index, event);

	switch (event->kind) {
	case CTP_KIND_DESCRIPTOR_OPEN:
		open_or_close(lane, event, CT_BAR_OPEN);
		break;
	case CTP_KIND_DESCRIPTOR_CLOSE:
		open_or_close(lane, event, CT_BAR_CLOSED);
		break;
	case CTP_KIND_ACQUIRE:
		hold(lane, event, event->coro);
		break;
	case CTP_KIND_HAND_OVER:
		hold(lane, event, 0);
		break;
	case CTP_KIND_RELEASE:
		give_back(lane, event);
		break;
	default:
		break;
	}
}

static bool is_of_resource(uint8_t kind)
{
	return kind == CTP_KIND_DESCRIPTOR_OPEN || kind == CTP_KIND_DESCRIPTOR_CLOSE ||
	       kind == CTP_KIND_ACQUIRE || kind == CTP_KIND_HAND_OVER || kind == CTP_KIND_RELEASE;
}

void analyze_lane_receive(struct lane_index *index, const struct ct_event *detail)
{
	size_t i;

	for (i = 0; i < index->resources.count; i++) {
		struct lane *lane;

		for (lane = index->resources.at[i]; lane; lane = lane->next)
			if (lane->now.bar.state == CT_BAR_HELD && !lane->now.bar.coro &&
				lane->now.bar.thread == detail->thread)
				lane->now.bar.coro = detail->object;
	}
}

void analyze_lane_take(struct lane_index *index, const struct lane_event *of)
{
	const struct ct_event *event = of->event;
	struct lane *lane;

	if (of->coro)
		take_coroutine(index->of_coro[of->coro], of);
	if (of->woken && event_makes_ready(event->argument))
		make_ready(index->of_coro[of->woken], of);
	if (of->entered)
		run(index->of_coro[of->entered], event);
	if (event->kind == CTP_KIND_BLOCK_BEGIN)
		call_begin(index->of_coro[of->running], event, ct_call_name(event->argument));
	else if (event->kind == CTP_KIND_BLOCK_END)
		call_end(index->of_coro[of->running], event, CT_BAR_RUNNING);
	for (lane = index->of_thread[event->thread]; lane; lane = lane->next)
		take_thread(lane, event);
	if (is_of_resource(event->kind) && index->resources.count)
		take_resource(index, event);
}
