/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses, while recording and while reading.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/creator.h"
#include "base/failure.h"
#include "session/naming.h"
#include "kernel/procfs.h"
#include "symbol/symbol.h"
#include "base/text.h"
#include "base/vec.h"

#define FILES_KEPT 64u       /* others are found by their paths, or not */
#define CALLERS_BYTES 16384u /* of one site; the one that exceeds it is the last one */

/* ------------------------------------------------------------------ build ids */

/* Where a process finds its files. */
struct naming_process {
	uint32_t process;
	pid_t pid;
	int root; /* see symbol.h */
};

/* A piece of code as it was when it was told: the file may be another one by the time that names are looked for. */
struct naming_code {
	uint32_t process;
	uint64_t start;
	char build_id[SYMBOL_BUILD_ID_SIZE];
};

/*
 * A file that holds code, kept open: when names are looked for its path may be gone (a folder of a build, a mount of a
 * container), or lead to another one.
 */
struct naming_file {
	char *path;
	char build_id[SYMBOL_BUILD_ID_SIZE];
	int descriptor;
};

struct naming_sink {
	struct ct_sink sink;
	struct ct_sink *inner;
	VEC(struct naming_file) files;
	VEC(struct naming_process) processes;
	VEC(struct naming_code) codes; /* in the order of the collector's mappings */
};

static struct ct_sink *inner_of(struct ct_sink *sink)
{
	return ((struct naming_sink *)sink)->inner;
}

static enum ct_status naming_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	return sink_put(inner_of(sink), batch, reterr);
}

static struct naming_process *find_process(struct naming_sink *naming, uint32_t process)
{
	size_t i;

	for (i = 0; i < naming->processes.count; i++)
		if (naming->processes.at[i].process == process)
			return &naming->processes.at[i];
	return NULL;
}

static bool note_process(struct naming_sink *naming, const struct ct_define_process *process)
{
	struct naming_process own = {process->process, (pid_t)process->pid, SYMBOL_OUR_ROOT};

	return process->pid == 0 || process->pid > INT32_MAX ||
	       find_process(naming, process->process) || vec_push(&naming->processes, own);
}

/*
 * A process may enter its container at any time, so it is asked for whenever code of it is told. The root is kept open:
 * once the process has ended there is no other way to its files.
 */
static int root_of(struct naming_sink *naming, uint32_t process)
{
	struct naming_process *own = find_process(naming, process);

	if (!own)
		return SYMBOL_OUR_ROOT;
	if (own->root != SYMBOL_OUR_ROOT || procfs_has_our_root(own->pid))
		return own->root;
	own->root = procfs_open_root(own->pid);
	if (own->root < 0)
		own->root = SYMBOL_NO_ROOT;
	return own->root;
}

bool naming_see_roots(const struct ct_sink *sink, struct symbol_resolver *resolver)
{
	const struct naming_sink *naming = (const struct naming_sink *)sink;
	size_t i;

	for (i = 0; i < naming->processes.count; i++) {
		const struct naming_process *own = &naming->processes.at[i];

		if (own->root != SYMBOL_OUR_ROOT &&
			!symbol_see_root(resolver, own->process, own->root))
			return false;
	}
	for (i = 0; i < naming->files.count; i++) {
		const struct naming_file *file = &naming->files.at[i];

		if (!symbol_see_file(resolver, file->path, file->build_id, file->descriptor))
			return false;
	}
	return true;
}

static bool is_kept(const struct naming_sink *naming, const struct ct_define_mapping *mapping)
{
	size_t i;

	for (i = 0; i < naming->files.count; i++)
		if (strcmp(naming->files.at[i].path, mapping->path) == 0 &&
			strcmp(naming->files.at[i].build_id, mapping->build_id) == 0)
			return true;
	return false;
}

/* Where it cannot be kept it may still be found by its path. */
static void keep_file(struct naming_sink *naming, const struct ct_define_mapping *mapping)
{
	struct naming_file file = {.descriptor = -1};

	if (!mapping->path || mapping->path[0] != '/' || !mapping->build_id ||
		naming->files.count >= FILES_KEPT || is_kept(naming, mapping))
		return;
	snprintf(file.build_id, sizeof(file.build_id), "%s", mapping->build_id);
	file.descriptor = symbol_open_file(root_of(naming, mapping->process), mapping->path);
	if (file.descriptor < 0)
		return;
	file.path = strdup(mapping->path);
	if (file.path && vec_push(&naming->files, file))
		return;
	free(file.path);
	close(file.descriptor);
}

