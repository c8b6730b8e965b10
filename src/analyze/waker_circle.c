/* SPDX-License-Identifier: MIT */
/*
 * Circles of wakers (waker_circle.h): for each waiting coroutine, the only one that has ended such waits, and so on.
 */
#include <inttypes.h>

#include "analyze/ended_taker.h"
#include "analyze/parts.h"
#include "analyze/same_locks.h"
#include "analyze/stillness.h"
#include "analyze/successors.h"
#include "analyze/waker_circle.h"
#include "analyze/wakers_kept.h"
#include "say/say.h"

#define MEMBERS 8u
#define LEAST_ENDED 10u   /* waits at all places of a circle; fewer show no habit */
#define COROS_ASKED 4096u /* of more, holders of locks that are not recorded are not looked for */

/* The one that has to go on before a coroutine can: it alone has ended such waits, or it may have the lock. */
struct ahead {
	uint32_t coro;     /* 0: somebody else may end the wait, or nobody is known who could */
	uint64_t nr_ended; /* waits that it ended; 0: it has what is waited for */
	bool is_own;       /* of this coroutine alone: others wait there as well, for other ones */
	bool is_taker; /* no wait there has ended: it took what was sent from there, whenever it waited for it */
	/* the library's line within which the waits ended, if not all at one place; 0: none */
	uint32_t inner;
};

/* A coroutine, the one ahead of it, and so on. */
struct chain {
	uint32_t at[MEMBERS];
	unsigned count;
	bool is_circle; /* the last one waits for the first one */
	bool is_all_ended; /* each has ended waits where the one before it waits, and none may only have a lock */
	bool is_own; /* of one it is known by its own waits alone */
};

/* ---------------------------------------------------------------- who ended such waits */

/* False: several have ended waits there, or threads, or the only one has ended. */
static bool add_waker(const struct analysis *analysis, uint32_t process,
	const struct wakers_place *place, struct ahead *ahead)
{
	uint32_t index = model_find(analysis->model, process, place->by);

	if (place->has_more || place->has_threads || !index ||
		coro_at(analysis, index)->state >= CT_STATE_DONE ||
		(ahead->coro && ahead->coro != index))
		return false;
	ahead->coro = index;
	ahead->nr_ended += place->nr_woken;
	return true;
}

/* A wait may also have ended without a wake that was recorded. */
static bool are_all_known(
	const struct analysis *analysis, uint32_t site, const struct wakers_place *place)
{
	return model_waits_at(analysis->model, site)->count <= place->nr_woken;
}

#define SEVERAL UINT32_MAX /* a place from which several lines of libraries were reached */

/* Finds the innermost line of each place of a Python program: some of the sites that stand for it have a stack. */
static void find_inners(const struct analysis *analysis)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t site, row, inner, *of;

	analysis->inners[0] = 1;
	for (site = 1; site < analysis->model->tables->nr_sites; site++) {
		row = say_peek_site(tables, site)->stack;
		if (!row || row >= tables->nr_stacks ||
			say_language(tables, site) != SAY_LANGUAGE_PYTHON)
			continue;
		of = &analysis->inners[model_place(analysis->model, site)];
		inner = model_place(analysis->model, tables->stacks[row].site);
		*of = *of && *of != inner ? SEVERAL : inner;
	}
}

/* The line of a Python library that was reached from this place, and waits; 0: it is the place itself, or not known. */
static uint32_t inner_of(const struct analysis *analysis, uint32_t place)
{
	uint32_t inner;

	if (!analysis->inners[0])
		find_inners(analysis);
	inner = place < analysis->model->tables->nr_sites ? analysis->inners[place] : 0;
	return inner == place || inner == SEVERAL ? 0 : inner;
}

static bool is_long(const struct analysis *analysis, const struct model_coro *coro,
	const struct wakers_place *place)
{
	return analyze_waited_ns(analysis, coro) / TIMES_LONGER > place->longest_ns;
}

