/* SPDX-License-Identifier: MIT */
/* What both kinds of image have in common (image.h). */
#include "frames/image.h"

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
