/* SPDX-License-Identifier: MIT */
/*
 * An arena: memory that is given out piece by piece and given back at once.
 *
 * Pieces are zeroed and aligned to 16 bytes. A piece lives until arena_fini or arena_reset to a
 * mark before it. Not thread-safe. A failed allocation returns NULL; callers pass that on as
 * CT_ERR_NO_MEMORY.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *block; /* the newest; older ones hang behind it */
	size_t used;               /* bytes of the newest block */
	size_t total_bytes;        /* taken from the heap, all blocks together */
};

/* A position to go back to. */
struct arena_mark {
	struct arena_block *block;
	size_t used;
};

/* arena_init: an empty arena; takes no memory yet. */
void arena_init(struct arena *arena);

/* arena_fini: gives everything back; the arena is empty again. */
void arena_fini(struct arena *arena);

/* arena_alloc: `bytes` zeroed bytes, or NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* arena_array: `count` zeroed elements of `size` bytes, or NULL (also where the product overflows).
 */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* arena_text: a NUL-terminated copy of `bytes` bytes, or NULL. */
char *arena_text(struct arena *arena, const char *text, size_t bytes);

/* arena_format: printf into the arena, or NULL; arena_format_list: vprintf. */
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_format_list(struct arena *arena, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* arena_mark, arena_reset: everything allocated after the mark is given back. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_reset(struct arena *arena, struct arena_mark mark);

#endif
