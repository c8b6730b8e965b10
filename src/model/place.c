/* SPDX-License-Identifier: MIT */
/*
 * Places in programs: two threads that reach a site at the same time may intern it twice, and two segments of one
 * process each name their own sites. Equal sites of one process are one place, which the first of them represents.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/parts.h"
#include "say/say.h"

static uint64_t hash_site(const struct ct_site *site)
{
	const uint64_t numbers[] = {site->process, site->kind, site->line, site->column,
		site->address, site->module_offset};
	uint64_t hash = hash_bytes(HASH_START, numbers, sizeof(numbers));

	hash = hash_text(hash, site->file);
	hash = hash_text(hash, site->function);
	hash = hash_text(hash, site->reason);
	hash = hash_text(hash, site->module);
	return hash_text(hash, site->callers);
}

static bool is_same(const struct ct_site *a, const struct ct_site *b)
{
	return a->process == b->process && a->kind == b->kind && a->line == b->line &&
	       a->column == b->column && a->address == b->address &&
	       a->module_offset == b->module_offset && strcmp(a->file, b->file) == 0 &&
	       strcmp(a->function, b->function) == 0 && strcmp(a->reason, b->reason) == 0 &&
	       strcmp(a->module, b->module) == 0 && strcmp(a->callers, b->callers) == 0;
}

/* Is anything known of the site? A site without any information equals no other one. */
static bool is_told(const struct ct_site *site)
{
	return site->line || site->address || site->function[0] || site->reason[0];
}

static bool suspends_by_return(const struct ct_tables *tables, uint32_t site)
{
	enum say_language language = say_language(tables, site);

	return language == SAY_LANGUAGE_RUST || language == SAY_LANGUAGE_PYTHON ||
	       language == SAY_LANGUAGE_LUA;
}

bool model_place_tables(struct model *model)
{
	const struct ct_tables *tables = model->tables;
	struct map first_of = {0};
	uint32_t i;

	model->places = calloc(tables->nr_sites + 1, sizeof(*model->places));
	model->wakes_strangers = calloc(tables->nr_sites + 1, sizeof(*model->wakes_strangers));
	model->suspends_by_return =
		calloc(tables->nr_sites + 1, sizeof(*model->suspends_by_return));
	if (!model->places || !model->wakes_strangers || !model->suspends_by_return)
		return false;
	for (i = 0; i < tables->nr_sites; i++) {
		const struct ct_site *site = &tables->sites[i];
		uint64_t hash = hash_site(site);
		uint32_t first = i;

		if (i == 0 || !is_told(site) || !map_get(&first_of, hash, &first)) {
			first = i;
			if (!map_put(&first_of, hash, i))
				break;
		}
		model->places[i] = is_same(site, &tables->sites[first]) ? first : i;
		model->suspends_by_return[i] = suspends_by_return(tables, i);
	}
	map_fini(&first_of);
	return i == tables->nr_sites;
}
