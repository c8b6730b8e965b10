/* SPDX-License-Identifier: MIT */
/*
 * Same locks, by the name of the function that waits: "bus.(*Bus).Publish" and "bus.Bus.Name" are methods of one type.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/partners.h"
#include "analyze/parts.h"
#include "analyze/provenance.h"
#include "analyze/same_locks.h"
#include "analyze/stillness.h"
#include "analyze/successors.h"
#include "say/say.h"

#define PLACES_TOLD 4u

/* The type of a method, within its name: the package, with the dot, and the type. */
struct type {
	const char *package;
	const char *name;
	int nr_package_bytes;
	int nr_name_bytes;
};

/* Is this part of a name one that the compiler gave to a function within a function? */
static bool is_made(const char *part)
{
	return (strncmp(part, "func", 4) == 0 && part[4] >= '0' && part[4] <= '9') ||
	       strncmp(part, "gowrap", 6) == 0 || strncmp(part, "deferwrap", 9) == 0;
}

/* Returns false if the function is no method. */
static bool type_of(const char *function, struct type *ret_type)
{
	const char *last = strrchr(function, '/'), *name = strchr(last ? last : function, '.');
	const char *end = NULL;
	bool is_pointer = name && strncmp(++name, "(*", 2) == 0;

	if (is_pointer)
		end = strstr(name += 2, ").");
	else if (name)
		end = strchr(name, '.');
	if (!end || (!is_pointer && is_made(end + 1)))
		return false;
	*ret_type = (struct type){.package = function,
		.name = name,
		.nr_package_bytes = (int)(name - function) - (is_pointer ? 2 : 0),
		.nr_name_bytes = (int)(end - name)};
	return true;
}

static bool is_same(const struct type *type, const struct type *other)
{
	return type->nr_package_bytes == other->nr_package_bytes &&
	       type->nr_name_bytes == other->nr_name_bytes &&
	       strncmp(type->package, other->package, (size_t)type->nr_package_bytes) == 0 &&
	       strncmp(type->name, other->name, (size_t)type->nr_name_bytes) == 0;
}

static bool is_lock(const char *function)
{
	const char *method = strrchr(function, '.');

	return method && (strcmp(method, ".Lock") == 0 || strcmp(method, ".RLock") == 0);
}

/* A lock may have a type of its own, around one of Go's: it protects the type of the method that called its Lock. */
static const char *method_at(const struct analysis *analysis, uint32_t site)
{
	const struct ct_tables *tables = analysis->tables;
	const struct ct_site *at = say_peek_site(tables, site);
	uint32_t row = at->stack < tables->nr_stacks ? at->stack : 0;
	bool is_within = false;

	for (; row && is_lock(at->function); row = tables->stacks[row].caller) {
		const char *function = say_peek_site(tables, tables->stacks[row].site)->function;

		is_within |= strcmp(function, at->function) == 0;
		if (is_within && !is_lock(function))
			return function;
	}
	return at->function;
}

bool analyze_same_locks_are_of_type(const struct analysis *analysis, uint32_t site, uint32_t other)
{
	struct type type, second;

	return type_of(method_at(analysis, site), &type) &&
	       type_of(method_at(analysis, other), &second) && is_same(&type, &second);
}

/* Is one of the calls that led to this place a method of the type? */
static bool leads_through(const struct analysis *analysis, uint32_t site, const struct type *type)
{
	const struct ct_tables *tables = analysis->tables;
	const struct ct_site *at = say_peek_site(tables, site);
	uint32_t row = at->stack < tables->nr_stacks ? at->stack : 0;
	struct type other;

	if (type_of(at->function, &other) && is_same(&other, type))
		return true;
	for (; row; row = tables->stacks[row].caller)
		if (type_of(say_peek_site(tables, tables->stacks[row].site)->function, &other) &&
			is_same(&other, type))
			return true;
	return false;
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

/*
 * May `holder`, which waits for a channel or for the end of others in a method of the type, have the lock that this one
 * has waited for since later? A coroutine that waits for a condition has given the lock back.
 */
static bool may_have_lock_of(const struct analysis *analysis, const struct model_coro *holder,
	const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(holder->wait_object);

	return waits_so(coro) && holder->state == CT_STATE_WAITING &&
	       holder->process == coro->process && model_is_unnamed(holder->wait_object) &&
	       (kind == CTP_RESOURCE_CHANNEL || kind == CTP_RESOURCE_EVENT) &&
	       holder->suspended < coro->suspended &&
	       analyze_same_locks_are_of_type(analysis, holder->wait_site, coro->wait_site);
}

uint32_t analyze_same_locks_holder(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro), other;
	unsigned at = 0;

	if (!waits_so(coro) || !analyze_stillness_lasts(analysis, coro->process, coro->suspended))
		return 0;
	while ((other = analyze_partners_next(analysis, index, &at)) != 0) {
		const struct model_coro *holder = &analysis->model->coros.at[other];
		const struct provenance_relay *relay = analyze_provenance_relay(analysis, holder);

		if (CTP_HANDLE_RESOURCE(holder->wait_object) == CTP_RESOURCE_CHANNEL &&
			may_have_lock_of(analysis, holder, coro) && relay &&
			(relay->last.coro == index || analyze_successors_are_of_kind(
							      analysis, relay->last.coro, index)) &&
			analyze_partners_are(analysis, index, other))
			return other;
	}
	return 0;
}

