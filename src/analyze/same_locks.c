/* SPDX-License-Identifier: MIT */
/*
 * Same locks, by the name of the function that waits: "bus.(*Bus).Publish" is a method of "bus.(*Bus)".
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/parts.h"
#include "analyze/provenance.h"
#include "analyze/same_locks.h"
#include "say/say.h"

#define PLACES_TOLD 4u

/* The length of the type's name within a function's name; 0: the function is no method. */
static size_t type_length(const char *function)
{
	const char *end = strstr(function, ").");

	return end ? (size_t)(end - function) + 1 : 0;
}

bool analyze_same_locks_are_of_type(const struct analysis *analysis, uint32_t site, uint32_t other)
{
	const struct ct_site *one = say_peek_site(analysis->tables, site);
	const struct ct_site *second = say_peek_site(analysis->tables, other);
	size_t length = type_length(one->function);

	return length && type_length(second->function) == length &&
	       strncmp(one->function, second->function, length) == 0;
}

static bool waits_so(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && analyze_ties_is_for_untold_lock(coro);
}

static bool may_be_same(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *other)
{
	return other->process == coro->process && waits_so(other) &&
	       analyze_same_locks_are_of_type(analysis, coro->wait_site, other->wait_site);
}

/* ---------------------------------------------------------------- folding */

static const struct candidate *first_of(const struct analysis *analysis, const struct group *group)
{
	return &analysis->candidates.at[group->first];
}

/* The coroutine of the group, if it waits for an unnamed lock; NULL: the group is of something else. */
static const struct model_coro *waiter_of(
	const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = first_of(analysis, group);
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	return first->coro && waits_so(coro) ? coro : NULL;
}

/* Was nothing found but the waits? */
static bool is_bare(const struct analysis *analysis, const struct group *group)
{
	return first_of(analysis, group)->is_bare && !group->nr_parents;
}

static bool goes_first(
	const struct analysis *analysis, const struct group *group, const struct group *than)
{
	const struct model_coro *coro = waiter_of(analysis, group);
	const struct model_coro *other = waiter_of(analysis, than);
	bool is_known = analyze_provenance_relay(analysis, coro) != NULL;
	bool is_other_known = analyze_provenance_relay(analysis, other) != NULL;

	if (is_bare(analysis, group) != is_bare(analysis, than))
		return !is_bare(analysis, group);
	if (first_of(analysis, group)->grade != first_of(analysis, than)->grade)
		return first_of(analysis, group)->grade > first_of(analysis, than)->grade;
	if (is_known != is_other_known)
		return is_known;
	return coro->suspended < other->suspended;
}

static bool is_second(const struct analysis *analysis, const struct group *group)
{
	const struct model_coro *coro = waiter_of(analysis, group), *other;
	size_t i;

	for (i = 0; coro && is_bare(analysis, group) && i < analysis->groups.count; i++) {
		const struct group *than = &analysis->groups.at[i];

		other = waiter_of(analysis, than);
		if (than != group && other && may_be_same(analysis, coro, other) &&
			first_of(analysis, than)->grade >= first_of(analysis, group)->grade &&
			goes_first(analysis, than, group))
			return true;
	}
	return false;
}

void analyze_same_locks_survey(struct analysis *analysis)
{
	analyze_groups_fold(analysis, is_second);
}

/* ---------------------------------------------------------------- the evidence */

/* Places listed by now. */
struct told {
	uint32_t at[PLACES_TOLD];
	unsigned count;
};

static bool is_told(const struct told *told, uint32_t site)
{
	unsigned i;

	for (i = 0; i < told->count; i++)
		if (told->at[i] == site)
			return true;
	return false;
}

static void tell_place(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, uint32_t site)
{
	ct_time first = CT_NO_TIME;
	uint32_t count = 0, i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *other = &analysis->model->coros.at[i];

		if (other->wait_site != site || other->process != coro->process || !waits_so(other))
			continue;
		count++;
		if (first == CT_NO_TIME || other->suspended < first)
			first = other->suspended;
	}
	analyze_story_evidence(analysis, story,
		"%" PRIu32
		" %s for a lock at %s, the first since %s, in a method of the same type: "
		"for the same lock, perhaps",
		count, count == 1 ? "waits" : "wait", analyze_words_place(analysis, site),
		analyze_words_duration(analysis, first));
}

void analyze_same_locks_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct told told = {0};
	uint32_t i;

	if (!waits_so(coro))
		return;
	for (i = 1; i < analysis->model->coros.count && told.count < PLACES_TOLD; i++) {
		const struct model_coro *other = &analysis->model->coros.at[i];

		if (other->wait_site == coro->wait_site || !may_be_same(analysis, coro, other) ||
			is_told(&told, other->wait_site))
			continue;
		told.at[told.count++] = other->wait_site;
		tell_place(analysis, story, coro, other->wait_site);
	}
}
