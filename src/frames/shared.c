/* SPDX-License-Identifier: MIT */
/* Compares where variables of coroutines lead (shared.h). */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "frames/shared.h"

#define WORD sizeof(uint64_t)
#define BYTES_MAX 512u /* of a variable, or of a block on the way */
#define TARGETS_MAX 16u
#define LEADS_MAX 4u /* told */
#define LEAD_BYTES 2048u
#define DEPTH_MAX 2u
#define VARIABLES_MAX 400u /* each is compared with each */

/* The blocks to which a variable leads. */
struct targets {
	uint32_t at[TARGETS_MAX];
	uint32_t count;
};

struct told_lead {
	char words[LEAD_BYTES];
	uint32_t nr_holders; /* coroutines */
};

struct shared {
	struct found *found;
	const struct blocks *blocks;
	/* those with the fewest holders, in this order: what many have says least about who should wake */
	struct told_lead leads[LEADS_MAX];
	uint32_t nr_leads;
};

static bool has(const struct targets *targets, uint32_t block)
{
	uint32_t i;

	for (i = 0; i < targets->count; i++)
		if (targets->at[i] == block)
			return true;
	return false;
}

static void lead(const struct shared *shared, uint64_t start, uint64_t bytes, unsigned depth,
	struct targets *targets)
{
	size_t count, i;
	uint32_t block;
	const uint64_t *words = blocks_words(
		shared->blocks, start, start + (bytes < BYTES_MAX ? bytes : BYTES_MAX), &count);

	for (i = 0; i < count; i++) {
		const struct block *at;

		if (!blocks_at(shared->blocks, words[i], &block) || has(targets, block))
			continue;
		at = &shared->blocks->blocks.at[block];
		if (targets->count < TARGETS_MAX)
			targets->at[targets->count++] = block;
		if (depth > 1 && at->end - at->start <= BYTES_MAX)
			lead(shared, at->start, at->end - at->start, depth - 1, targets);
	}
}

static const struct found_coroutine *coroutine_of(
	const struct shared *shared, const struct found_variable *variable, uint32_t *ret_index)
{
	return map_get(&shared->found->by_address, variable->coroutine, ret_index)
		       ? &shared->found->coroutines.at[*ret_index]
		       : NULL;
}

/* Is it asked who else has this: what a coroutine awaits that is no task and no time, or what one has that runs? */
static bool is_asked(const struct found_coroutine *coroutine, const struct found_variable *variable)
{
	if (coroutine->state == FRAME_RUNS)
		return variable->name[0] != '\0';
	return coroutine->state == FRAME_WAITS && !variable->name[0] && !coroutine->awaited &&
	       strcmp(variable->type, "Sleep") != 0;
}

/* Does the coroutine await something itself that leads there? Then it is only one more of those that wait. */
static bool awaits_any(
	const struct shared *shared, uint64_t coroutine, const struct targets *targets)
{
	struct targets others;
	size_t i;
	uint32_t j;

	for (i = 0; i < shared->found->variables.count; i++) {
		const struct found_variable *variable = &shared->found->variables.at[i];

		if (variable->coroutine != coroutine || variable->name[0])
			continue;
		others.count = 0;
		lead(shared, variable->address, variable->bytes, 1, &others);
		for (j = 0; j < others.count; j++)
			if (has(targets, others.at[j]))
				return true;
	}
	return false;
}

static bool leads_to_any(const struct shared *shared, const struct found_variable *variable,
	const struct targets *targets)
{
	struct targets others = {.count = 0};
	uint32_t i;

	lead(shared, variable->address, variable->bytes, DEPTH_MAX, &others);
	for (i = 0; i < others.count; i++)
		if (has(targets, others.at[i]))
			return true;
	return false;
}

/* "coroutine 1, at src/main.rs:13, has in 'pending' (Pin<...>)" */
static void add_holder(struct text *text, const struct shared *shared, uint32_t index,
	const struct found_variable *variable, bool is_first)
{
	const struct found_place *place = &shared->found->places.at[variable->place];
	char words[512], who[FOUND_WHO_BYTES];

	if (is_first)
		snprintf(words, sizeof(words), "%s%s (%s, at %s:%" PRIu32 ") by '%s' (%s)",
			text->length ? "; " : "", found_who(shared->found, index, who),
			place->function, place->file, place->line, variable->name, variable->type);
	else
		snprintf(words, sizeof(words), " and '%s' (%s)", variable->name, variable->type);
	text_add(text, words);
}

