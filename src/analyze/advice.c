/* SPDX-License-Identifier: MIT */
/*
 * Advice: which integration call would make a wait judgeable that cannot be judged now. Advice is given only for
 * waits that have lasted for some time and that have no finding above Suspect. The call is named in the language in
 * which the place of the wait is written. Advice is no finding.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/asked.h"
#include "analyze/parts.h"
#include "analyze/waking_threads.h"
#include "say/say.h"

#define PLACES_ADVISED 5u /* of one process */

/* A place at which coroutines wait whose waits cannot be judged. */
struct unjudged {
	uint32_t site;
	uint32_t process;
	uint32_t nr_coros;
	uint32_t coro;    /* the first one there whose wait a call would make judgeable; 0: none */
	uint32_t nr_like; /* such waits for the same object, or others of its kind */
	uint32_t nr_held_for;   /* of these, those whose starters are threads that sleep since */
	uint32_t starter;       /* the first such thread */
	uint32_t nr_unwakeable; /* coroutines whose last polls kept no waker */
	bool is_for_several;    /* nr_like are for several objects */
	bool is_shared;         /* they are of coroutines of several functions */
};

/* The calls of a language; NULL: the language has no such call. */
struct calls {
	const char *wait; /* names what is awaited */
	const char *lock;
	const char *notify;
	const char *wake; /* records wakes */
	const char *park;
	const char *deadline; /* records the deadline of a wait */
	const char *share;    /* tells apart waits that share a place */
};

#define SAY_LANGUAGE_CPP_CALL SAY_LANGUAGES
#define SAY_LANGUAGE_CPP_LOCK (SAY_LANGUAGES + 1)
static const struct calls calls_of[] = {
#define X(language, ...) [SAY_LANGUAGE_##language] = {__VA_ARGS__},
#include "analyze/calls.def"
#undef X
};

struct advising {
	struct analysis *analysis;
	bool *is_judged; /* by coroutine: a candidate above Suspect names it */
	VEC(struct unjudged) places;
	VEC(struct ct_advice) advice;
};

/* ---------------------------------------------------------------- waits that are not judged */

static void note_judged(struct advising *advising)
{
	const struct analysis *analysis = advising->analysis;
	size_t i;

	for (i = 0; i < analysis->candidates.count; i++)
		if (analysis->candidates.at[i].grade > CT_GRADE_SUSPECT)
			advising->is_judged[analysis->candidates.at[i].coro] = true;
}

/* Is this wait unjudged? No: if the coroutine waits for a coroutine that is known, or has a deadline. */
static bool is_unjudged(const struct advising *advising, uint32_t index)
{
	const struct analysis *analysis = advising->analysis;
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct party *party = &analysis->parties[coro->process];

	return model_is_awaiting(coro) && !coro->mark && !advising->is_judged[index] &&
	       !analyze_ties_behind(analysis, index) && !analyze_ties_next(analysis, index) &&
	       !coro->rare->nr_awaits && coro->rare->deadline == CT_NO_TIME &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, party->end) &&
	       party->end - coro->suspended > LIMIT(analysis, STANDSTILL_TIME);
}

/* Is this a wait for a lock that a library does not name to its adapter, but whose user can? */
static bool is_for_untold_lock(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_ties_is_for_untold_lock(coro) &&
	       say_is_call_of_cpp(analysis->tables, coro->wait_site);
}

static bool is_inside(uint64_t handle)
{
	/* Others that cannot name the individual object have nothing to add (P-104). */
	if (!CTP_HANDLE_IDENTITY(handle))
		return false;
	switch (CTP_HANDLE_RESOURCE(handle)) {
	case CTP_RESOURCE_LOCK:
	case CTP_RESOURCE_CHANNEL:
	case CTP_RESOURCE_CONDITION:
	case CTP_RESOURCE_SEMAPHORE:
	case CTP_RESOURCE_EVENT:
	case CTP_RESOURCE_OTHER:
		return true;
	default:
		return false;
	}
}

/* Is it not recorded what the coroutine waits for, or nothing about that? */
static bool lacks_call(const struct analysis *analysis, const struct model_coro *coro)
{
	if (!coro->wait_object)
		return !coro->rare->descriptor;
	if (is_for_untold_lock(analysis, coro))
		return true;
	return is_inside(coro->wait_object) && !analyze_ties_object(analysis, coro)->handle;
}

static bool is_for_the_like(const struct model_coro *coro, const struct model_coro *first)
{
	return !coro->wait_object == !first->wait_object &&
	       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_HANDLE_RESOURCE(first->wait_object);
}

