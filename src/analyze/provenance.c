/* SPDX-License-Identifier: MIT */
/*
 * Provenance of wakes: a record for each place at which waits ended, and the relays. Each coroutine has the indexes
 * of the relays that it owes.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/provenance.h"

/* ---------------------------------------------------------------- the records */

#define SOURCES 3u
#define DEBTS \
	4u /* relays that a coroutine can owe at once; debts to further ones are never paid off */

/* A place from which wakes came. */
struct source {
	uint32_t site;
	uint64_t count;
};

/* What ended waits at one place. */
struct place {
	uint32_t own;    /* the relay of waits for an unknown object; 0: none yet */
	uint32_t relay;  /* relay of the wait that ended last */
	uint64_t object; /* object of that wait; 0: the relay is the place's own */
	uint64_t nr_ended;
	uint64_t nr_changes; /* of these: the wait before was for another object */
	struct source sources[SOURCES];
};

/* Indexes of the relays that a coroutine owes; 0: none. */
struct debts {
	uint32_t at[DEBTS];
};

struct memory {
	VEC(struct provenance_relay) relays;
	struct map by_object;
	uint32_t nr_lost; /* relays whose last wake is lost, as far as known by now */
};

static bool begin(struct model_watch *watch, const void *settings)
{
	struct memory *memory = watch->memory;

	(void)settings;
	return vec_push(&memory->relays, (struct provenance_relay){0});
}

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	vec_fini(&memory->relays);
	map_fini(&memory->by_object);
}

static struct debts *debts_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

#define OUTSIDE                                                                               \
	(MODEL_WAITS_FOR(DESCRIPTOR) | MODEL_WAITS_FOR(TIMER) | MODEL_WAITS_FOR(COROUTINE) |  \
		MODEL_WAITS_FOR(FRAME) | MODEL_WAITS_FOR(PROCESS) | MODEL_WAITS_FOR(REMOTE) | \
		MODEL_WAITS_FOR(NETWORK))

/* Is this a wait that the program itself ends, one waiter at a time? */
static bool is_inside(const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	return coro->point == CTP_POINT_AWAIT &&
	       (kind >= MODEL_NR_WAITED || !(OUTSIDE >> kind & 1));
}

/* The object by which relays are told apart; 0: the place tells them apart. */
static uint64_t object_of(const struct model_coro *coro)
{
	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_NONE ||
			       model_is_unnamed(coro->wait_object)
		       ? 0
		       : coro->wait_object;
}

/* ---------------------------------------------------------------- relays */

static uint64_t key_of(uint32_t process, uint64_t object)
{
	return object ^ (uint64_t)process << 47;
}

/* The relay of an object; 0: none. */
static uint32_t relay_of_object(const struct memory *memory, uint32_t process, uint64_t object)
{
	const struct provenance_relay *relay;
	uint32_t index = 0;

	map_get(&memory->by_object, key_of(process, object), &index);
	relay = &memory->relays.at[index];
	return relay->object == object && relay->process == process ? index : 0;
}

static uint32_t find_relay(
	const struct memory *memory, const struct place *place, const struct model_coro *coro)
{
	uint64_t object = object_of(coro);

	if (!object)
		return place->own;
	if (place->object == object)
		return place->relay;
	return relay_of_object(memory, coro->process, object);
}

/* Makes a relay. False: out of memory. *ret_index stays 0 if the table is full. */
static bool make_relay(struct memory *memory, struct place *place, const struct model_coro *coro,
	uint32_t *ret_index)
{
	uint32_t index = (uint32_t)memory->relays.count, other;
	struct provenance_relay fresh = {.object = object_of(coro), .process = coro->process};
	uint64_t key = key_of(coro->process, fresh.object);

	if (index > PROVENANCE_RELAYS || (fresh.object && map_get(&memory->by_object, key, &other)))
		return true;
	if (!vec_push(&memory->relays, fresh))
		return false;
	if (fresh.object && !map_put(&memory->by_object, key, index))
		return false;
	if (!fresh.object)
		place->own = index;
	*ret_index = index;
	return true;
}

/* Finds or makes the relay of a wait that ends now; 0: it has none. False: out of memory. */
static bool take_relay(struct memory *memory, struct place *place, const struct model_coro *coro,
	uint32_t *ret_index)
{
	*ret_index = find_relay(memory, place, coro);
	if (!*ret_index && !make_relay(memory, place, coro, ret_index))
		return false;
	place->nr_changes += place->relay && place->relay != *ret_index;
	place->relay = *ret_index;
	place->object = memory->relays.at[*ret_index].object;
	return true;
}

/* ---------------------------------------------------------------- debts */

