/* SPDX-License-Identifier: MIT */
/*
 * The resolver (symbol.h) goes from an address to a mapping, from the mapping to a file, and from the file to its
 * symbols.
 *
 * Files are opened once and kept open, answers are cached, and all texts are in one arena. A file is read only if its
 * build id is the recorded one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbol/debug_info.h"
#include "symbol/elf_file.h"
#include "base/map.h"
#include "symbol/symbol.h"
#include "base/vec.h"

/* A file as a trace names it: path and build id. */
struct module {
	const char *path;
	const char *build_id;
	int root;
	/* the root below which it was found: `root`, or that of a file kept open */
	int opened_root;
	const char *opened_path;
	bool is_usable; /* the file exists and is the recorded one */
	bool has_debug_been_sought;
	struct elf_file file;
	struct debug_info *debug;
	const char *remark; /* why it cannot be used, or has no more information */
	struct map answers; /* address and kind, to an index in `places` */
};

struct seen_root {
	uint32_t process;
	int root;
};

struct seen_file {
	const char *path;
	const char *build_id;
	int descriptor;
};

struct symbol_resolver {
	struct arena arena;
	VEC(struct seen_file) files;
	VEC(struct seen_root) roots; /* of processes whose root differs from ours */
	VEC(struct module) modules;
	VEC(struct symbol_place) places;
};

/* ------------------------------------------------------------ life */

struct symbol_resolver *symbol_new(void)
{
	struct symbol_resolver *resolver = calloc(1, sizeof(*resolver));

	if (resolver)
		arena_init(&resolver->arena);
	return resolver;
}

void symbol_free(struct symbol_resolver *resolver)
{
	size_t i;

	if (!resolver)
		return;
	for (i = 0; i < resolver->modules.count; i++) {
		symbol_debug_info_close(resolver->modules.at[i].debug);
		map_fini(&resolver->modules.at[i].answers);
	}
	vec_fini(&resolver->roots);
	vec_fini(&resolver->files);
	vec_fini(&resolver->modules);
	vec_fini(&resolver->places);
	arena_fini(&resolver->arena);
	free(resolver);
}

/* ------------------------------------------------------------ modules */

/* NULL: out of memory. A remark is one sentence without its full stop. */
static const char *unusable_remark(
	struct symbol_resolver *resolver, const struct module *module, enum ct_status status)
{
	if (module->path[0] != '/')
		return "this code is in no file";
	if (status == CT_ERR_FORMAT)
		return arena_format(&resolver->arena, "'%s' is no ELF file", module->path);
	if (status)
		return arena_format(&resolver->arena, "'%s' cannot be read now", module->path);
	return arena_format(&resolver->arena,
		"'%s' has changed since the recording: it has another build id", module->path);
}

static bool is_as_recorded(const struct module *module)
{
	/* If no build id was recorded, the path alone must do. */
	return module->build_id[0] == '\0' || strcmp(module->build_id, module->file.build_id) == 0;
}

static enum ct_status try_file(struct module *module, int root, const char *path)
{
	enum ct_status status = symbol_elf_file_read(root, path, &module->file, NULL);

	module->opened_root = root;
	module->opened_path = path;
	module->is_usable = status == CT_OK && is_as_recorded(module);
	return status;
}

/* Tries a file that was kept open while the path still led to it. False: out of memory. */
static bool try_seen_file(struct symbol_resolver *resolver, struct module *module)
{
	const char *path;
	size_t i;

	for (i = 0; i < resolver->files.count && !module->is_usable; i++) {
		const struct seen_file *seen = &resolver->files.at[i];

		if (strcmp(seen->path, module->path) != 0 ||
			strcmp(seen->build_id, module->build_id) != 0)
			continue;
		path = arena_format(&resolver->arena, "/proc/self/fd/%d", seen->descriptor);
		if (!path)
			return false;
		try_file(module, SYMBOL_OUR_ROOT, path);
	}
	return true;
}

static bool module_open(struct symbol_resolver *resolver, struct module *module)
{
	enum ct_status status = CT_ERR_NOT_FOUND;

	if (module->path[0] == '/')
		status = try_file(module, module->root, module->path);
	if (!module->is_usable && !try_seen_file(resolver, module))
		return false;
	module->remark = "";
	if (!module->is_usable)
		module->remark = unusable_remark(resolver, module, status);
	return module->remark != NULL;
}

bool symbol_see_file(
	struct symbol_resolver *resolver, const char *path, const char *build_id, int descriptor)
{
	struct seen_file seen = {
		.path = arena_text(&resolver->arena, path, strlen(path)),
		.build_id = arena_text(&resolver->arena, build_id, strlen(build_id)),
		.descriptor = descriptor,
	};

	return seen.path && seen.build_id && vec_push(&resolver->files, seen);
}

