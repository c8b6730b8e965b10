/* SPDX-License-Identifier: MIT */
/*
 * Unanswered requests (unanswered.h): for each channel, who has put what lies in it; for each coroutine, who took what
 * it put last; for each place, how often the taker ended the wait there.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/unanswered.h"
#include "analyze/watched_places.h"
#include "analyze/wakers.h"
#include "base/map.h"
#include "base/vec.h"

#define CHANNELS 1024u
#define DEPTH 16u /* of a channel with more in it nothing is known */
#define LEAST_ANSWERED 3u
#define SHARE_ELSE 10u

struct put {
	uint64_t by;       /* the coroutine's id; 0: none is known */
	uint64_t sequence; /* of the event */
};

struct channel {
	struct put puts[DEPTH]; /* a ring: what was put and is not taken */
	uint32_t first, count;
	bool is_unknown;
};

struct whole {
	VEC(struct channel) channels;
	struct map by_handle; /* the handle, and the process in its upper bits */
};

struct of_coro {
	uint64_t put; /* sequence of its last put; 0: there was none */
	uint64_t channel;
	ct_time put_time;
	uint64_t taker; /* id of the coroutine that took it; 0: nobody did */
	ct_time taken;
	uint64_t taken_event;
	uint32_t taken_at;
	uint32_t taken_thread;
	uint32_t turn; /* takings of the taker there until then, with that one */
	bool is_passed_on; /* the taker has put something elsewhere, or started another one, before it took more */
	uint64_t item_of;  /* id of the coroutine that had put what it took last itself */
	uint64_t from;     /* the channel from which it took last itself */
	uint32_t nr_taken; /* takings from that channel since it took from another one */
};

struct place {
	uint32_t nr_answered, nr_else;
	uint32_t answered_at; /* site of the last wake by a taker */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool begin(struct model_watch *watch, const void *settings)
{
	struct whole *whole = watch->memory;

	(void)settings;
	return vec_push(&whole->channels, (struct channel){0});
}

static void end(struct model_watch *watch)
{
	struct whole *whole = watch->memory;

	vec_fini(&whole->channels);
	map_fini(&whole->by_handle);
}

static bool is_named_channel(const struct ct_event *event)
{
	return CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_CHANNEL &&
	       !model_is_unnamed(event->object);
}

/* NULL: nothing is known of it. `is_new`: it may be made. */
static struct channel *channel_of(struct whole *whole, const struct ct_event *event, bool is_new)
{
	uint64_t key = event->object ^ (uint64_t)event->process << 48;
	uint32_t index;

	if (map_get(&whole->by_handle, key, &index))
		return &whole->channels.at[index];
	index = (uint32_t)whole->channels.count;
	if (!is_new || index > CHANNELS || !vec_push(&whole->channels, (struct channel){0}) ||
		!map_put(&whole->by_handle, key, index))
		return NULL;
	return &whole->channels.at[index];
}

static void push(struct channel *channel, struct put put)
{
	channel->is_unknown |= channel->count == DEPTH;
	if (!channel->is_unknown)
		channel->puts[(channel->first + channel->count++) % DEPTH] = put;
}

static struct put pop(struct channel *channel)
{
	struct put put = channel->puts[channel->first % DEPTH];

