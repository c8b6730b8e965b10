/* SPDX-License-Identifier: MIT */
/*
 * The calls behind a finding: where the first stuck coroutine waits, and where it was started, each with its callers.
 * Only traces with stacks have them. The printed stack begins at the place that a reader knows. Calls of a runtime
 * below that place are left out; calls of installed Python packages are printed.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/parts.h"
#include "say/say.h"

#define FRAMES_SHOWN \
	8u /* of more callers the innermost and the outermost: there the program's own are */
#define OUTERMOST_SHOWN 2u

static bool is_same_line(const struct ct_site *a, const struct ct_site *b)
{
	return a->line == b->line && strcmp(a->function, b->function) == 0 &&
	       strcmp(a->file, b->file) == 0;
}

/* The row of the stack that has the same line as the site, or else the innermost row; 0: the site has no stack. */
static uint32_t first_row(const struct ct_tables *tables, const struct ct_site *site)
{
	uint32_t row = site->stack < tables->nr_stacks ? site->stack : 0, at;

	for (at = row; at; at = tables->stacks[at].caller)
		if (is_same_line(say_peek_site(tables, tables->stacks[at].site), site))
			return at;
	return row;
}

static uint32_t nr_callers_of(const struct ct_tables *tables, uint32_t row)
{
	uint32_t count = 0;

	for (; row; row = tables->stacks[row].caller)
		count++;
	return count;
}

static const char *words_callers(struct analysis *analysis, uint32_t row)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t count = nr_callers_of(tables, row), i;
	uint32_t skipped = count > FRAMES_SHOWN ? count - FRAMES_SHOWN : 0;
	const char *words = "";

	for (i = 0; row; row = tables->stacks[row].caller, i++) {
		uint32_t left = count - i;

		if (left > OUTERMOST_SHOWN && left <= OUTERMOST_SHOWN + skipped)
			continue;
		if (skipped && left == OUTERMOST_SHOWN)
			words = analyze_say(
				analysis, "%s; by %" PRIu32 " more in between", words, skipped);
		words = analyze_say(analysis, "%s%s%s", words, i ? "; by " : "; called by ",
			analyze_words_place(analysis, tables->stacks[row].site));
	}
	return words;
}

/* The calls of a Python library below the place, the innermost first, if the library is not the scheduler's. */
static const char *words_inside(struct analysis *analysis, uint32_t site, uint32_t place)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t row = say_peek_site(tables, site)->stack;
	const char *words = "";
	unsigned shown = 0;

	if (row >= tables->nr_stacks || say_language(tables, site) != SAY_LANGUAGE_PYTHON)
		return words;
	for (; row && row != place && shown < FRAMES_SHOWN;
		row = tables->stacks[row].caller, shown++)
		words = analyze_say(analysis, "%s%s%s", words,
			shown ? "; from " : "; inside of that, in ",
			analyze_words_place(analysis, tables->stacks[row].site));
	return words;
}

/* Adds nothing if neither a caller nor a call below the place is known. */
static void tell(struct analysis *analysis, struct story *story, uint64_t coro, const char *what,
	uint32_t site)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t row = first_row(tables, say_peek_site(tables, site));
	const char *inside = row ? words_inside(analysis, site, row) : "";

	if (!row || (!tables->stacks[row].caller && !*inside))
		return;
	analyze_story_evidence(analysis, story, "coroutine %" PRIu64 " %s in %s%s%s", coro, what,
		analyze_words_place(analysis, tables->stacks[row].site),
		words_callers(analysis, tables->stacks[row].caller), inside);
}

void analyze_frames_tell(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct member_events *events = group->nr_examples ? group->examples[0] : NULL;

	if (!events)
		return;
	/* If the coroutine has gone on since, its last wait may have been elsewhere. */
	if (model_place(analysis->model, events->wait_site) == first->wait_site)
		tell(analysis, story, coro->id,
			coro->state == CT_STATE_WAITING ? "waits" : "waited last",
			events->wait_site);
	tell(analysis, story, coro->id, "was started", events->spawn_site);
}