static bool note_code(struct naming_sink *naming, const struct ct_define_mapping *mapping)
{
	struct naming_code code = {.process = mapping->process, .start = mapping->start};

	if (mapping->build_id)
		snprintf(code.build_id, sizeof(code.build_id), "%s", mapping->build_id);
	return vec_push(&naming->codes, code);
}

static enum ct_status define_mapping(
	struct naming_sink *naming, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct ct_definition named = *definition;
	char build_id[SYMBOL_BUILD_ID_SIZE];

	if (named.mapping.path && (!named.mapping.build_id || !named.mapping.build_id[0]) &&
		symbol_build_id(
			root_of(naming, named.mapping.process), named.mapping.path, build_id))
		named.mapping.build_id = build_id;
	if (!note_code(naming, &named.mapping))
		return ct_fail_memory(reterr);
	keep_file(naming, &named.mapping);
	return sink_define(naming->inner, &named, reterr);
}

static enum ct_status naming_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct naming_sink *naming = (struct naming_sink *)sink;

	if (definition->type == CT_DEFINE_MAPPING)
		return define_mapping(naming, definition, reterr);
	if (definition->type == CT_DEFINE_PROCESS && !note_process(naming, &definition->process))
		return ct_fail_memory(reterr);
	return sink_define(naming->inner, definition, reterr);
}

static enum ct_status naming_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	return sink_flush(inner_of(sink), reterr);
}

static enum ct_status naming_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	enum ct_status status = sink_close(inner_of(sink), is_wanted, reterr);
	struct naming_sink *naming = (struct naming_sink *)sink;
	size_t i;

	for (i = 0; i < naming->processes.count; i++)
		if (naming->processes.at[i].root >= 0)
			close(naming->processes.at[i].root);
	for (i = 0; i < naming->files.count; i++) {
		close(naming->files.at[i].descriptor);
		free(naming->files.at[i].path);
	}
	vec_fini(&naming->files);
	vec_fini(&naming->processes);
	vec_fini(&naming->codes);
	free(sink);
	return status;
}

enum ct_status naming_sink_open(
	struct ct_sink *inner, struct ct_sink **ret_sink, struct ct_error *reterr)
{
	static const struct ct_sink_ops ops = {
		.put = naming_put,
		.define = naming_define,
		.flush = naming_flush,
		.close = naming_close,
	};
	struct naming_sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return ct_fail_memory(reterr);
	sink->sink.ops = &ops;
	sink->inner = inner;
	*ret_sink = &sink->sink;
	return CT_OK;
}

/* ------------------------------------------------------------- while recording */

static const char *keep(struct arena *arena, const char *text)
{
	return text ? arena_text(arena, text, strlen(text)) : "";
}

static const char *build_id_of(
	const struct naming_sink *naming, size_t index, const struct ct_define_mapping *mapping)
{
	const struct naming_code *code;

	if (index >= naming->codes.count)
		return mapping->build_id;
	code = &naming->codes.at[index];
	return code->process == mapping->process && code->start == mapping->start
		       ? code->build_id
		       : mapping->build_id;
}

struct ct_mapping *naming_copy_mappings(const struct collect *collect, const struct ct_sink *sink,
	struct arena *arena, uint32_t *ret_count)
{
	const struct naming_sink *naming = (const struct naming_sink *)sink;
	size_t count, i;
	const struct ct_define_mapping *mappings = collect_mappings(collect, &count);
	struct ct_mapping *copies = arena_array(arena, count, sizeof(*copies));

	for (i = 0; copies && i < count; i++) {
		copies[i] = (struct ct_mapping){
			.process = mappings[i].process,
			.start = mappings[i].start,
			.end = mappings[i].end,
			.offset = mappings[i].offset,
			.path = keep(arena, mappings[i].path),
			.build_id = keep(arena, build_id_of(naming, i, &mappings[i])),
		};
		if (!copies[i].path || !copies[i].build_id)
			return NULL;
	}
	*ret_count = (uint32_t)count;
	return copies;
}

/* No part of a line may end it, nor one of its words. */
static void add_word(struct text *text, const char *word, char end)
{
	for (; *word; word++)
		text_char(text, *word == '\t' || *word == '\n' ? ' ' : *word);
	text_char(text, end);
}

