/* SPDX-License-Identifier: MIT */
/* Opens the files that a program has mapped (modules.h). */
#include <string.h>

#include "frames/modules.h"
#include "symbol/elf_file.h"

static const char *remark_of(
	const struct image *image, const struct elf_file *file, const char *path, bool is_readable)
{
	if (!is_readable)
		return "it cannot be read now";
	if (!image_has_mapped(image, path, file->build_id))
		return "it is not the file that the program had mapped: its build id is another";
	return "";
}

/* A file that is mapped for its data only need not be there. */
static bool is_program_code(const struct image *image, const struct image_region *region)
{
	return region->is_code || strcmp(region->path, image->program) == 0 ||
	       strstr(region->path, ".so") != NULL;
}

static bool add_module(
	struct modules *modules, const struct image *image, const struct image_region *region)
{
	struct module module = {.path = region->path, .remark = ""};
	struct elf_file file;
	uint64_t address;
	enum ct_status status = symbol_elf_file_read(image->root, region->path, &file, NULL);

	if (status == CT_ERR_FORMAT || (status && !is_program_code(image, region)))
		return true;
	module.remark = remark_of(image, &file, region->path, status == CT_OK);
	if (!module.remark[0]) {
		/* A mapping begins at a page's border, which can lie before what the file's headers speak of. */
		if (!symbol_elf_file_address(&file, region->offset, &address))
			return true;
		module.bias = region->start - address;
		module.debug = symbol_debug_info_open(image->root, region->path, &module.remark);
	}
	if (vec_push(modules, module))
		return true;
	symbol_debug_info_close(module.debug);
	return false;
}

static bool is_added(const struct modules *modules, const char *path)
{
	size_t i;

	for (i = 0; i < modules->count; i++)
		if (strcmp(modules->at[i].path, path) == 0)
			return true;
	return false;
}

/* Core dumps that a debugger wrote leave out code that nothing changed: any mapping of a file counts. */
enum ct_status modules_open(
	struct modules *modules, const struct image *image, struct ct_error *reterr)
{
	size_t i;

	memset(modules, 0, sizeof(*modules));
	for (i = 0; i < image->regions.count; i++) {
		const struct image_region *region = &image->regions.at[i];

		if (region->path[0] == '/' && !is_added(modules, region->path) &&
			!add_module(modules, image, region))
			return ct_fail_memory(reterr);
	}
	return CT_OK;
}

void modules_close(struct modules *modules)
{
	size_t i;

	for (i = 0; i < modules->count; i++)
		symbol_debug_info_close(modules->at[i].debug);
	vec_fini(modules);
}