/* The one that ended waits within the same line of a library, whatever lines of the program had called it. */
static struct ahead at_inner(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_wakers_watcher);
	struct ahead ahead = {.inner = inner_of(analysis, coro->wait_site)};
	uint32_t site;

	for (site = 1; ahead.inner && site < analysis->model->tables->nr_sites; site++) {
		const struct wakers_place *place = model_watch_place(watch, site);

		if (!place || inner_of(analysis, site) != ahead.inner)
			continue;
		if (!are_all_known(analysis, site, place) || !is_long(analysis, coro, place) ||
			(place->nr_woken && !add_waker(analysis, coro->process, place, &ahead)))
			return (struct ahead){0};
	}
	return ahead;
}

/* The coroutine that may have the lock for which this one waits; 0: none is known. */
static uint32_t holder_of(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t holder;

	if (analysis->model->coros.count > COROS_ASKED)
		return 0;
	holder = analyze_same_locks_holder(analysis, coro);
	return holder ? holder : analyze_same_locks_inside(analysis, coro);
}

/* Several have ended waits there, but one all of this coroutine's own: at a lock, which goes round, that is chance. */
static struct ahead at_own(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct wakers_own *own = analyze_wakers_own(analysis, coro);
	uint32_t index = own ? model_find(analysis->model, coro->process, own->by) : 0;

	if (!index || coro_at(analysis, index)->state >= CT_STATE_DONE ||
		coro_at(analysis, index)->wait_site == coro->wait_site ||
		analyze_successors_are_kin(analysis, index, model_index(analysis->model, coro)) ||
		analyze_waited_ns(analysis, coro) / TIMES_LONGER / 1000 <= own->longest_us)
		return (struct ahead){0};
	return (struct ahead){.coro = index, .nr_ended = own->nr_ended, .is_own = true};
}

static struct ahead at_taker(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index;

	if (model_waits_at(analysis->model, coro->wait_site)->count)
		return (struct ahead){0};
	index = analyze_ended_taker_only(analysis, coro);
	return index && coro_at(analysis, index)->state < CT_STATE_DONE
		       ? (struct ahead){.coro = index, .is_taker = true}
		       : (struct ahead){0};
}

static struct ahead ahead_of(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = coro_at(analysis, index);
	const struct wakers_place *place = analyze_wakers_place(analysis, coro);
	uint32_t next = analyze_ties_next(analysis, index);
	struct ahead ahead = {0};

	if (coro->mark || !place || !analyze_wakers_is_bound(analysis, coro) ||
		!analyze_stillness_lasts(analysis, coro->process, coro->suspended))
		return ahead;
	if (!next || coro_at(analysis, next)->state >= CT_STATE_DONE)
		next = holder_of(analysis, coro);
	if (next)
		return (struct ahead){.coro = next};
	if (!place->nr_woken)
		return inner_of(analysis, coro->wait_site) ? at_inner(analysis, coro)
							   : at_taker(analysis, coro);
	if (!are_all_known(analysis, coro->wait_site, place))
		return ahead;
	return is_long(analysis, coro, place) && add_waker(analysis, coro->process, place, &ahead)
		       ? ahead
		       : at_own(analysis, coro);
}

/* ---------------------------------------------------------------- circles */

/*
 * The chain that begins with this one, up to the one that waits for the first one, or for one in between. Empty: one of
 * them may go on, or the waits that have ended at their places show no habit.
 */
static struct chain chain_from(const struct analysis *analysis, uint32_t index)
{
	struct chain chain = {.at = {index}, .count = 1, .is_all_ended = true};
	uint32_t process = coro_at(analysis, index)->process;
	uint64_t nr_ended = 0;
	unsigned i;

	if (model_lost_between(analysis->model, process, analysis->model->from,
		    analysis->parties[process].end))
		return (struct chain){0};
	for (;;) {
		struct ahead ahead = ahead_of(analysis, chain.at[chain.count - 1]);

		nr_ended += ahead.nr_ended;
		chain.is_all_ended &= ahead.nr_ended > 0;
		chain.is_own |= ahead.is_own;
		if (!ahead.coro)
			return (struct chain){0};
		for (i = 0; i < chain.count; i++)
			if (chain.at[i] == ahead.coro) {
				chain.is_circle = i == 0;
				return nr_ended >= LEAST_ENDED ? chain : (struct chain){0};
			}
		if (chain.count == MEMBERS)
			return (struct chain){0};
		chain.at[chain.count++] = ahead.coro;
	}
}