/* As struct ct_site has them. Names can be long: those that are too many are left out. */
static void add_callers(struct text *text, const struct symbol_place *place)
{
	uint32_t i;

	for (i = 0; i < place->nr_callers && text->length < CALLERS_BYTES; i++) {
		add_word(text, place->callers[i].function, '\t');
		add_word(text, place->callers[i].file, '\t');
		text_format(text, "%" PRIu32 "\n", place->callers[i].line);
	}
}

enum ct_status naming_define_site(struct ct_sink *sink, const struct collect_site *site,
	const struct symbol_place *place, struct ct_error *reterr)
{
	struct ct_definition definition = {
		.type = CT_DEFINE_SITE,
		.site =
			{
				.segment = site->segment,
				.id = site->id,
				.kind = site->kind,
				.line = place->line,
				.column = place->column,
				.file = place->file,
				.function = place->function,
				.reason = "",
				.module = place->module,
				.address = site->address,
				.module_offset = place->module_offset,
			},
	};
	struct text callers = {0};
	enum ct_status status;

	add_callers(&callers, place);
	definition.site.callers = text_peek(&callers);
	status = text_status(&callers, reterr);
	if (status == CT_OK)
		status = sink_define(sink, &definition, reterr);
	text_fini(&callers);
	return status;
}

enum ct_status naming_resolve_site(struct symbol_resolver *resolver,
	const struct ct_mapping *mappings, uint32_t nr_mappings, const struct collect_site *site,
	struct symbol_place *ret_place, struct ct_error *reterr)
{
	if (site->kind == CTP_SITE_CALLER && site->inside)
		return creator_resolve(resolver, mappings, nr_mappings, site, ret_place, reterr);
	return symbol_resolve(resolver, mappings, nr_mappings, site->process, site->address,
		site->kind, ret_place, reterr);
}

/* --------------------------------------------------------------- while reading */

#define DOUBTS_MAX 16u /* reasons that are told */

static bool is_nameless(const struct ct_site *site)
{
	/* The file keeps one of a caller's two addresses, which alone may name the wrong place. */
	return site->address != 0 && site->function[0] == '\0' && site->kind != CTP_SITE_CALLER;
}

/* The resolver's texts end with it; the tables live longer. */
static bool take_place(struct arena *arena, struct ct_site *site, const struct symbol_place *place)
{
	struct text callers = {0};

	site->line = place->line;
	site->column = place->column;
	site->module_offset = place->module_offset;
	site->file = keep(arena, place->file);
	site->function = keep(arena, place->function);
	site->module = keep(arena, place->module);
	add_callers(&callers, place);
	site->callers = callers.is_broken ? NULL : keep(arena, text_peek(&callers));
	text_fini(&callers);
	return site->file && site->function && site->module && site->callers;
}

/* Why places have no names, each reason once, behind the notes that the trace has itself. */
struct doubts {
	struct ct_note *notes;
	uint32_t
		nr_own; /* that the trace has itself: they tell of the same places, if they say the same */
	uint32_t count;
	uint32_t nr_room;
};

/* The reason names its file where that is what is wrong; where it only lacks something it is named here. */
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

static enum ct_status fill_sites(struct symbol_resolver *resolver, const struct ct_tables *tables,
	struct ct_site *sites, struct arena *arena, struct doubts *doubts, struct ct_error *reterr)
{
	struct symbol_place place;
	enum ct_status status;
	uint32_t i;

	for (i = 1; i < tables->nr_sites; i++) {
		if (!is_nameless(&sites[i]))
			continue;
		status = symbol_resolve(resolver, tables->mappings + 1, tables->nr_mappings - 1,
			sites[i].process, sites[i].address, sites[i].kind, &place, reterr);
		if (status)
			return status;
		if (place.extent != SYMBOL_NOTHING && !take_place(arena, &sites[i], &place))
			return ct_fail_memory(reterr);
		if (place.extent == SYMBOL_MODULE && !add_doubt(doubts, arena, &place))
			return ct_fail_memory(reterr);
	}
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
	tables = arena_alloc(arena, sizeof(*tables));
	sites = arena_array(arena, source->tables->nr_sites, sizeof(*sites));
	doubts.nr_room = doubts.count + DOUBTS_MAX;
	doubts.notes = arena_array(arena, doubts.nr_room, sizeof(*doubts.notes));
	resolver = symbol_new();
	if (!tables || !sites || !doubts.notes || !resolver) {
		symbol_free(resolver);
		return ct_fail_memory(reterr);
	}
	*tables = *source->tables;
	memcpy(sites, tables->sites, tables->nr_sites * sizeof(*sites));
	tables->sites = sites;
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
