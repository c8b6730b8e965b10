/* SPDX-License-Identifier: MIT */
/*
 * Pictures: lanes are chosen before the second reading, filled during it, and written to the report after it.
 *
 * A rule writes its steps from the model alone. Therefore the rule is asked for its steps a first time before the
 * second reading: the steps show which events matter. Most events belong to no picture, which two bits tell.
 */

#include "analyze/pictures.h"

/* ---------------------------------------------------------------- the choice of the lanes */

static bool is_same(const struct lane *lane, const struct lane *wanted)
{
	if (lane->kind != wanted->kind || lane->process != wanted->process)
		return false;
	return lane->kind == CT_LANE_RESOURCE
		       ? analyze_lane_is_of(lane, wanted->process, wanted->handle)
		       : lane->coro == wanted->coro && lane->thread == wanted->thread;
}

/* The lane's number, from 1; 0: the picture has no such lane. */
static uint32_t number_of(const struct picture *picture, const struct lane *wanted)
{
	uint32_t i;

	for (i = 0; i < picture->nr_lanes; i++)
		if (is_same(picture->lanes[i], wanted))
			return i + 1;
	return 0;
}

static uint32_t number_of_coro(const struct picture *picture, uint32_t coro)
{
	struct lane wanted = {.kind = CT_LANE_COROUTINE, .process = picture->process, .coro = coro};

	return coro ? number_of(picture, &wanted) : 0;
}

static uint32_t number_of_thread(const struct picture *picture, uint32_t thread)
{
	struct lane wanted = {
		.kind = CT_LANE_THREAD, .process = picture->process, .thread = thread};

	return thread ? number_of(picture, &wanted) : 0;
}

static uint32_t number_of_resource(const struct picture *picture, uint64_t handle)
{
	struct lane wanted = {
		.kind = CT_LANE_RESOURCE, .process = picture->process, .handle = handle};

	return handle ? number_of(picture, &wanted) : 0;
}

/* The order of lanes: first those that acted, then resources, then members. */
static unsigned rank_of(const struct lane *lane)
{
	if (lane->is_member)
		return 3;
	return lane->kind == CT_LANE_RESOURCE ? 2 : lane->kind == CT_LANE_THREAD ? 0 : 1;
}

/* Adds a lane. False: the picture has `most` lanes already, or has this one. */
static bool add_lane(struct pictures *pictures, struct picture *picture, const struct lane *wanted,
	uint32_t most)
{
	struct lane *lane;
	uint32_t at;

	if (picture->nr_lanes >= most || number_of(picture, wanted))
		return false;
	lane = analyze_scratch(pictures->analysis, 1, sizeof(*lane));
	if (!lane)
		return false;
	*lane = *wanted;
	lane->from = pictures->analysis->model->from;
	lane->moments = picture->moments;
	for (at = picture->nr_lanes++; at > 0; at--) {
		if (rank_of(picture->lanes[at - 1]) <= rank_of(lane))
			break;
		picture->lanes[at] = picture->lanes[at - 1];
	}
	picture->lanes[at] = lane;
	return true;
}

static void add_coro(struct pictures *pictures, struct picture *picture, uint32_t coro,
	bool is_member, uint32_t most)
{
	struct lane wanted = {
		.kind = CT_LANE_COROUTINE,
		.is_member = is_member,
		.process = picture->process,
		.coro = coro,
	};

	if (coro && pictures->analysis->model->coros.at[coro].process == picture->process)
		add_lane(pictures, picture, &wanted, most);
}

static void add_thread(
	struct pictures *pictures, struct picture *picture, uint32_t thread, uint32_t most)
{
	struct lane wanted = {
		.kind = CT_LANE_THREAD, .process = picture->process, .thread = thread};

	if (thread && thread < pictures->analysis->model->nr_threads)
		add_lane(pictures, picture, &wanted, most);
}

static bool is_drawn(uint64_t handle)
{
	unsigned resource = CTP_HANDLE_RESOURCE(handle);

	return resource != CTP_RESOURCE_NONE && resource != CTP_RESOURCE_COROUTINE &&
	       resource != CTP_RESOURCE_FRAME && resource != CTP_RESOURCE_REMOTE;
}