static void add(const struct advising *advising, struct unjudged *place, uint32_t index)
{
	const struct analysis *analysis = advising->analysis;
	const struct model_coro *coro = &analysis->model->coros.at[index], *first;

	place->nr_coros++;
	if (analyze_ties_keeps_no_waker(coro)) {
		place->nr_unwakeable++;
		return;
	}
	if (!lacks_call(analysis, coro))
		return;
	place->coro = place->coro ? place->coro : index;
	first = &analysis->model->coros.at[place->coro];
	if (!is_for_the_like(coro, first))
		return;
	place->nr_like++;
	place->is_for_several |= coro->wait_object != first->wait_object;
	if (analyze_waking_threads_starter(analysis, coro)) {
		place->nr_held_for++;
		place->starter = place->starter ? place->starter : coro->creator;
	}
	place->is_shared |= coro->rare->function_site && first->rare->function_site &&
			    coro->rare->function_site != first->rare->function_site;
}

static void count_place(struct advising *advising, uint32_t *place_of, uint32_t index)
{
	const struct model_coro *coro = &advising->analysis->model->coros.at[index];
	uint32_t *place = &place_of[coro->wait_site];
	struct unjudged fresh = {.site = coro->wait_site, .process = coro->process};

	if (!*place && vec_push(&advising->places, fresh))
		*place = (uint32_t)advising->places.count;
	if (*place)
		add(advising, &advising->places.at[*place - 1], index);
	else
		advising->analysis->is_broken = true;
}