static bool owes_anything(const struct debts *debts)
{
	return debts->at[0] || debts->at[1] || debts->at[2] || debts->at[3];
}

/* Removes the coroutine's debt to the relay. False: it owed nothing. */
static bool settle(struct debts *debts, struct provenance_relay *relay, uint32_t index)
{
	unsigned i;

	for (i = 0; i < DEBTS; i++) {
		if (debts->at[i] != index)
			continue;
		debts->at[i] = 0;
		relay->nr_owing--;
		return true;
	}
	return false;
}

static void owe(struct debts *debts, struct provenance_relay *relay, uint32_t index)
{
	unsigned i;

	for (i = 0; i < DEBTS && debts->at[i] != index; i++)
		;
	if (i < DEBTS)
		return;
	relay->nr_owing++;
	for (i = 0; i < DEBTS && debts->at[i]; i++)
		;
	debts->at[i < DEBTS ? i : 0] = index;
}

/* ---------------------------------------------------------------- callbacks of the watcher */

static void count_source(struct place *place, uint32_t site)
{
	unsigned i;

	place->nr_ended++;
	for (i = 0; i < SOURCES; i++) {
		struct source *source = &place->sources[i];

		if (source->site != site && source->count)
			continue;
		source->site = site;
		source->count++;
		return;
	}
}

/* Another coroutine of the relay is woken: the lost wake was not the last one. */
static void heal(
	struct memory *memory, struct provenance_relay *relay, const struct model_coro *coro)
{
	if (!relay->lost)
		return;
	relay->nr_healed += coro->suspended < relay->lost_time;
	relay->lost = 0;
	relay->is_given = false;
	memory->nr_lost--;
}

static void note_wake(struct provenance_relay *relay, const struct model_sight *sight,
	const struct model_coro *coro)
{
	const struct ct_event *event = sight->event;

	relay->nr_woken++;
	relay->site = coro->wait_site;
	relay->whom = sight->coro;
	relay->elsewhere = 0;
	relay->last = (struct model_waking){
		.time = event->time,
		.sequence = event->sequence,
		.coro = sight->by,
		.thread = event->thread,
		.site = event->site,
		.outcome = event->argument,
	};
}

/* Whom one that owes a wake wakes, except those that started it: the last of them counts. */
static void note_elsewhere(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct debts *debts = debts_of(watch, sight->by);
	struct memory *memory = watch->memory;
	unsigned i;

	for (i = 0; owes_anything(debts) && i < DEBTS; i++) {
		struct provenance_relay *relay = &memory->relays.at[debts->at[i]];

		if (relay->whom != sight->by ||
			analyze_ties_comes_from(watch->model, sight->by, sight->coro))
			continue;
		relay->elsewhere = coro->id;
		relay->elsewhere_site = coro->wait_site;
	}
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct memory *memory = watch->memory;
	struct provenance_relay *relay;
	struct place *place;
	uint32_t index;

	if (coro->state != CT_STATE_WAITING || !is_inside(coro) || sight->by == sight->coro)
		return true;
	place = model_watch_place(watch, coro->wait_site);
	if (!place)
		return true;
	count_source(place, sight->event->site);
	if (!take_relay(memory, place, coro, &index))
		return false;
	if (!index)
		return true;
	relay = &memory->relays.at[index];
	if (sight->by && settle(debts_of(watch, sight->by), relay, index))
		relay->nr_passed++;
	else if (sight->by)
		note_elsewhere(watch, sight);
	heal(memory, relay, coro);
	note_wake(relay, sight, coro);
	owe(debts_of(watch, sight->coro), relay, index);
	return true;
}

/* Objects are released far more often than wakes are owed, so a relay is looked up only if a wake is owed or lost. */
static bool look_at_give(struct model_watch *watch, const struct model_sight *sight)
{
	struct debts *debts = debts_of(watch, sight->coro);
	struct memory *memory = watch->memory;
	const struct ct_event *event = sight->event;
	uint32_t index = 0;
	unsigned i;

	if (!memory->nr_lost && !owes_anything(debts))
		return true;
	if (memory->nr_lost)
		index = relay_of_object(memory, event->process, event->object);
	memory->relays.at[index].is_given = memory->relays.at[index].lost != 0;
	for (i = 0; owes_anything(debts) && i < DEBTS; i++) {
		struct provenance_relay *relay = &memory->relays.at[debts->at[i]];

		if (relay->object == event->object && relay->process == event->process &&
			settle(debts, relay, debts->at[i]))
			relay->nr_passed++;
	}
	return true;
}

static bool is_of_relay(const struct provenance_relay *relay, const struct model_coro *coro)
{
	uint64_t object = object_of(coro);

	return is_inside(coro) && relay->object == object &&
	       (object || relay->site == coro->wait_site);
}

