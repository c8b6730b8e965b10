/* SPDX-License-Identifier: MIT */
/*
 * Names of sites: defined again in a sink, and filled into the tables of a source.
 */
#include <inttypes.h>
#include <string.h>

#include "base/failure.h"
#include "base/path.h"
#include "base/text.h"
#include "stages/naming.h"

#define CALLERS_BYTES 16384u /* of one site; the caller that exceeds this is the last one */
#define DOUBTS_MAX 16u       /* most reasons that are noted */

/* ------------------------------------------------------------- while recording */

/* Adds one word of a line; the word must not contain the line's or a word's end. */
static void add_word(struct text *text, const char *word, char end)
{
	for (; *word; word++)
		text_char(text, *word == '\t' || *word == '\n' ? ' ' : *word);
	text_char(text, end);
}

/* Adds the callers in the form of struct ct_site. Names can be long, so callers beyond CALLERS_BYTES are left out. */
static void add_callers(struct text *text, const struct symbol_place *place)
{
	uint32_t i;

	for (i = 0; i < place->nr_callers && text->length < CALLERS_BYTES; i++) {
		add_word(text, place->callers[i].function, '\t');
		add_word(text, place->callers[i].file, '\t');
		text_format(text, "%" PRIu32 "\n", place->callers[i].line);
	}
}

enum ct_status naming_define_site(struct ct_sink *sink, const struct ct_define_site *site,
	const struct symbol_place *place, struct ct_error *reterr)
{
	struct ct_definition definition = {.type = CT_DEFINE_SITE, .site = *site};
	struct text callers = {0};
	enum ct_status status;

	add_callers(&callers, place);
	definition.site.line = place->line;
	definition.site.column = place->column;
	definition.site.file = place->file;
	definition.site.function = place->function;
	definition.site.module = place->module;
	definition.site.module_offset = place->module_offset;
	definition.site.frame_bytes = place->frame_bytes;
	definition.site.callers = text_peek(&callers);
	status = text_status(&callers, reterr);
	if (status == CT_OK)
		status = sink_define(sink, &definition, reterr);
	text_fini(&callers);
	return status;
}

/* --------------------------------------------------------------- while reading */

static const char *keep(struct arena *arena, const char *text)
{
	return text ? arena_text(arena, text, strlen(text)) : "";
}

static bool is_nameless(const struct ct_site *site)
{
	return site->address != 0 && site->function[0] == '\0';
}

/*
 * The file keeps only one of a caller's two addresses, which alone may name the wrong place: only the module is filled
 * in.
 */
static bool take_module(struct arena *arena, struct ct_site *site, const struct symbol_place *place)
{
	site->module_offset = place->module_offset;
	site->module = keep(arena, place->module);
	return site->module;
}

/* The resolver's texts end with the resolver; the tables live longer. */
static bool take_place(struct arena *arena, struct ct_site *site, const struct symbol_place *place)
{
	struct text callers = {0};

	site->line = place->line;
	site->column = place->column;
	site->module_offset = place->module_offset;
	site->frame_bytes = place->frame_bytes;
	site->file = keep(arena, place->file);
	site->function = keep(arena, place->function);
	site->module = keep(arena, place->module);
	add_callers(&callers, place);
	site->callers = callers.is_broken ? NULL : keep(arena, text_peek(&callers));
	text_fini(&callers);
	return site->file && site->function && site->module && site->callers;
}

/* Reasons why places have no names, each once, after the trace's own notes. */
struct doubts {
	struct ct_note *notes;
	/* the trace's own notes; if one has the same text, it is about the same places */
	uint32_t nr_own;
	uint32_t count;
	uint32_t nr_room;
};

/* Adds a reason. A reason that begins with a file's name is complete; otherwise the module's name is put in front. */
static bool add_doubt(struct doubts *doubts, struct arena *arena, const struct symbol_place *place)
{
	bool is_named = place->remark[0] == '\'';
	struct arena_mark before = arena_mark(arena);
	const char *text = arena_format(arena, "a place has no name: %s%s%s%s", is_named ? "" : "'",
		is_named ? "" : place->module, is_named ? "" : "': ", place->remark);
	uint32_t i = 0;

	if (!text)
		return false;
	while (i < doubts->count && strcmp(doubts->notes[i].text, text) != 0)
		i++;
	if (i < doubts->nr_room && i == doubts->count) {
		doubts->notes[doubts->count++] =
			(struct ct_note){.text = text, .count = 1, .offset = CT_NO_OFFSET};
		return true;
	}
	arena_reset(arena, before);
	if (i >= doubts->nr_own && i < doubts->count)
		doubts->notes[i].count++;
	return true;
}

