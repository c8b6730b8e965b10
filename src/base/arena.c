/* SPDX-License-Identifier: MIT */
/*
 * An arena of growing blocks. The block size doubles up to 1 MiB, so that a small user takes little memory and a large
 * one makes few calls.
 */
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define ARENA_ALIGN 16u
#define ARENA_FIRST_BYTES 4096u
#define ARENA_LARGEST_BYTES (1u << 20)

struct arena_block {
	struct arena_block *older;
	size_t size; /* bytes of content */
	alignas(ARENA_ALIGN) unsigned char content[];
};

void arena_init(struct arena *arena)
{
	memset(arena, 0, sizeof(*arena));
}

static void drop_newest(struct arena *arena)
{
	struct arena_block *block = arena->block;

	arena->block = block->older;
	arena->total_bytes -= sizeof(*block) + block->size;
	free(block);
}

void arena_fini(struct arena *arena)
{
	while (arena->block)
		drop_newest(arena);
	arena->used = 0;
}

static size_t next_size(const struct arena *arena, size_t wanted)
{
	size_t size = arena->block ? arena->block->size * 2 : ARENA_FIRST_BYTES;

	if (size > ARENA_LARGEST_BYTES)
		size = ARENA_LARGEST_BYTES;
	return size < wanted ? wanted : size;
}

/*
 * A block for one large piece comes zeroed from calloc: the kernel then allocates most of its memory when it is
 * written.
 */
static bool add_block(struct arena *arena, size_t wanted)
{
	size_t size = next_size(arena, wanted);
	struct arena_block *block = wanted > ARENA_LARGEST_BYTES ? calloc(1, sizeof(*block) + size)
								 : malloc(sizeof(*block) + size);

	if (!block)
		return false;
	block->older = arena->block;
	block->size = size;
	arena->block = block;
	arena->used = 0;
	arena->total_bytes += sizeof(*block) + size;
	return true;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
	size_t rounded;
	bool is_zero = false;
	void *piece;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	rounded = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (!arena->block || arena->block->size - arena->used < rounded) {
		if (!add_block(arena, rounded))
			return NULL;
		is_zero = rounded > ARENA_LARGEST_BYTES;
	}
	piece = arena->block->content + arena->used;
	arena->used += rounded;
	return is_zero ? piece : memset(piece, 0, rounded);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return arena_alloc(arena, bytes);
}

char *arena_text(struct arena *arena, const char *text, size_t bytes)
{
	char *copy = bytes < SIZE_MAX ? arena_alloc(arena, bytes + 1) : NULL;

	if (copy && bytes)
		memcpy(copy, text, bytes);
	return copy;
}

char *arena_format_list(struct arena *arena, const char *format, va_list arguments)
{
	va_list again;
	char *text;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, arguments);
	return text;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = arena_format_list(arena, format, arguments);
	va_end(arguments);
	return text;
}

struct arena_mark arena_mark(const struct arena *arena)
{
	return (struct arena_mark){.block = arena->block, .used = arena->used};
}

void arena_reset(struct arena *arena, struct arena_mark mark)
{
	while (arena->block != mark.block)
		drop_newest(arena);
	arena->used = mark.used;
}