static void add_resource(struct pictures *pictures, struct picture *picture, uint64_t handle)
{
	struct lane wanted = {
		.kind = CT_LANE_RESOURCE, .process = picture->process, .handle = handle};

	if (is_drawn(handle))
		add_lane(pictures, picture, &wanted, CT_LANES);
}

/* Adds a lane for what a member waits for: a resource, or another coroutine. */
static void add_awaited(struct pictures *pictures, struct picture *picture, uint32_t coro)
{
	struct analysis *analysis = pictures->analysis;
	const struct model_coro *of = &analysis->model->coros.at[coro];
	const struct model_descriptor *known =
		&analysis->model->descriptors.at[of->rare->descriptor];
	struct lane wanted = {
		.kind = CT_LANE_RESOURCE,
		.process = of->process,
		.descriptor = of->rare->descriptor,
		.handle = of->wait_object,
	};

	if (!model_is_awaiting(of))
		return;
	if (of->rare->descriptor)
		wanted.handle = CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR,
			(uint64_t)(known->generation & 0xffffffu) << 32 | known->fd);
	if (is_drawn(wanted.handle))
		add_lane(pictures, picture, &wanted, CT_LANES);
	else
		add_coro(pictures, picture, analyze_ties_child(analysis, of), false, CT_LANES);
}

static void add_actors(
	struct pictures *pictures, struct picture *picture, const struct story *story)
{
	struct model *model = pictures->analysis->model;
	size_t i;

	for (i = 0; i < story->steps.count; i++) {
		const struct ct_step *step = &story->steps.at[i];

		if (step->coro)
			add_coro(pictures, picture, model_find(model, picture->process, step->coro),
				false, CT_LANES - 1);
		else
			add_thread(pictures, picture, step->thread, CT_LANES - 1);
	}
	for (i = 0; i < story->parties.count; i++) {
		add_thread(pictures, picture, story->parties.at[i].thread, CT_LANES);
		add_resource(pictures, picture, story->parties.at[i].handle);
		add_coro(pictures, picture, story->parties.at[i].coro, false, CT_LANES);
	}
}

/* ---------------------------------------------------------------- before the second reading */

