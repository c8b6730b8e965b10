/* SPDX-License-Identifier: MIT */
#include "analyze/runtime_words.h"
#include "analyze/parts.h"

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
