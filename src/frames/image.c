/* SPDX-License-Identifier: MIT */
/* What both kinds of image have in common (image.h). */
#include <elf.h>

#include "frames/image.h"
#include "symbol/elf_file.h"

void image_init(struct image *image, const struct image_ops *ops)
{
	image->ops = ops;
	image->root = -1;
	image->program = image->command_line = "";
	arena_init(&image->arena);
}

void image_close(struct image *image)
{
	if (!image)
		return;
	vec_fini(&image->regions);
	vec_fini(&image->threads);
	vec_fini(&image->held);
	arena_fini(&image->arena);
	image->ops->close(image);
}

bool image_add_region(struct image *image, const struct image_region *region)
{
	size_t count = image->regions.count;

	/* Regions of a hostile file may overlap: the first one has the address. */
	if (region->start >= region->end ||
		(count > 0 && region->start < image->regions.at[count - 1].end))
		return true;
	return vec_push(&image->regions, *region);
}

const struct image_region *image_region_of(const struct image *image, uint64_t address)
{
	size_t nr = vec_count_while(image->regions.count, i, image->regions.at[i].start <= address);

	if (nr == 0 || address >= image->regions.at[nr - 1].end)
		return NULL;
	return &image->regions.at[nr - 1];
}

bool image_is_code(const struct image *image, uint64_t address)
{
	const struct image_region *region = image_region_of(image, address);

	return region && region->is_code;
}

size_t image_read(const struct image *image, uint64_t address, void *bytes, size_t nr_bytes)
{
	const struct image_region *region = image_region_of(image, address);

	if (!region)
		return 0;
	if (nr_bytes > region->end - address)
		nr_bytes = (size_t)(region->end - address);
	return image->ops->read(image, region, address, bytes, nr_bytes);
}

bool image_read_word(const struct image *image, uint64_t address, uint64_t *ret_word)
{
	return image_read(image, address, ret_word, sizeof(*ret_word)) == sizeof(*ret_word);
}

/* ---------------------------------------------------------------- files */

#define NOTES_MAX_BYTES 8192

/* The build id of a file as it was mapped: its first page, with headers and notes, is in the image. "" if not. */
static void mapped_build_id(
	const struct image *image, uint64_t start, char ret_build_id[SYMBOL_BUILD_ID_SIZE])
{
	uint8_t notes[NOTES_MAX_BYTES];
	Elf64_Ehdr elf;
	Elf64_Phdr header;
	unsigned i;

	ret_build_id[0] = '\0';
	if (image_read(image, start, &elf, sizeof(elf)) != sizeof(elf) ||
		memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	for (i = 0; i < elf.e_phnum && i < ELF_PIECES_MAX && !ret_build_id[0]; i++) {
		if (image_read(image, start + elf.e_phoff + i * sizeof(header), &header,
			    sizeof(header)) != sizeof(header))
			return;
		if (header.p_type == PT_NOTE)
			symbol_elf_build_id_of_notes(notes,
				image_read(image, start + header.p_offset, notes,
					header.p_filesz < sizeof(notes) ? header.p_filesz
									: sizeof(notes)),
				ret_build_id);
	}
}

static const struct image_region *first_region_of(const struct image *image, const char *path)
{
	size_t i;

	for (i = 0; i < image->regions.count; i++)
		if (image->regions.at[i].offset == 0 &&
			strcmp(image->regions.at[i].path, path) == 0)
			return &image->regions.at[i];
	return NULL;
}

bool image_has_mapped(const struct image *image, const char *path, const char *build_id)
{
	const struct image_region *first = first_region_of(image, path);
	char mapped[SYMBOL_BUILD_ID_SIZE] = "";

	if (first)
		mapped_build_id(image, first->start, mapped);
	return !mapped[0] || !build_id[0] || strcmp(mapped, build_id) == 0;
}
