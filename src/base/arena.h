/* SPDX-License-Identifier: MIT */
/*
 * An arena: memory that is allocated piece by piece and freed at once.
 *
 * Pieces are zeroed and aligned to 16 bytes. A piece lives until arena_fini, or until arena_reset to an earlier mark.
 * Not thread-safe. A failed allocation returns NULL; callers return CT_ERR_NO_MEMORY then.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *block; /* the newest block, which links to the older ones */
	size_t used;               /* used bytes of the newest block */
	size_t total_bytes;        /* allocated from the heap, all blocks together */
};

/* A position to which an arena can be reset. */
struct arena_mark {
	struct arena_block *block;
	size_t used;
};

/* arena_init: makes an empty arena, which takes no memory yet. */
void arena_init(struct arena *arena);

/* arena_fini: frees everything; the arena is empty again. */
void arena_fini(struct arena *arena);

/* arena_alloc: returns `bytes` zeroed bytes, or NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* arena_array: returns `count` zeroed elements of `size` bytes, or NULL (also if the product overflows). */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* arena_text: returns a NUL-terminated copy of `bytes` bytes, or NULL. */
char *arena_text(struct arena *arena, const char *text, size_t bytes);

/* arena_format: prints into the arena as printf does, or returns NULL; arena_format_list: does the same as vprintf. */
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_format_list(struct arena *arena, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* arena_mark, arena_reset: return a mark, and free everything that was allocated after the mark. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_reset(struct arena *arena, struct arena_mark mark);

#endif