bool symbol_see_root(struct symbol_resolver *resolver, uint32_t process, int root)
{
	return vec_push(&resolver->roots, ((struct seen_root){process, root}));
}

static int root_of(const struct symbol_resolver *resolver, uint32_t process)
{
	size_t i;

	for (i = 0; i < resolver->roots.count; i++)
		if (resolver->roots.at[i].process == process)
			return resolver->roots.at[i].root;
	return SYMBOL_OUR_ROOT;
}

/* The module of a mapping, made when it is first needed; NULL: out of memory. */
static struct module *module_of(struct symbol_resolver *resolver, const struct ct_mapping *mapping)
{
	struct module fresh = {.root = root_of(resolver, mapping->process)};
	size_t i;

	for (i = 0; i < resolver->modules.count; i++) {
		struct module *module = &resolver->modules.at[i];

		if (module->root == fresh.root && strcmp(module->path, mapping->path) == 0 &&
			strcmp(module->build_id, mapping->build_id) == 0)
			return module;
	}
	fresh.path = arena_text(&resolver->arena, mapping->path, strlen(mapping->path));
	fresh.build_id = arena_text(&resolver->arena, mapping->build_id, strlen(mapping->build_id));
	if (!fresh.path || !fresh.build_id || !module_open(resolver, &fresh) ||
		!vec_push(&resolver->modules, fresh))
		return NULL;
	return &resolver->modules.at[resolver->modules.count - 1];
}

/* ------------------------------------------------------------ places */

static const struct symbol_place nothing = {
	.module = "",
	.function = "",
	.file = "",
	.remark = "no mapping that was recorded holds this address",
};

static bool ask_debug(struct symbol_resolver *resolver, struct module *module, uint64_t looked_up,
	bool is_entry, struct symbol_place *place)
{
	if (!module->has_debug_been_sought) {
		module->debug = symbol_debug_info_open(
			module->opened_root, module->opened_path, &module->remark);
		module->has_debug_been_sought = true;
		place->remark = module->remark;
	}
	return !module->debug ||
	       symbol_debug_info_find(module->debug, &resolver->arena, looked_up, is_entry, place);
}

/* `before`: the distance from the address back to the instruction that is looked up. */
static bool ask_module(struct symbol_resolver *resolver, struct module *module, uint64_t offset,
	uint32_t kind, struct symbol_place *place)
{
	uint64_t before = kind == CTP_SITE_ADDRESS ? 1 : 0;
	uint64_t looked_up;

	*place = nothing;
	place->extent = SYMBOL_MODULE;
	place->module = module->path;
	place->module_offset = offset;
	place->remark = module->remark;
	if (!module->is_usable ||
		!symbol_elf_file_address(&module->file, offset - before, &looked_up))
		return true;
	place->module_offset = looked_up + before;
	return ask_debug(resolver, module, looked_up, kind == CTP_SITE_FUNCTION, place);
}

/* Returns the cached answer, or a new one, which is cached; false: out of memory. */
static bool find_place(struct symbol_resolver *resolver, struct module *module, uint64_t offset,
	uint32_t kind, struct symbol_place *ret_place)
{
	uint64_t key = offset << 3 | (kind & 7);
	uint32_t index;

	if (map_get(&module->answers, key, &index)) {
		*ret_place = resolver->places.at[index];
		return true;
	}
	index = (uint32_t)resolver->places.count;
	return ask_module(resolver, module, offset, kind, ret_place) &&
	       vec_push(&resolver->places, *ret_place) && map_put(&module->answers, key, index);
}

static const struct ct_mapping *find_mapping(
	const struct ct_mapping *mappings, uint32_t nr_mappings, uint32_t process, uint64_t address)
{
	uint32_t i;

	for (i = nr_mappings; i > 0; i--) {
		const struct ct_mapping *mapping = &mappings[i - 1];

		if (mapping->process == process && address >= mapping->start &&
			address < mapping->end)
			return mapping;
	}
	return NULL;
}

enum ct_status symbol_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, uint32_t process, uint64_t address, uint32_t kind,
	struct symbol_place *ret_place, struct ct_error *reterr)
{
	/* A call can be the last instruction of a mapping; then its return address lies behind the mapping. */
	uint64_t inside = kind == CTP_SITE_ADDRESS && address > 0 ? address - 1 : address;
	const struct ct_mapping *mapping = find_mapping(mappings, nr_mappings, process, inside);
	struct module *module;

	*ret_place = nothing;
	if (!mapping)
		return CT_OK;
	module = module_of(resolver, mapping);
	if (!module || !find_place(resolver, module, address - mapping->start + mapping->offset,
			       kind, ret_place))
		return ct_fail_memory(reterr);
	return CT_OK;
}