/* ---------------------------------------------------------------- folding */

/* May the first of this group have the lock that all of the other group wait for? */
static bool may_hold_up(
	const struct analysis *analysis, const struct group *group, const struct group *other)
{
	const struct candidate *first = analyze_group_first(analysis, group);
	const struct candidate *at = analyze_group_first(analysis, other);
	const struct model_coro *coros = analysis->model->coros.at;
	uint32_t i;

	if (first->rule != CT_RULE_LOST_WAKEUP || first->grade < at->grade)
		return false;
	for (i = 0; i < other->count; i++)
		if (!may_have_lock_of(analysis, &coros[first->coro], &coros[at[i].coro]))
			return false;
	return true;
}

/* The coroutine of the group, if it waits for an unnamed lock; NULL: the group is of something else. */
static const struct model_coro *waiter_of(
	const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = analyze_group_first(analysis, group);
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	return first->coro && waits_so(coro) ? coro : NULL;
}

/* Was nothing found but the waits? */
static bool is_bare(const struct analysis *analysis, const struct group *group)
{
	return analyze_group_first(analysis, group)->is_bare && !group->nr_parents;
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
	if (analyze_group_first(analysis, group)->grade !=
		analyze_group_first(analysis, than)->grade)
		return analyze_group_first(analysis, group)->grade >
		       analyze_group_first(analysis, than)->grade;
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

		if (may_hold_up(analysis, than, group))
			return true;
		other = waiter_of(analysis, than);
		if (than != group && other && may_be_same(analysis, coro, other) &&
			analyze_group_first(analysis, than)->grade >=
				analyze_group_first(analysis, group)->grade &&
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
		" %s for a lock at %s, the first since %s, in a method of the same type: %s",
		count, count == 1 ? "waits" : "wait", analyze_words_place(analysis, site),
		analyze_words_time(analysis, first),
		waits_so(coro) ? "for the same lock, perhaps" : "this one may have that lock");
}

static void tell_holder(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = analyze_same_locks_holder(analysis, coro);
	const struct model_coro *holder = &analysis->model->coros.at[index];

	if (!index)
		return;
	analyze_story_evidence(analysis, story,
		"%s may have that lock: it waits since %s, %s before this one, in a method of the "
		"same "
		"type, at %s, where such waits are ended by coroutines as this one: a circle",
		analyze_words_coro(analysis, holder),
		analyze_words_time(analysis, holder->suspended),
		analyze_words_duration(
			analysis, ct_time_between(holder->suspended, coro->suspended)),
		analyze_words_place(analysis, holder->wait_site));
	analyze_story_party(analysis, story, index, 0);
}

/* Where the coroutine is, by the calls that led to its wait, in the function of `lock`, behind its line; 0: nowhere. */
static uint32_t past(const struct analysis *analysis, const struct model_coro *coro, uint32_t lock)
{
	const struct ct_tables *tables = analysis->tables;
	const struct ct_site *own = say_peek_site(tables, lock);
	uint32_t site = coro->rare->wait_call ? coro->rare->wait_call : coro->wait_site;
	uint32_t row = say_peek_site(tables, site)->stack;

	for (row = row < tables->nr_stacks ? row : 0; row; row = tables->stacks[row].caller) {
		const struct ct_site *at = say_peek_site(tables, tables->stacks[row].site);

		if (own->function[0] && at->line > own->line &&
			strcmp(at->function, own->function) == 0 &&
			strcmp(at->file, own->file) == 0)
			return tables->stacks[row].site;
	}
	return 0;
}

/*
 * The only coroutine that waits since before this one, and not for a lock: further on in the function in which this one
 * waits for the lock, or for room in a method of the type. 0: there is none, or more than one.
 */