static uint32_t first_of(const struct analysis *analysis, const struct chain *chain)
{
	uint32_t first = chain->at[0];
	unsigned i;

	for (i = 1; i < chain->count; i++)
		if (coro_at(analysis, chain->at[i])->suspended <
			coro_at(analysis, first)->suspended)
			first = chain->at[i];
	return first;
}

/* The circle to which the chain leads. */
static struct chain circle_of(const struct analysis *analysis, const struct chain *chain)
{
	if (chain->is_circle || !chain->count)
		return *chain;
	return chain_from(analysis, chain->at[chain->count - 1]);
}

/* Asked once for each coroutine, when somebody wants to know: the answer may need all of them. */
static const struct waker_chain *known_chain(const struct analysis *analysis, uint32_t index)
{
	struct waker_chain *known = &analysis->waker_chains[index];
	struct chain chain, circle;

	if (known->is_known)
		return known;
	known->is_known = true;
	chain = chain_from(analysis, index);
	circle = circle_of(analysis, &chain);
	known->is_circle = chain.is_circle;
	if (circle.count)
		known->first = first_of(analysis, &circle);
	return known;
}

void analyze_waker_circle_begin(struct analysis *analysis)
{
	analysis->waker_chains = analyze_scratch(
		analysis, analysis->model->coros.count, sizeof(*analysis->waker_chains));
	analysis->inners = analyze_scratch(
		analysis, analysis->model->tables->nr_sites + (size_t)1, sizeof(*analysis->inners));
}

uint32_t analyze_waker_circle_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct waker_chain *chain = known_chain(analysis, model_index(analysis->model, coro));

	return chain->is_circle ? chain->first : 0;
}

bool analyze_waker_circle_has(
	const struct analysis *analysis, const struct model_coro *coro, uint32_t other)
{
	uint32_t first = analyze_waker_circle_of(analysis, coro);

	return first && first == analyze_waker_circle_of(analysis, coro_at(analysis, other));
}

uint32_t analyze_waker_circle_apart(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro);

	return ahead_of(analysis, index).is_own ? known_chain(analysis, index)->first : 0;
}

uint32_t analyze_waker_circle_before(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct waker_chain *chain = known_chain(analysis, model_index(analysis->model, coro));

	return chain->is_circle ? 0 : chain->first;
}

/* ---------------------------------------------------------------- one cause, one finding */

/* The first one of the circle that the group's only coroutine is in, or waits for, if that is another one. 0: none. */
static uint32_t first_for(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *candidate = analyze_group_first(analysis, group);
	const struct model_coro *coro = coro_at(analysis, candidate->coro);
	uint32_t first;

	if (group->count > 1 || candidate->rule != CT_RULE_LOST_WAKEUP || !candidate->is_bare ||
		coro->state != CT_STATE_WAITING)
		return 0;
	first = analyze_waker_circle_of(analysis, coro);
	if (!first)
		first = analyze_waker_circle_before(analysis, coro);
	return first == candidate->coro ? 0 : first;
}

static bool is_consequence(const struct analysis *analysis, const struct group *group)
{
	enum ct_grade grade = analyze_group_first(analysis, group)->grade;
	uint32_t first = first_for(analysis, group);
	size_t i;

	for (i = 0; first && i < analysis->groups.count; i++) {
		const struct group *of = &analysis->groups.at[i];

		if (of != group && analyze_group_has(analysis, of, first) &&
			analyze_group_first(analysis, of)->grade >= grade)
			return true;
	}
	return false;
}

void analyze_waker_circle_survey(struct analysis *analysis)
{
	analyze_groups_fold(analysis, is_consequence);
}

/* ---------------------------------------------------------------- the evidence */

