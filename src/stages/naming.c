/* SPDX-License-Identifier: MIT */
/* On the way to the sink: adds build ids to code, and keeps the code's files open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"
#include "stages/naming.h"
#include "kernel/procfs.h"
#include "symbol/symbol.h"
#include "base/vec.h"

#define FILES_KEPT 64u /* further files are found by their paths, or not at all */

/* Where a process finds its files. */
struct naming_process {
	uint32_t process;
	pid_t pid;
	int root; /* see symbol.h */
};

/*
 * A file that contains code, kept open: when names are looked up, its path may be gone (a build folder, a container's
 * mount), or lead to another file.
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
	VEC(struct ct_mapping)
	mappings; /* with the build ids at the time of their definition: files change */
	struct arena texts;
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
 * Returns the root of a process's files. A process may enter its container at any time, so the root is asked for
 * whenever code of the process is defined. The root is kept open, because there is no other way to the files once the
 * process has ended.
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

/* Keeps the file open. A file that cannot be kept open may still be found by its path. */
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

static const char *keep(struct arena *arena, const char *text)
{
	return text ? arena_text(arena, text, strlen(text)) : "";
}

static bool keep_mapping(struct naming_sink *naming, const struct ct_define_mapping *mapping)
{
	const struct ct_mapping kept = {
		.process = mapping->process,
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
		.path = keep(&naming->texts, mapping->path),
		.build_id = keep(&naming->texts, mapping->build_id),
	};

	return kept.path && kept.build_id && vec_push(&naming->mappings, kept);
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
	if (!keep_mapping(naming, &named.mapping))
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
	vec_fini(&naming->mappings);
	arena_fini(&naming->texts);
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
	arena_init(&sink->texts);
	sink->sink.ops = &ops;
	sink->inner = inner;
	*ret_sink = &sink->sink;
	return CT_OK;
}

struct ct_mapping *naming_copy_mappings(
	const struct ct_sink *sink, struct arena *arena, uint32_t *ret_count)
{
	const struct naming_sink *naming = (const struct naming_sink *)sink;
	size_t count = naming->mappings.count, i;
	struct ct_mapping *copies = arena_array(arena, count, sizeof(*copies));

	for (i = 0; copies && i < count; i++) {
		copies[i] = naming->mappings.at[i];
		copies[i].path = keep(arena, copies[i].path);
		copies[i].build_id = keep(arena, copies[i].build_id);
		if (!copies[i].path || !copies[i].build_id)
			return NULL;
	}
	*ret_count = (uint32_t)count;
	return copies;
}