/* An argument is told once, though the function has it twice. */
static bool is_same(const struct found_variable *one, const struct found_variable *other)
{
	return one->coroutine == other->coroutine && strcmp(one->name, other->name) == 0 &&
	       strcmp(one->type, other->type) == 0;
}

static bool is_told(const struct shared *shared, size_t at)
{
	const struct found_variable *variables = shared->found->variables.at;
	size_t i = at;

	while (i > 0 && variables[i - 1].coroutine == variables[at].coroutine)
		if (is_same(&variables[at], &variables[--i]))
			return true;
	return false;
}

/* Returns how many coroutines have any of the targets. */
static uint32_t find_holders(const struct shared *shared, const struct found_variable *asked,
	const struct targets *targets, struct text *text)
{
	uint64_t last = 0;
	uint32_t nr_holders = 0;
	size_t i;
	uint32_t index;

	for (i = 0; i < shared->found->variables.count; i++) {
		const struct found_variable *variable = &shared->found->variables.at[i];
		const struct found_coroutine *holder = coroutine_of(shared, variable, &index);

		if (!holder || holder->state != FRAME_WAITS || !variable->name[0] ||
			variable->coroutine == asked->coroutine || is_told(shared, i) ||
			!leads_to_any(shared, variable, targets) ||
			awaits_any(shared, variable->coroutine, targets))
			continue;
		add_holder(text, shared, index, variable, variable->coroutine != last);
		nr_holders += variable->coroutine != last;
		last = variable->coroutine;
	}
	return nr_holders;
}

static bool is_known(const struct shared *shared, const char *holders)
{
	size_t i;

	for (i = 0; i < shared->nr_leads; i++)
		if (strstr(shared->leads[i].words, holders))
			return true;
	return false;
}

/* Puts the lead behind those with as many holders; the last one may fall out. */
static void keep(struct shared *shared, const struct told_lead *told)
{
	uint32_t at = shared->nr_leads;

	while (at > 0 && shared->leads[at - 1].nr_holders > told->nr_holders)
		at--;
	if (at == LEADS_MAX)
		return;
	shared->nr_leads += shared->nr_leads < LEADS_MAX;
	memmove(&shared->leads[at + 1], &shared->leads[at],
		(shared->nr_leads - at - 1) * sizeof(*told));
	shared->leads[at] = *told;
}

static void tell(struct shared *shared, const struct found_variable *asked)
{
	struct targets targets = {.count = 0};
	const struct found_coroutine *coroutine;
	struct told_lead told;
	struct text holders = {0};
	char who[FOUND_WHO_BYTES];
	uint32_t index;

	coroutine = coroutine_of(shared, asked, &index);
	if (!coroutine || !is_asked(coroutine, asked))
		return;
	lead(shared, asked->address, asked->bytes, asked->name[0] ? DEPTH_MAX : 1, &targets);
	told.nr_holders = find_holders(shared, asked, &targets, &holders);
	if (holders.length > 0 && !is_known(shared, text_peek(&holders))) {
		snprintf(told.words, sizeof(told.words),
			"a lead: what %s %s '%s', leads to memory to which another one leads: %s",
			found_who(shared->found, index, who),
			asked->name[0] ? "has, which runs, in" : "awaits, of type",
			asked->name[0] ? asked->name : asked->type, text_peek(&holders));
		keep(shared, &told);
	}
	text_fini(&holders);
}

void shared_tell(struct found *found, const struct blocks *blocks)
{
	struct shared shared = {.found = found, .blocks = blocks};
	size_t i;

	if (found->variables.count > VARIABLES_MAX)
		return;
	for (i = 0; i < found->variables.count; i++)
		tell(&shared, &found->variables.at[i]);
	for (i = 0; i < shared.nr_leads; i++)
		found_sight(found, shared.leads[i].words);
}