static int compare(const void *left, const void *right)
{
	const struct unjudged *a = left, *b = right;
	int order = (a->nr_coros < b->nr_coros) - (a->nr_coros > b->nr_coros);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static void list_places(struct advising *advising)
{
	struct analysis *analysis = advising->analysis;
	uint32_t *place_of =
		analyze_scratch(analysis, analysis->tables->nr_sites + 1, sizeof(*place_of));
	uint32_t i;

	for (i = 1; place_of && i < analysis->model->coros.count; i++)
		if (is_unjudged(advising, i) &&
			analysis->model->coros.at[i].wait_site <= analysis->tables->nr_sites)
			count_place(advising, place_of, i);
	if (advising->places.count)
		qsort(advising->places.at, advising->places.count, sizeof(*advising->places.at),
			compare);
}

/* ---------------------------------------------------------------- the advice of one place */

static void advise(struct advising *advising, const struct unjudged *place, enum ct_lack lack,
	uint32_t nr_coros, const char *text)
{
	struct ct_advice advice = {
		.lack = lack,
		.process = place->process,
		.site = place->site,
		.nr_coros = nr_coros,
		.name = analyze_words_awaited(advising->analysis, place->site),
		.text = text,
	};

	if (!vec_push(&advising->advice, advice))
		advising->analysis->is_broken = true;
}

static const char *words_who(
	struct analysis *analysis, const struct unjudged *place, uint32_t nr_coros)
{
	return analyze_say(analysis, "%s %s at %s", analyze_words_number(analysis, nr_coros),
		nr_coros == 1 ? "coroutine waits" : "coroutines wait",
		analyze_words_place(analysis, place->site));
}

/* Did a program in C start the coroutine, which waits at a place in Lua? Then C resumes it, and has to say more. */
static bool is_resumed_by_c(const struct analysis *analysis, const struct unjudged *place)
{
	uint32_t start = analysis->model->coros.at[place->coro].spawn_site;

	return place->coro && start &&
	       say_language(analysis->tables, place->site) == SAY_LANGUAGE_LUA &&
	       say_language(analysis->tables, start) == SAY_LANGUAGE_C;
}

static const struct calls *calls_at(struct analysis *analysis, const struct unjudged *place)
{
	if (is_resumed_by_c(analysis, place))
		return &calls_of[SAY_LANGUAGE_C];
	return &calls_of[say_is_call_of_cpp(analysis->tables, place->site)
				 ? SAY_LANGUAGE_CPP_CALL
				 : say_language(analysis->tables, place->site)];
}

/* Replaces "{}" in a text of the table by the name of what is awaited. */
static const char *words_with_awaited(struct analysis *analysis, const char *text, uint32_t site)
{
	const char *gap = strstr(text, "{}");

	return gap ? analyze_say(analysis, "%.*s%s%s", (int)(gap - text), text,
			     analyze_words_awaited(analysis, site), gap + 2)
		   : text;
}

/* Places cannot tell waits apart if every wait of a library goes through one call. */
static const char *words_shared(struct analysis *analysis, const struct unjudged *place)
{
	const char *share = calls_at(analysis, place)->share;

	return place->is_shared && share
		       ? analyze_say(analysis,
				 "; coroutines of several functions wait there: %s, so that their "
				 "waits can be distinguished",
				 share)
		       : "";
}

/* Did this coroutine create the other one in the run before its wait, and has no thread begun to run that one? */
static bool has_left_unbegun(
	const struct model_coro *coro, uint32_t index, const struct model_coro *other)
{
	return other->parent == index && other->state == CT_STATE_UNSEEN && !other->mark &&
	       other->suspended == CT_NO_TIME && other->created != CT_NO_TIME &&
	       other->created <= coro->suspended &&
	       (coro->resumed == CT_NO_TIME || other->created >= coro->resumed);
}

/* "; coroutine 7, which coroutine 2 had created just before, at serve, a.cpp:35, has never begun"; "": there is none */
static const char *words_unbegun(struct analysis *analysis, const struct unjudged *place)
{
	const struct model *model = analysis->model;
	const struct model_coro *coro = &model->coros.at[place->coro];
	uint32_t i;

	for (i = 1; i < model->coros.count; i++)
		if (has_left_unbegun(coro, place->coro, &model->coros.at[i]))
			return analyze_say(analysis,
				"; %s, which %s had created just before, at %s, has never begun: "
				"it "
				"may be what is waited for",
				analyze_words_coro(analysis, &model->coros.at[i]),
				analyze_words_coro(analysis, coro),
				analyze_words_place(analysis, model->coros.at[i].spawn_site));
	return "";
}

/* Whom a single one had woken may be who is to end its wait. */
static const char *words_asked(struct analysis *analysis, const struct unjudged *place)
{
	return place->nr_like == 1
		       ? analyze_asked_words(analysis, &analysis->model->coros.at[place->coro])
		       : "";
}

/* A thread that blocks until a coroutine ends may be what that coroutine needs, as one of a pool. */
static const char *words_starters(struct analysis *analysis, const struct unjudged *place)
{
	bool is_one = place->nr_held_for == 1;

	if (!place->nr_held_for)
		return "";
	return analyze_say(analysis,
		"; %s started outside of coroutines by %s, which %s in futex since, and may wait "
		"for %s end",
		is_one ? "one was"
		       : analyze_say(analysis, "%s were",
				 analyze_words_number(analysis, place->nr_held_for)),
		is_one ? analyze_words_thread(analysis, place->starter) : "threads",
		is_one ? "is" : "are", is_one ? "its" : "their");
}

static void advise_resource(struct advising *advising, const struct unjudged *place)
{
	struct analysis *analysis = advising->analysis;

	if (!calls_at(analysis, place)->wait)
		return;
	advise(advising, place, CT_LACK_RESOURCE, place->nr_like,
		analyze_say(analysis,
			"%s, and what for is not recorded: %s, and then this wait can be "
			"judged%s%s%s%s",
			words_who(analysis, place, place->nr_like),
			words_with_awaited(analysis, calls_at(analysis, place)->wait, place->site),
			words_shared(analysis, place), words_unbegun(analysis, place),
			words_asked(analysis, place), words_starters(analysis, place)));
}

/*
 * Our Python package records every change of an asyncio object. Another object of the same kind in the model shows
 * that the package is at work, so no call is missing; and so does its word on who refers to what is waited for.
 */
static bool are_alike_told(const struct analysis *analysis, const struct unjudged *place)
{
	const struct model *model = analysis->model;
	unsigned kind = CTP_HANDLE_RESOURCE(model->coros.at[place->coro].wait_object);
	size_t i;

	if (say_language(analysis->tables, place->site) != SAY_LANGUAGE_PYTHON)
		return false;
	if (model->coros.at[place->coro].rare->held != CT_NO_TIME)
		return true;
	for (i = 1; i < model->objects.count; i++)
		if (model->objects.at[i].process == place->process &&
			CTP_HANDLE_RESOURCE(model->objects.at[i].handle) == kind)
			return true;
	return false;
}

/* What modules for languages record by themselves needs no call. */
static const char *words_own(const struct advising *advising, const struct unjudged *place)
{
	return say_language(advising->analysis->tables, place->site) == SAY_LANGUAGE_PYTHON
		       ? "one of asyncio, trio or gevent would be recorded as it is set, and was "
			 "not; for "
			 "one of the program's own, "
		       : "";
}

static void advise_change(struct advising *advising, const struct unjudged *place)
{
	struct analysis *analysis = advising->analysis;
	const struct model_coro *coro = &analysis->model->coros.at[place->coro];
	bool is_lock = CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK;
	const struct calls *calls = calls_at(analysis, place);
	const char *call = is_lock ? calls->lock : calls->notify;

	if (!call || are_alike_told(analysis, place))
		return;
	advise(advising, place, CT_LACK_CHANGE, place->nr_like,
		analyze_say(analysis,
			"%s, for %s%s, about which nothing else is recorded: %scall %s where it is "
			"%s, and then this wait can be judged%s",
			words_who(analysis, place, place->nr_like),
			analyze_words_wait(analysis, coro),
			place->is_for_several ? " and others" : "", words_own(advising, place),
			call, is_lock ? "taken and released" : "set or filled",
			words_unbegun(analysis, place)));
}

static void advise_waker(struct advising *advising, const struct unjudged *place)
{
	struct analysis *analysis = advising->analysis;
	bool is_one = place->nr_unwakeable == 1;

	advise(advising, place, CT_LACK_WAKER, place->nr_unwakeable,
		analyze_say(analysis,
			"%s, and nobody can wake %s: %s last poll found nothing there yet, and "
			"kept no clone of %s waker; if what %s to come one day, keep "
			"`context.waker().clone()`, and wake it then",
			words_who(analysis, place, place->nr_unwakeable), is_one ? "it" : "them",
			is_one ? "its" : "their", is_one ? "its" : "the",
			is_one ? "it awaits is" : "they await is"));
}

static void advise_lock(struct advising *advising, const struct unjudged *place)
{
	struct analysis *analysis = advising->analysis;

	advise(advising, place, CT_LACK_RESOURCE, place->nr_like,
		analyze_say(analysis, "%s, for a lock that is not named: %s",
			words_who(analysis, place, place->nr_like),
			calls_of[SAY_LANGUAGE_CPP_LOCK].wait));
}

static void advise_place(struct advising *advising, const struct unjudged *place)
{
	const struct model_coro *coro;

	if (place->nr_unwakeable)
		advise_waker(advising, place);
	if (!place->coro)
		return;
	coro = &advising->analysis->model->coros.at[place->coro];
	if (is_for_untold_lock(advising->analysis, coro))
		advise_lock(advising, place);
	else if (coro->wait_object)
		advise_change(advising, place);
	else
		advise_resource(advising, place);
}

/* ---------------------------------------------------------------- what the process as a whole does not record */

/* Has no worker of the process recorded that it goes idle, and did the engine never look at the process? */
static bool has_silent_workers(const struct analysis *analysis, uint32_t process)
{
	const struct model_process *of = &analysis->model->processes[process];
	size_t i;

	if (analysis->parties[process].was_looked_at)
		return false;
	for (i = 0; i < of->workers.count; i++)
		if (analysis->model->threads[of->workers.at[i]].idle_began != CT_NO_TIME)
			return false;
	return true;
}

static void advise_deadline(struct advising *advising, const struct unjudged *place)
{
	struct analysis *analysis = advising->analysis;
	const struct calls *calls = calls_at(analysis, place);

	if (!calls->deadline)
		return;
	advise(advising, place, CT_LACK_DEADLINE, place->nr_coros,
		analyze_say(analysis,
			"%s, and no deadline is recorded: %s where it waits for a timer, which "
			"distinguishes that wait from one without end",
			words_who(analysis, place, place->nr_coros),
			words_with_awaited(analysis, calls->deadline, place->site)));
}

static void advise_process(struct advising *advising, const struct unjudged *place)
{
	struct analysis *analysis = advising->analysis;
	const struct calls *calls = calls_at(analysis, place);

	if (calls->wake && !analyze_party_has_wakes(analysis, place->process))
		advise(advising, place, CT_LACK_WAKE, place->nr_coros,
			analyze_say(analysis, "no wakes are recorded: %s", calls->wake));
	if (calls->park && has_silent_workers(analysis, place->process))
		advise(advising, place, CT_LACK_PARK, place->nr_coros,
			analyze_say(analysis,
				"the sleep of workers is not recorded: call %s around the wait for "
				"work",
				calls->park));
	if (analysis->stills[place->process].is_clock_told)
		advise_deadline(advising, place);
}

static bool is_first_of_process(const struct advising *advising, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (advising->places.at[i].process == advising->places.at[at].process)
			return false;
	return true;
}

static void export(struct advising *advising, struct ct_report *report)
{
	struct analysis *analysis = advising->analysis;

	report->advice = analyze_kept(analysis, advising->advice.at, advising->advice.count,
		sizeof(*advising->advice.at));
	report->nr_advice = report->advice ? (uint32_t)advising->advice.count : 0;
}

void analyze_advice_export(struct analysis *analysis, struct ct_report *report)
{
	struct advising advising = {.analysis = analysis};
	size_t i;

	advising.is_judged = analyze_scratch(
		analysis, analysis->model->coros.count, sizeof(*advising.is_judged));
	if (analysis->is_broken)
		return;
	note_judged(&advising);
	list_places(&advising);
	for (i = 0; i < advising.places.count && i < PLACES_ADVISED; i++) {
		advise_place(&advising, &advising.places.at[i]);
		if (is_first_of_process(&advising, i))
			advise_process(&advising, &advising.places.at[i]);
	}
	export(&advising, report);
	vec_fini(&advising.places);
	vec_fini(&advising.advice);
}
