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

/* Is the innermost call of its wait one of the function of this name? */
static bool calls(const struct analysis *analysis, const struct model_coro *coro, enum go_word word)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t row = site_at(analysis, coro->wait_site)->stack;

	return row && row < tables->nr_stacks &&
	       go_words_is(site_at(analysis, tables->stacks[row].site)->function, word);
}

/* Go has one word for all waits that nothing can end. */
bool analyze_runtime_words_send_to_nobody(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_runtime_words_is(analysis, coro, GO_WORD_FOREVER) &&
	       calls(analysis, coro, GO_WORD_SEND);
}

/* "acquire", "Pool.acquire", "pool::Pool::acquire"; not "acquire_job". */
static bool ends_in(const char *name, const char *word)
{
	size_t length = strlen(name), own = strlen(word);

	return length >= own && strcasecmp(name + length - own, word) == 0 &&
	       (length == own || ispunct((unsigned char)name[length - own - 1]));
}

bool analyze_runtime_words_say_claim(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct ct_site *site = site_at(analysis, coro->wait_site);

	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK ||
	       strcasestr(site->reason, "mutex") || strcasestr(site->reason, "semaphore") ||
	       ends_in(site->reason, "acquire") || ends_in(site->function, "acquire");
}

/* "mutex_lock", "__synclock_lock", "rwlock_wrlock", "Gate::lock", "readLock"; not "unlock", "clock", "block". */
static bool is_lock(const char *name)
{
	size_t length = strlen(name), own = strlen("lock");
	const char *end = length > own ? name + length - own : name;
	bool is_word = end > name && (ispunct((unsigned char)end[-1]) ||
					     (end[0] == 'L' && islower((unsigned char)end[-1])));

	return strcmp(name, "lock") == 0 ||
	       (strcasecmp(end, "lock") == 0 &&
		       (is_word || (end - name > 2 && end[-3] == '_' &&
					   (strcmp(end - 2, "rdlock") == 0 ||
						   strcmp(end - 2, "wrlock") == 0))));
}

bool analyze_runtime_words_say_lock(const struct analysis *analysis, const struct model_coro *coro)
{
	return is_lock(site_at(analysis, coro->wait_site)->function);
}

bool analyze_runtime_words_say_sleep(const struct analysis *analysis, const struct model_coro *coro)
{
	const char *name = site_at(analysis, coro->wait_site)->function;
	const char *last = strrchr(name, ':');

	last = last ? last + 1 : name;
	return strcmp(last, "sleep") == 0 || strcmp(last, "sleep_for") == 0 ||
	       strcmp(last, "sleep_until") == 0;
}

bool analyze_runtime_words_say_send(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct ct_site *site = site_at(analysis, coro->wait_site);
	const char *name = *site->reason ? site->reason : site->function;

	return ends_in(name, "send") || ends_in(name, "put") || ends_in(name, "push");
}