	if (channel->is_unknown || !channel->count)
		return (struct put){0};
	channel->first++;
	channel->count--;
	return put;
}

/* A coroutine may have passed on what it took last: to somebody else, who answers then. */
static void pass_on(struct model_watch *watch, uint32_t taker, uint64_t handle)
{
	const struct of_coro *of = model_watch_rare(watch, taker);
	uint32_t giver;
	struct of_coro *of_giver;

	if (!taker || !of->item_of || (handle | 1) == (of->from | 1)) /* the channel's other end */
		return;
	giver = model_find(watch->model, watch->model->coros.at[taker].process, of->item_of);
	of_giver = model_watch_rare(watch, giver);
	if (giver && of_giver->turn == of->nr_taken && of_giver->channel == of->from)
		of_giver->is_passed_on = true;
}

static bool look_at_begin(struct model_watch *watch, const struct model_sight *sight)
{
	pass_on(watch, sight->by, 0);
	return true;
}

static bool look_at_give(struct model_watch *watch, const struct model_sight *sight)
{
	const struct ct_event *event = sight->event;
	struct channel *channel;
	struct of_coro *of;

	if (event->kind != CTP_KIND_NOTIFY || !is_named_channel(event))
		return true;
	pass_on(watch, sight->coro, event->object);
	channel = channel_of(watch->memory, event, true);
	if (!channel)
		return true;
	push(channel, (struct put){watch->model->coros.at[sight->coro].id, event->sequence});
	if (!sight->coro)
		return true;
	of = model_watch_rare(watch, sight->coro);
	of->put = event->sequence;
	of->channel = event->object;
	of->put_time = event->time;
	of->taker = 0;
	return true;
}

static bool look_at_get(struct model_watch *watch, const struct model_sight *sight)
{
	const struct ct_event *event = sight->event;
	struct channel *channel =
		is_named_channel(event) ? channel_of(watch->memory, event, false) : NULL;
	struct put put = channel ? pop(channel) : (struct put){0};
	uint32_t giver = put.by ? model_find(watch->model, event->process, put.by) : 0;
	struct of_coro *of = model_watch_rare(watch, sight->coro), *of_giver;

	if (!put.sequence || !sight->coro)
		return true;
	if (of->from != event->object)
		of->nr_taken = 0;
	of->from = event->object;
	of->nr_taken++;
	of->item_of = put.by;
	of_giver = model_watch_rare(watch, giver);
	if (!giver || of_giver->put != put.sequence || giver == sight->coro)
		return true;
	of_giver->taker = watch->model->coros.at[sight->coro].id;
	of_giver->taken = event->time;
	of_giver->taken_event = event->sequence;
	of_giver->taken_at = event->site;
	of_giver->taken_thread = event->thread;
	of_giver->turn = of->nr_taken;
	of_giver->is_passed_on = false;
	return true;
}

/* Did it put something in the run before this wait, which is for something else than the channel itself? */
static bool has_asked(const struct of_coro *of, const struct model_coro *coro)
{
	return of->put && coro->resumed != CT_NO_TIME && of->put_time >= coro->resumed &&
	       coro->point == CTP_POINT_AWAIT && coro->wait_object != of->channel;
}

/* Has the taker taken nothing else from there since? */
static bool is_at_it(const struct of_coro *taker, const struct of_coro *of)
{
	return taker->from == of->channel && taker->nr_taken == of->turn;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *at = watch->model->coros.at, *coro = &at[sight->coro];
	const struct of_coro *of = model_watch_rare(watch, sight->coro);
	struct place *place;
	bool is_answer;

	if (coro->state != CT_STATE_WAITING || !has_asked(of, coro))
		return true;
	place = model_watch_place(watch, coro->wait_site);
	if (!place)
		return true;
	is_answer = sight->by && of->taker == at[sight->by].id &&
		    is_at_it(model_watch_rare(watch, sight->by), of);
	place->nr_answered += is_answer;
	place->nr_else += !is_answer;
	if (is_answer)
		place->answered_at = sight->event->site;
	return true;
}

const struct model_watcher analyze_unanswered_watcher = {
	.nr_bytes = sizeof(struct whole),
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.begin = begin,
	.end = end,
	.looks = {[MODEL_GIVE] = look_at_give,
		[MODEL_GET] = look_at_get,
		[MODEL_BEGIN] = look_at_begin,
		[MODEL_WAKE] = look_at_wake},
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_unanswered_watcher, coro);
}

static const struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_unanswered_watcher, coro);
}

static bool is_habit(const struct place *place)
{
	return place && place->nr_answered >= LEAST_ANSWERED &&
	       place->nr_else <= place->nr_answered / SHARE_ELSE;
}

/* Has the taker taken something else since, or does it wait for that? */
static bool has_gone_on(
	const struct analysis *analysis, const struct model_coro *taker, const struct of_coro *of)
{
	return !is_at_it(record_of(analysis, taker), of) ||
	       (taker->state == CT_STATE_WAITING && taker->wait_object == of->channel &&
		       taker->suspended >= of->taken);
}

uint32_t analyze_unanswered_taker(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);
	uint32_t index = of->taker ? model_find(analysis->model, coro->process, of->taker) : 0;
	const struct model_coro *taker = &analysis->model->coros.at[index];

	if (!index || of->is_passed_on || taker->state >= CT_STATE_DONE ||
		!analyze_wakers_is_bound(analysis, coro) || !has_asked(of, coro) ||
		!is_habit(place_of(analysis, coro)))
		return 0;
	return has_gone_on(analysis, taker, of) ? index : 0;
}

uint32_t analyze_unanswered_site(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place ? place->answered_at : 0;
}

void analyze_unanswered_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);
	const struct place *place = place_of(analysis, coro);
	uint32_t index = analyze_unanswered_taker(analysis, coro);
	const struct model_coro *taker = &analysis->model->coros.at[index];
	struct ct_step step = {.time = of->taken,
		.site = of->taken_at,
		.thread = of->taken_thread,
		.coro = of->taker,
		.sequence = of->taken_event};

	if (!index)
		return;
	step.text = analyze_say(analysis, "took what it had put into %s just before",
		analyze_words_named(analysis, coro->process, of->channel, 0));
	analyze_story_step(analysis, story, &step);
	analyze_story_evidence(analysis, story,
		"%" PRIu32 " of %" PRIu32
		" waits there were ended by the one that had taken what was put "
		"just before, and before it took anything else; the last one from %s",
		place->nr_answered, place->nr_answered + place->nr_else,
		analyze_words_place(analysis, place->answered_at));
	analyze_story_evidence(analysis, story, "%s %s, at %s, and has not woken it",
		analyze_words_coro(analysis, taker),
		is_at_it(record_of(analysis, taker), of) ? "has come back for more"
							 : "has taken more since",
		analyze_words_place(analysis, taker->wait_site));
	analyze_story_party(analysis, story, index, 0);
}

bool analyze_unanswered_is_for_room(const struct analysis *analysis, const struct model_coro *coro)
{
	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_CHANNEL &&
	       coro->wait_object & 1 && analyze_ties_object(analysis, coro)->givers.had_stock &&
	       model_find_object(analysis->model, coro->process, coro->wait_object - 1);
}