static void mark_bit(uint64_t *bits, uint64_t value)
{
	size_t bit = map_home(value, 65536);

	bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool has_bit(const uint64_t *bits, uint64_t value)
{
	size_t bit = map_home(value, 65536);

	return bits[bit / 64] >> bit % 64 & 1;
}

static void take_step(
	struct pictures *pictures, struct picture *picture, const struct ct_step *step)
{
	struct picture_step *wanted = &picture->steps[picture->nr_steps++];

	wanted->sequence = step->sequence;
	wanted->time = step->time;
	wanted->thread = step->thread;
	wanted->coro = step->coro;
	if (step->time == CT_NO_TIME)
		return;
	picture->moments[picture->nr_moments++] = step->time;
	if (step->sequence != UINT64_MAX)
		mark_bit(pictures->sequences, step->sequence);
	else
		mark_bit(pictures->times, (uint64_t)step->time);
}

static void choose_lanes(struct pictures *pictures, struct picture *picture,
	const struct group *group, const struct story *story)
{
	uint32_t members[CT_LANES], nr_members, i;

	nr_members = analyze_picture_members(pictures->analysis, group, story, members);
	for (i = 0; i < nr_members; i++)
		add_coro(pictures, picture, members[i], true, CT_LANES);
	picture->nr_alike = nr_members ? group->count - nr_members : 0;
	add_actors(pictures, picture, story);
	for (i = 0; i < nr_members; i++)
		add_awaited(pictures, picture, members[i]);
	for (i = 0; i < picture->nr_lanes; i++) {
		picture->lanes[i]->nr_moments = picture->nr_moments;
		analyze_lane_add(&pictures->lanes, picture->lanes[i]);
	}
}

static struct picture *begin(struct pictures *pictures, const struct group *group)
{
	struct analysis *analysis = pictures->analysis;
	struct picture *picture = analyze_scratch(analysis, 1, sizeof(*picture));
	struct story story = {0};
	size_t i;

	if (!picture)
		return NULL;
	picture->process = analysis->candidates.at[group->first].process;
	analyze_group_tell(analysis, group, &story);
	for (i = 0; i < story.steps.count && i < CT_PICTURE_STEPS; i++)
		take_step(pictures, picture, &story.steps.at[i]);
	choose_lanes(pictures, picture, group, &story);
	analyze_story_fini(&story);
	return picture;
}

void analyze_picture_prepare(struct pictures *pictures, struct analysis *analysis)
{
	size_t count = analysis->groups.count;
	uint32_t i;

	pictures->analysis = analysis;
	pictures->count = count < CT_PICTURES ? (uint32_t)count : CT_PICTURES;
	pictures->at = analyze_scratch(analysis, pictures->count, sizeof(struct picture *));
	pictures->handed = analyze_scratch(analysis, analysis->model->nr_threads, sizeof(uint32_t));
	pictures->lanes.of_coro =
		analyze_scratch(analysis, analysis->model->coros.count, sizeof(struct lane *));
	pictures->lanes.of_thread =
		analyze_scratch(analysis, analysis->model->nr_threads, sizeof(struct lane *));
	for (i = 0; !analysis->is_broken && i < pictures->count; i++)
		pictures->at[i] = begin(pictures, &analysis->groups.at[i]);
	analysis->is_broken |= pictures->lanes.is_broken;
}

void analyze_picture_fini(struct pictures *pictures)
{
	analyze_lane_fini(&pictures->lanes);
}

/* ---------------------------------------------------------------- steps, and their events */

/* A poll names a descriptor by the word that epoll was given with it. */
static uint32_t number_of_ready(
	struct pictures *pictures, const struct picture *picture, const struct ct_event *event)
{
	const struct model_descriptor *at = pictures->analysis->model->descriptors.at;
	uint32_t i;

	if (event->object)
		return number_of_resource(picture, event->object);
	for (i = 0; i < picture->nr_lanes; i++)
		if (picture->lanes[i]->descriptor &&
			at[picture->lanes[i]->descriptor].user_data == event->coro)
			return i + 1;
	return 0;
}

/* The lane of what an event of this kind acts on. */
static uint32_t other_of(
	struct pictures *pictures, const struct picture *picture, const struct lane_event *of)
{
	struct model *model = pictures->analysis->model;
	const struct ct_event *event = of->event;

	switch (event->kind) {
	case CTP_KIND_WAKE:
		return number_of_coro(picture, of->woken);
	case CTP_KIND_CREATE:
	case CTP_KIND_RESUME:
	case CTP_KIND_DESTROY:
	case CTP_KIND_RETURN:
	case CTP_KIND_ENQUEUE:
		return number_of_coro(picture, of->coro);
	case CTP_KIND_SWITCH:
		return number_of_coro(picture, of->entered);
	case CTP_KIND_AWAIT:
	case CTP_KIND_AWAIT_DONE:
		return number_of_coro(picture, model_find(model, event->process, event->object));
	case CTP_KIND_SUSPEND:
		if (CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE)
			return number_of_coro(picture, model_find(model, event->process,
							       CTP_HANDLE_IDENTITY(event->object)));
		break;
	case CTP_KIND_BLOCK_BEGIN:
		return number_of_resource(picture, event->coro);
	case CTP_KIND_DESCRIPTOR_READY:
		return number_of_ready(pictures, picture, event);
	default:
		break;
	}
	return number_of_resource(picture, event->object);
}

static uint32_t lane_of(
	struct pictures *pictures, const struct picture *picture, const struct picture_step *step)
{
	if (step->coro)
		return number_of_coro(picture,
			model_find(pictures->analysis->model, picture->process, step->coro));
	return number_of_thread(picture, step->thread);
}

static bool is_told_by(const struct picture_step *step, const struct ct_event *event)
{
	if (step->kind)
		return false;
	if (step->sequence != UINT64_MAX)
		return step->sequence == event->sequence;
	if (step->time != event->time || (step->thread && step->thread != event->thread))
		return false;
	if (event->kind == CTP_KIND_CREATE)
		return event->coro != step->coro;
	return event->kind == CTP_KIND_RESUME || event->kind == CTP_KIND_SWITCH ||
	       event->kind == CTP_KIND_DESCRIPTOR_READY || event->kind == CTP_KIND_DESCRIPTOR_OPEN;
}

static void tell_step(struct pictures *pictures, uint32_t group, struct picture_step *step,
	const struct lane_event *of)
{
	struct picture *picture = pictures->at[group];

	step->kind = of->event->kind;
	step->lane = lane_of(pictures, picture, step);
	step->other = other_of(pictures, picture, of);
	/* The resume is an act of the thread, which has a lane besides the coroutine's. */
	if (step->kind == CTP_KIND_RESUME && step->lane == step->other)
		step->lane = number_of_thread(picture, of->event->thread);
	if (!step->lane || (step->lane == step->other && step->kind != CTP_KIND_WAKE)) {
		step->lane = step->other;
		step->other = 0;
	}
	if (step->kind == CTP_KIND_HAND_OVER)
		pictures->handed[of->event->thread] = group + 1;
}

static void look_for_steps(struct pictures *pictures, const struct lane_event *of)
{
	uint32_t i, k;

	for (i = 0; i < pictures->count; i++) {
		struct picture *picture = pictures->at[i];

		for (k = 0; k < picture->nr_steps; k++)
			if (is_told_by(&picture->steps[k], of->event))
				tell_step(pictures, i, &picture->steps[k], of);
	}
}

/* A resource was handed over on this thread just before this detail, which names the receiver. */
static void take_receiver(struct pictures *pictures, const struct ct_event *event)
{
	uint32_t group = pictures->handed[event->thread], i;
	struct picture *picture;

	analyze_lane_receive(&pictures->lanes, event);
	if (!group)
		return;
	pictures->handed[event->thread] = 0;
	picture = pictures->at[group - 1];
	for (i = 0; i < picture->nr_steps; i++) {
		struct picture_step *step = &picture->steps[i];

		if (step->kind == CTP_KIND_HAND_OVER && step->time == event->time)
			step->other =
				number_of_coro(picture, model_find(pictures->analysis->model,
								event->process, event->object));
	}
}

void analyze_picture_take(struct pictures *pictures, const struct lane_event *of)
{
	const struct ct_event *event = of->event;

	if (event->kind == CTP_KIND_DETAIL) {
		if (event->argument == CTP_DETAIL_RECEIVER)
			take_receiver(pictures, event);
		return;
	}
	if (has_bit(pictures->sequences, event->sequence) ||
		has_bit(pictures->times, (uint64_t)event->time))
		look_for_steps(pictures, of);
	analyze_lane_take(&pictures->lanes, of);
}

/* ---------------------------------------------------------------- after the second reading */

static const struct ct_bar *hand_over_bars(struct analysis *analysis, const struct lane *lane)
{
	struct ct_bar *bars = analyze_array(analysis, lane->nr_bars, sizeof(*bars));
	uint32_t i;

	if (!bars)
		return NULL;
	for (i = 0; i < lane->nr_bars; i++) {
		const struct lane_bar *from = &lane->bars[i];

		bars[i] = from->bar;
		if (from->object)
			bars[i].text =
				analyze_words_named(analysis, lane->process, from->object, 0);
	}
	return bars;
}

static const char *name_of(struct analysis *analysis, const struct lane *lane)
{
	switch (lane->kind) {
	case CT_LANE_COROUTINE:
		return analyze_words_coro(analysis, &analysis->model->coros.at[lane->coro]);
	case CT_LANE_THREAD:
		return analyze_words_thread(analysis, lane->thread);
	default:
		return analyze_words_named(analysis, lane->process, lane->handle, lane->descriptor);
	}
}

/* A lane whose thread sits in a call at the end. */
static void end_lane(struct analysis *analysis, struct lane *lane)
{
	uint32_t thread = lane->kind == CT_LANE_COROUTINE ? lane->now.bar.thread : lane->thread;
	bool is_running = lane->kind != CT_LANE_RESOURCE && lane->now.bar.state == CT_BAR_RUNNING;
	ct_time end = analysis->parties[lane->process].end;
	struct model_call call;

	if (is_running && model_find_call(analysis->model, thread, &call) && call.since < end &&
		(lane->kind == CT_LANE_THREAD ||
			analysis->model->threads[thread].top == lane->coro))
		analyze_lane_call(lane, call.since, call.name);
	analyze_lane_end(lane, end);
}

static void hand_over_lane(struct analysis *analysis, struct lane *lane, struct ct_lane *ret_lane)
{
	const struct model_coro *coro = &analysis->model->coros.at[lane->coro];

	end_lane(analysis, lane);
	ret_lane->kind = lane->kind;
	ret_lane->is_member = lane->is_member;
	ret_lane->process = lane->process;
	ret_lane->thread = lane->thread;
	ret_lane->coro = lane->coro ? coro->id : 0;
	ret_lane->object = lane->handle;
	if (lane->coro)
		ret_lane->site =
			coro->rare->function_site ? coro->rare->function_site : coro->spawn_site;
	ret_lane->name = name_of(analysis, lane);
	ret_lane->bars = hand_over_bars(analysis, lane);
	ret_lane->nr_bars = lane->nr_bars;
}

static void hand_over_mark(struct pictures *pictures, const struct picture *picture, uint32_t index,
	struct ct_picture_mark *ret_mark)
{
	const struct picture_step *step = &picture->steps[index];

	ret_mark->step = index + 1;
	ret_mark->kind = step->kind;
	ret_mark->lane = step->kind ? step->lane : lane_of(pictures, picture, step);
	ret_mark->other = step->other;
}

static void hand_over(
	struct pictures *pictures, struct picture *picture, struct ct_picture *ret_picture)
{
	struct analysis *analysis = pictures->analysis;
	struct ct_lane *lanes = analyze_array(analysis, picture->nr_lanes, sizeof(*lanes));
	struct ct_picture_mark *marks = analyze_array(analysis, picture->nr_steps, sizeof(*marks));
	uint32_t i, nr_marks = 0;

	if (!lanes || !marks)
		return;
	for (i = 0; i < picture->nr_lanes; i++)
		hand_over_lane(analysis, picture->lanes[i], &lanes[i]);
	for (i = 0; i < picture->nr_steps; i++)
		if (picture->steps[i].time != CT_NO_TIME)
			hand_over_mark(pictures, picture, i, &marks[nr_marks++]);
	*ret_picture = (struct ct_picture){
		.lanes = lanes,
		.nr_lanes = picture->nr_lanes,
		.has_wakes = analyze_party_has_wakes(analysis, picture->process),
		.marks = marks,
		.nr_marks = nr_marks,
		.nr_alike = picture->nr_alike,
		.end = analysis->parties[picture->process].end,
	};
}

/*
 * Is this the lane of a resource of which nothing is known except that a coroutine waits for it? The lane of the
 * waiting coroutine shows that already.
 */
static bool says_nothing(const struct picture *picture, uint32_t number)
{
	uint32_t i;

	if (picture->lanes[number - 1]->kind != CT_LANE_RESOURCE ||
		picture->lanes[number - 1]->now.bar.state)
		return false;
	for (i = 0; i < picture->nr_steps; i++) {
		const struct picture_step *step = &picture->steps[i];

		if (step->lane == number ||
			(step->other == number && step->kind != CTP_KIND_SUSPEND))
			return false;
	}
	return true;
}

static void drop_lane(struct picture *picture, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < picture->nr_steps; i++) {
		struct picture_step *step = &picture->steps[i];

		step->other = step->other == number ? 0 : step->other - (step->other > number);
		step->lane -= step->lane > number;
	}
	picture->nr_lanes--;
	for (i = number - 1; i < picture->nr_lanes; i++)
		picture->lanes[i] = picture->lanes[i + 1];
}

static void drop_lanes(struct picture *picture)
{
	uint32_t number;

	for (number = picture->nr_lanes; number > 0; number--)
		if (says_nothing(picture, number))
			drop_lane(picture, number);
}

void analyze_picture_finish(struct pictures *pictures)
{
	struct analysis *analysis = pictures->analysis;
	uint32_t i;

	for (i = 0; i < pictures->count; i++)
		drop_lanes(pictures->at[i]);
	for (i = 0; i < pictures->count; i++)
		hand_over(pictures, pictures->at[i], &analysis->groups.at[i].picture);
}