uint32_t analyze_same_locks_inside(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t found = 0, i;

	if (!waits_so(coro))
		return 0;
	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *other = &analysis->model->coros.at[i];

		if (other->process != coro->process || other->state != CT_STATE_WAITING ||
			waits_so(other) || other->suspended >= coro->suspended ||
			CTP_HANDLE_RESOURCE(other->wait_object) == CTP_RESOURCE_CONDITION)
			continue;
		if (!past(analysis, other, coro->wait_site) &&
			(!may_have_lock_of(analysis, other, coro) ||
				analyze_ties_may_be_idle(analysis, other)))
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

static void tell_inside(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = analyze_same_locks_holder(analysis, coro)
				 ? 0
				 : analyze_same_locks_inside(analysis, coro);
	const struct model_coro *other = &analysis->model->coros.at[index];
	const char *where = "in a method of the same type";
	uint32_t site;

	if (!index)
		return;
	site = past(analysis, other, coro->wait_site);
	if (site)
		where = analyze_say(analysis, "further on in the same function, at %s",
			analyze_words_place(analysis, site));
	analyze_story_evidence(analysis, story,
		"%s may have that lock: it is %s, and began to wait %s before this one, at %s",
		analyze_words_coro(analysis, other), where,
		analyze_words_duration(
			analysis, ct_time_between(other->suspended, coro->suspended)),
		analyze_words_place(analysis, other->wait_site));
	analyze_story_party(analysis, story, index, 0);
}

/* Is it known of this other coroutine that it is in no method of the type, unless it waits for such a lock as well? */
static bool is_outside(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *other, const struct type *type)
{
	if (other->process != coro->process || other->state >= CT_STATE_DONE ||
		model_is_of_runtime(other) || may_be_same(analysis, coro, other))
		return true;
	return other->state == CT_STATE_WAITING &&
	       say_peek_site(analysis->tables, other->wait_site)->stack &&
	       !leads_through(analysis, other->wait_site, type);
}

/* Tells that no coroutine is in a method of the type, by which the lock could be given back. */
static void tell_left(struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct type type;
	uint32_t i;

	if (!waits_so(coro) || !type_of(method_at(analysis, coro->wait_site), &type))
		return;
	for (i = 1; i < analysis->model->coros.count; i++)
		if (!is_outside(analysis, coro, &analysis->model->coros.at[i], &type))
			return;
	analyze_story_evidence(analysis, story,
		"no other coroutine that lives is in a method of this type, %.*s: unless one of "
		"those that wait for a lock there has it itself, whoever took it came out without "
		"giving it back, or has ended",
		type.nr_name_bytes, type.name);
}

/* ---------------------------------------------------------------- a lock taken twice */

/*
 * A coroutine that has had the lock for as long as this one has waited was in a method of the type all the time. The
 * other one waited elsewhere since, or has begun since.
 */
static bool was_outside(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *other, const struct type *type)
{
	if (other->created > coro->suspended || is_outside(analysis, coro, other, type))
		return true;
	return other->state != CT_STATE_WAITING && other->suspended > coro->suspended &&
	       say_peek_site(analysis->tables, other->wait_site)->stack &&
	       !leads_through(analysis, other->wait_site, type);
}

void analyze_same_locks_begin(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t nr_sites = analysis->tables->nr_sites, i;

	analysis->lock_waits = analyze_scratch(analysis, nr_sites + (size_t)1, sizeof(ct_time));
	for (i = 1; !analysis->is_broken && i < model->coros.count; i++) {
		const struct model_coro *coro = coro_at(analysis, i);

		if (waits_so(coro) && coro->wait_site < nr_sites &&
			coro->suspended > analysis->lock_waits[coro->wait_site])
			analysis->lock_waits[coro->wait_site] = coro->suspended;
	}
}

/* The call behind a place at which somebody has waited for the lock since this run of the coroutine; 0: none. */
static uint32_t call_past(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t call = 0, site;

	for (site = 1; !call && site < analysis->tables->nr_sites; site++)
		if (site != coro->wait_site && analysis->lock_waits[site] > coro->resumed &&
			analyze_same_locks_are_of_type(analysis, coro->wait_site, site))
			call = past(analysis, coro, site);
	return call;
}

uint32_t analyze_same_locks_twice(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t call = 0, i;
	struct type type;

	if (waits_so(coro) && type_of(method_at(analysis, coro->wait_site), &type))
		call = call_past(analysis, coro);
	for (i = 1; call && i < analysis->model->coros.count; i++)
		if (!was_outside(analysis, coro, coro_at(analysis, i), &type))
			call = 0;
	return call;
}

void analyze_same_locks_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct told told = {0};
	uint32_t i;

	tell_holder(analysis, story, coro);
	tell_inside(analysis, story, coro);
	tell_left(analysis, story, coro);
	for (i = 1; i < analysis->model->coros.count && told.count < PLACES_TOLD; i++) {
		const struct model_coro *other = &analysis->model->coros.at[i];

		if (!(waits_so(coro) ? may_be_same(analysis, coro, other)
				     : may_have_lock_of(analysis, coro, other)) ||
			other->wait_site == coro->wait_site || is_told(&told, other->wait_site))
			continue;
		told.at[told.count++] = other->wait_site;
		tell_place(analysis, story, coro, other->wait_site);
	}
}
