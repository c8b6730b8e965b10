/* SPDX-License-Identifier: MIT */
/*
 * Own lines, found along who awaits whom.
 */
#include <string.h>

#include "analyze/own_line.h"
#include "analyze/parts.h"
#include "say/say.h"

#define STEPS 16u /* coroutines in headers, each of which awaits the next */

static bool is_in_header(const struct analysis *analysis, uint32_t index)
{
	static const char *const endings[] = {".hpp", ".hh", ".hxx", ".ipp", ".tpp", ".h"};
	const char *dot = strrchr(say_peek_site(analysis->tables, index)->file, '.');
	size_t i;

	if (!dot || say_language(analysis->tables, index) != SAY_LANGUAGE_CPP)
		return false;
	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(dot, endings[i]) == 0)
			return true;
	return false;
}

/* The coroutine that awaits this one, of those that wait behind the member; 0: none. */
static uint32_t awaiter_of(const struct analysis *analysis, uint32_t member, uint32_t coro)
{
	const struct ties *ties = &analysis->ties;
	uint32_t victim = ties->victim_first[member];

	while (victim && ties->next[victim] != coro)
		victim = ties->victim_next[victim];
	return victim;
}

/*
 * The place, in no header, at which a coroutine awaits the first member of the group, itself or through coroutines that
 * stand in headers; 0: the member waits in no header, or no such place is known.
 */
static uint32_t own_line(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	uint32_t coro = first->coro, steps;

	if (!coro || !is_in_header(analysis, first->wait_site))
		return 0;
	for (steps = 0; coro && steps < STEPS; steps++) {
		uint32_t site;

		coro = awaiter_of(analysis, first->coro, coro);
		site = analysis->model->coros.at[coro].wait_site;
		if (coro && site && !is_in_header(analysis, site))
			return site;
	}
	return 0;
}

/* The coroutine of the step that was at the place; 0: no coroutine is known to have been there. */
static uint32_t actor_at(
	const struct analysis *analysis, const struct ct_finding *finding, uint32_t site)
{
	uint32_t i;

	for (i = 0; i < finding->nr_steps; i++)
		if (finding->steps[i].site == site && finding->steps[i].coro)
			return model_find(
				analysis->model, finding->process, finding->steps[i].coro);
	return 0;
}

uint32_t analyze_own_step(const struct analysis *analysis, uint32_t site, uint32_t waits)
{
	return waits && is_in_header(analysis, site) && !is_in_header(analysis, waits) ? waits
										       : site;
}

uint32_t analyze_own_look(const struct analysis *analysis, const struct group *group,
	const struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	uint32_t look = finding->look_site, actor, own;

	if (!look || !is_in_header(analysis, look))
		return look;
	if (look != finding->cause_site) {
		own = own_line(analysis, group);
		return own ? own : look;
	}
	actor = actor_at(analysis, finding, look);
	if (!actor)
		return look;
	return analyze_own_step(analysis, look,
		actor == first->coro ? first->wait_site
				     : analysis->model->coros.at[actor].rare->function_site);
}

const char *analyze_words_own_line(struct analysis *analysis, const struct group *group)
{
	uint32_t own = own_line(analysis, group);
	const char *words =
		analyze_words_place(analysis, analysis->candidates.at[group->first].wait_site);

	return own ? analyze_say(analysis, "%s; inside of that, at %s",
			     analyze_words_place(analysis, own), words)
		   : words;
}