/* Samples are often in code that the kernel lends to all programs, and that is in no file. */
static bool is_of_kernel(const struct symbol_place *place)
{
	return strcmp(place->module, "[vdso]") == 0;
}

static enum ct_status fill_sites(struct symbol_resolver *resolver, const struct ct_tables *tables,
	struct ct_site *sites, struct arena *arena, struct doubts *doubts, struct ct_error *reterr)
{
	struct symbol_place place;
	enum ct_status status;
	bool is_caller;
	uint32_t i;

	for (i = 1; i < tables->nr_sites; i++) {
		if (!is_nameless(&sites[i]))
			continue;
		status = symbol_resolve(resolver, tables->mappings + 1, tables->nr_mappings - 1,
			sites[i].process, sites[i].address, sites[i].kind, &place, reterr);
		if (status)
			return status;
		is_caller = sites[i].kind == CTP_SITE_CALLER;
		if (place.extent != SYMBOL_NOTHING &&
			!(is_caller ? take_module : take_place)(arena, &sites[i], &place))
			return ct_fail_memory(reterr);
		if (!is_caller && place.extent == SYMBOL_MODULE && !is_of_kernel(&place) &&
			!add_doubt(doubts, arena, &place))
			return ct_fail_memory(reterr);
	}
	return CT_OK;
}

/* Compilers write a name as they found it, so one file can have several names. */
static bool tidy_path(struct arena *arena, struct ct_site *site)
{
	char *path;

	if (path_is_tidy(site->file))
		return true;
	path = arena_text(arena, site->file, strlen(site->file));
	if (path)
		path_tidy(path);
	site->file = path;
	return path != NULL;
}

static bool has_untidy_paths(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 1; i < tables->nr_sites; i++) {
		if (!path_is_tidy(tables->sites[i].file))
			return true;
	}
	return false;
}

/* Copies the source's tables, with sites that may be changed, into the arena; NULL: no memory. */
static struct ct_tables *copy_with_sites(
	const struct ct_source *source, struct arena *arena, struct ct_site **ret_sites)
{
	struct ct_tables *tables = arena_alloc(arena, sizeof(*tables));
	struct ct_site *sites = arena_array(arena, source->tables->nr_sites, sizeof(*sites));

	if (!tables || !sites)
		return NULL;
	*tables = *source->tables;
	memcpy(sites, tables->sites, tables->nr_sites * sizeof(*sites));
	tables->sites = sites;
	*ret_sites = sites;
	return tables;
}

enum ct_status naming_tidy_paths(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr)
{
	struct ct_tables *tables;
	struct ct_site *sites;
	uint32_t i;

	if (!has_untidy_paths(source->tables))
		return CT_OK;
	tables = copy_with_sites(source, arena, &sites);
	if (!tables)
		return ct_fail_memory(reterr);
	for (i = 1; i < tables->nr_sites; i++) {
		if (!tidy_path(arena, &sites[i]))
			return ct_fail_memory(reterr);
	}
	source->tables = tables;
	return CT_OK;
}

static bool has_nameless_sites(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 1; i < tables->nr_sites; i++) {
		if (is_nameless(&tables->sites[i]))
			return true;
	}
	return false;
}

enum ct_status naming_fill_tables(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr)
{
	struct ct_tables *tables;
	struct symbol_resolver *resolver;
	struct doubts doubts = {
		.nr_own = source->tables->nr_notes, .count = source->tables->nr_notes};
	struct ct_site *sites;
	enum ct_status status;

	if (!has_nameless_sites(source->tables) || source->tables->nr_mappings < 2)
		return CT_OK;
	tables = copy_with_sites(source, arena, &sites);
	doubts.nr_room = doubts.count + DOUBTS_MAX;
	doubts.notes = arena_array(arena, doubts.nr_room, sizeof(*doubts.notes));
	resolver = symbol_new();
	if (!tables || !doubts.notes || !resolver) {
		symbol_free(resolver);
		return ct_fail_memory(reterr);
	}
	if (doubts.count)
		memcpy(doubts.notes, tables->notes, doubts.count * sizeof(*doubts.notes));
	status = fill_sites(resolver, tables, sites, arena, &doubts, reterr);
	tables->notes = doubts.notes;
	tables->nr_notes = doubts.count;
	symbol_free(resolver);
	if (status == CT_OK)
		source->tables = tables;
	return status;
}