/* If the trace has takings of the object: did another coroutine take it first, so that this one was woken in vain? */
static bool found_it_taken(
	const struct model *model, const struct provenance_relay *relay, uint32_t coro)
{
	uint32_t index = model_find_object(model, relay->process, relay->object);

	return relay->object && model->objects.at[index].has_takers &&
	       model->objects.at[index].owner != coro;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct debts *debts = debts_of(watch, sight->coro);
	struct memory *memory = watch->memory;
	unsigned i;

	for (i = 0; owes_anything(debts) && i < DEBTS; i++) {
		struct provenance_relay *relay = &memory->relays.at[debts->at[i]];

		if (debts->at[i] && is_of_relay(relay, coro) && settle(debts, relay, debts->at[i]))
			relay->nr_kept += !found_it_taken(watch->model, relay, sight->coro);
	}
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	struct debts *debts = debts_of(watch, sight->coro);
	struct memory *memory = watch->memory;
	unsigned i;

	for (i = 0; owes_anything(debts) && i < DEBTS; i++) {
		struct provenance_relay *relay = &memory->relays.at[debts->at[i]];

		if (!debts->at[i] || !settle(debts, relay, debts->at[i]) ||
			relay->whom != sight->coro)
			continue;
		memory->nr_lost += !relay->lost;
		relay->lost = sight->coro;
		relay->lost_thread = watch->model->coros.at[sight->coro].thread;
		relay->lost_time = sight->until;
		relay->lost_event = watch->model->sequence;
		relay->is_given = false;
	}
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	struct memory *memory = watch->memory;
	size_t i;

	for (i = 1; i < memory->relays.count; i++) {
		visit_coro(release, &memory->relays.at[i].last.coro, MODEL_MARK_SELF);
		visit_coro(release, &memory->relays.at[i].whom, MODEL_MARK_SELF);
		visit_coro(release, &memory->relays.at[i].lost, MODEL_MARK_WHOLE);
	}
}

const struct model_watcher analyze_provenance_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_coro_bytes = sizeof(struct debts),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake,
		[MODEL_GIVE] = look_at_give,
		[MODEL_WAIT] = look_at_wait,
		[MODEL_END] = look_at_end},
	.wakes_from = ~OUTSIDE,
	.begin = begin,
	.end = end,
	.visit = visit,
};

/* ---------------------------------------------------------------- queries */

static const struct model_watch *watch_of(const struct analysis *analysis)
{
	return analyze_watch_by(analysis, &analyze_provenance_watcher);
}

const struct provenance_relay *analyze_provenance_relays(
	const struct analysis *analysis, uint32_t *ret_count)
{
	const struct memory *memory = watch_of(analysis)->memory;

	*ret_count = (uint32_t)memory->relays.count;
	return memory->relays.at;
}

const struct provenance_relay *analyze_provenance_relay(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_watch *watch = watch_of(analysis);
	const struct memory *memory = watch->memory;
	const struct place *place = model_watch_place(watch, coro->wait_site);
	uint32_t index = place && is_inside(coro) ? find_relay(memory, place, coro) : 0;

	return index ? &memory->relays.at[index] : NULL;
}

bool analyze_provenance_is_passed_on(
	const struct analysis *analysis, const struct provenance_relay *relay)
{
	return relay->nr_passed >= (uint64_t)LIMIT(analysis, WAKE_LOST_PASSED) &&
	       relay->nr_passed / 10 >= relay->nr_kept + relay->nr_healed;
}

/* ---------------------------------------------------------------- the evidence */

/* " from pool.cpp:88", or " from pool.cpp:88 (46), main.cpp:12 (1)"; "" if the places are not known. */
static const char *words_sources(struct analysis *analysis, const struct place *place)
{
	const char *from = "";
	unsigned i;

	if (place->nr_ended == place->sources[0].count)
		return place->sources[0].site
			       ? analyze_say(analysis, " from %s",
					 analyze_words_place(analysis, place->sources[0].site))
			       : "";
	for (i = 0; i < SOURCES && place->sources[i].count; i++)
		from = analyze_say(analysis, "%s%s%s (%" PRIu64 ")", from, i ? ", " : " from ",
			analyze_words_place(analysis, place->sources[i].site),
			place->sources[i].count);
	return from;
}

/* What ended waits at the place; "" if no wait ended there. */
static const char *words_place(struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = model_watch_place(watch_of(analysis), coro->wait_site);

	if (!place || !place->nr_ended || !is_inside(coro))
		return "";
	return analyze_say(analysis, "%" PRIu64 " %s at %s ended by %s%s", place->nr_ended,
		place->nr_ended == 1 ? "wait" : "waits",
		analyze_words_place(analysis, coro->wait_site),
		place->nr_ended == 1 ? "a wake" : "wakes", words_sources(analysis, place));
}

