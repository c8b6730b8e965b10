/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "analyze/parts.h"
#include "analyze/runtime_words.h"

static const struct ct_site *site_at(const struct analysis *analysis, uint32_t site)
{
	static const struct ct_site nowhere = {0};

	return site < analysis->tables->nr_sites ? &analysis->tables->sites[site] : &nowhere;
}

bool analyze_runtime_words_is(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word)
{
	const struct ct_site *site = site_at(analysis, coro->wait_site);

	return go_words_is(site->reason, word) || go_words_is(site->function, word);
}

bool analyze_runtime_words_may_be_timed(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING &&
	       analyze_waited_ns(analysis, coro) <= LIMIT(analysis, WAIT_LIMIT) &&
	       analyze_runtime_words_is(analysis, coro, GO_WORD_SELECT);
}

bool analyze_runtime_words_most_may_be_timed(
	const struct analysis *analysis, uint32_t process, ct_time since)
{
	uint32_t nr_new = 0, nr_timed = 0, i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];

		if (coro->process != process || coro->state >= CT_STATE_DONE ||
			coro->created == CT_NO_TIME || coro->created < since)
			continue;
		nr_new++;
		nr_timed += analyze_runtime_words_may_be_timed(analysis, coro);
	}
	return nr_timed * 2 > nr_new;
}

bool analyze_runtime_words_runs(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word)
{
	return go_words_is(site_at(analysis, coro->rare->function_site)->function, word);
}

bool analyze_runtime_words_calls(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t row = site_at(analysis, coro->wait_site)->stack;

	return row && row < tables->nr_stacks &&
	       go_words_is(site_at(analysis, tables->stacks[row].site)->function, word);
}

/* "acquire", "Pool.acquire", "pool::Pool::acquire"; not "acquire_job". */
static bool is_acquire(const char *name)
{
	size_t length = strlen(name), own = strlen("acquire");

	return length >= own && strcasecmp(name + length - own, "acquire") == 0 &&
	       (length == own || ispunct((unsigned char)name[length - own - 1]));
}

bool analyze_runtime_words_say_claim(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct ct_site *site = site_at(analysis, coro->wait_site);

	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK ||
	       strcasestr(site->reason, "mutex") || strcasestr(site->reason, "semaphore") ||
	       is_acquire(site->reason) || is_acquire(site->function);
}