/* Do both wait at one place, or within one line of a library? */
static bool are_alike(const struct analysis *analysis, uint32_t one, uint32_t other)
{
	uint32_t site = coro_at(analysis, one)->wait_site, inner = inner_of(analysis, site);
	uint32_t by = coro_at(analysis, other)->wait_site;

	return site == by || (inner && inner == inner_of(analysis, by));
}

static const char *words_own(struct analysis *analysis, const struct chain *chain)
{
	const struct model_coro *own = coro_at(analysis, chain->at[1]);

	return analyze_say(analysis, "; %s, which alone ended such waits, waits %s, at %s",
		analyze_words_coro(analysis, own),
		are_alike(analysis, chain->at[0], chain->at[1])
			? "for the like itself"
			: "itself for what it alone has brought",
		analyze_words_place(analysis, own->wait_site));
}

static const char *words_with(struct analysis *analysis, const struct chain *chain,
	const uint32_t *others, unsigned count)
{
	return analyze_say(analysis, "; in a circle with %s%s",
		analyze_words_coros(analysis, others, count),
		!chain->is_all_ended ? ""
		: chain->is_own      ? ": only the next one has ended waits of each there"
				     : ": each waits where only the next one has ended waits");
}

/* Some of the group, but not the first, are in the circle to which the chain leads. */
static const char *words_partly(
	struct analysis *analysis, const struct group *group, const struct chain *circle)
{
	uint32_t others[MEMBERS];
	unsigned count = 0, i;

	for (i = 0; i < circle->count; i++)
		if (!analyze_group_has(analysis, group, circle->at[i]))
			others[count++] = circle->at[i];
	return count && count < circle->count ? words_with(analysis, circle, others, count) : "";
}

const char *analyze_waker_circle_words(struct analysis *analysis, const struct group *group)
{
	struct chain chain = chain_from(analysis, analyze_group_first(analysis, group)->coro);
	struct chain circle = circle_of(analysis, &chain);

	if (chain.is_circle && chain.count == 1)
		return "; nobody else has ended such waits so far";
	if (chain.is_circle && !analyze_group_has(analysis, group, chain.at[1]) &&
		!analyze_same_locks_holder(analysis, coro_at(analysis, chain.at[0])))
		return words_with(analysis, &chain, chain.at + 1, chain.count - 1);
	if (chain.count == 2 && circle.count == 1 && chain.is_all_ended && !chain.is_own)
		return words_own(analysis, &chain);
	return chain.is_circle ? "" : words_partly(analysis, group, &circle);
}

static const char *words_reason(struct analysis *analysis, const struct ahead *ahead)
{
	const char *who = analyze_words_coro(analysis, coro_at(analysis, ahead->coro));

	if (ahead->is_taker)
		return analyze_say(analysis,
			", where all of the last sends that found somebody were taken by %s", who);
	if (!ahead->nr_ended)
		return analyze_say(analysis, ", for what %s may have", who);
	if (ahead->is_own)
		return analyze_say(analysis,
			", where the last %" PRIu64 " waits of its own were ended by %s",
			ahead->nr_ended, who);
	return analyze_say(analysis, ", where all %" PRIu64 " waits so far%s%s were ended by %s",
		ahead->nr_ended, ahead->inner ? " in " : "",
		ahead->inner ? analyze_words_place(analysis, ahead->inner) : "", who);
}

static void tell_member(struct analysis *analysis, struct story *story, uint32_t index)
{
	struct ahead ahead = ahead_of(analysis, index);

	analyze_story_evidence(analysis, story, "%s%s",
		analyze_words_since(analysis, coro_at(analysis, index)),
		words_reason(analysis, &ahead));
}

void analyze_waker_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct chain chain = chain_from(analysis, model_index(analysis->model, coro));
	unsigned i;

	if (!circle_of(analysis, &chain).count)
		return;
	for (i = 0; i < chain.count; i++) {
		tell_member(analysis, story, chain.at[i]);
		if (i)
			analyze_story_party(analysis, story, chain.at[i], 0);
	}
}