static const char *words_when(
	struct analysis *analysis, ct_time time, const struct model_coro *coro)
{
	if (time >= coro->suspended)
		return "since this wait began";
	return analyze_say(analysis, "%s before this wait",
		analyze_words_duration(analysis, coro->suspended - time));
}

/* The owner of the lock that the coroutine waits for; "" if it waits for no lock, or the owner is not known. */
static const char *words_owner(struct analysis *analysis, uint32_t waiter)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t owner = analyze_ties_next(analysis, waiter);

	if (!owner || CTP_HANDLE_RESOURCE(at[waiter].wait_object) != CTP_RESOURCE_LOCK)
		return "";
	return analyze_say(
		analysis, ", for a lock that %s holds", analyze_words_coro(analysis, &at[owner]));
}

/* The thread of a wake that no coroutine made: a reactor, a timer, another part of the program. */
static const char *words_thread(struct analysis *analysis, uint32_t thread)
{
	return analyze_words_is_outside(analysis, thread)
		       ? analyze_say(analysis, "; it was made outside any coroutine, on %s",
				 analyze_words_thread(analysis, thread))
		       : "";
}

/* When one that was cancelled ended, if the coroutine waited by then. */
static const char *words_cancelled(
	struct analysis *analysis, const struct model_coro *ended, const struct model_coro *coro)
{
	return ended->rare->cancelled_site && ended->changed >= coro->suspended
		       ? analyze_say(analysis, ", %s after this wait began",
				 analyze_words_duration(analysis, ended->changed - coro->suspended))
		       : "";
}

/* The waker, and what keeps it from waking again: its end, or a wait of its own. */
static const char *words_waker(struct analysis *analysis, const struct provenance_relay *relay,
	const struct model_coro *coro)
{
	const struct model_coro *waker = &analysis->model->coros.at[relay->last.coro];
	const char *who = analyze_words_coro(analysis, waker);

	if (!relay->last.coro)
		return words_thread(analysis, relay->last.thread);
	if (waker == coro)
		return analyze_say(analysis, "; %s woke it itself", who);
	if (waker->state >= CT_STATE_DONE && !waker->is_presumed_done)
		return analyze_say(analysis, "; %s, which woke it, %s%s", who,
			analyze_words_ended(analysis, waker),
			words_cancelled(analysis, waker, coro));
	if (model_is_awaiting(waker))
		return analyze_say(analysis, "; %s, which woke it, waits itself now, at %s%s", who,
			analyze_words_place(analysis, waker->wait_site),
			words_owner(analysis, relay->last.coro));
	return analyze_say(analysis, "; %s woke it", who);
}

/*
 * Does each wait there have an event of its own, as with futures? Then what was at this address before was another one,
 * and its wakes say nothing of this wait.
 */
static bool is_set_once(const struct analysis *analysis, const struct place *place,
	const struct model_coro *coro, const struct provenance_relay *relay)
{
	return place->relay && CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_EVENT &&
	       place->nr_changes > place->nr_ended / 2 && relay->last.time < coro->suspended &&
	       !model_find_object(analysis->model, coro->process, coro->wait_object);
}

/*
 * The last wake of the coroutine's relay, or at its place if its object has had no wake, or is another one each time;
 * "" if there was none.
 */
static const char *words_last(struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_watch *watch = watch_of(analysis);
	const struct memory *memory = watch->memory;
	const struct place *place = model_watch_place(watch, coro->wait_site);
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);

	if (!relay || is_set_once(analysis, place, coro, relay))
		relay = &memory->relays.at[place->relay];
	if (!relay->nr_woken)
		return "";
	return analyze_say(analysis, "the last of them came %s, for %s%s",
		words_when(analysis, relay->last.time, coro),
		analyze_provenance_words_whom(analysis, relay, coro),
		words_waker(analysis, relay, coro));
}

bool analyze_provenance_tell_places(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const char *words = words_place(analysis, coro);

	if (*words)
		analyze_story_evidence(analysis, story, "%s", words);
	return *words;
}

void analyze_provenance_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const char *last;

	if (!analyze_provenance_tell_places(analysis, story, coro))
		return;
	last = words_last(analysis, coro);
	if (*last)
		analyze_story_evidence(analysis, story, "%s", last);
}

void analyze_provenance_why(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const char *words = words_place(analysis, coro), *last;

	if (!*words)
		return;
	last = words_last(analysis, coro);
	analyze_story_fact(analysis, story, "%s%s%s", words, *last ? "; " : "", last);
}
