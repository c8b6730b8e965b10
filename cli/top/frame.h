/* SPDX-License-Identifier: MIT */
/*
 * A frame: what a terminal is to show, as characters in styles. Everything is drawn into one, so that drawing can be
 * looked at without a terminal. Used by one thread.
 */
#ifndef CLI_TOP_FRAME_H
#define CLI_TOP_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum top_style {
	TOP_PLAIN,
	TOP_FAINT,
	TOP_STRONG,
	TOP_HEADING,
	TOP_GOOD,
	TOP_BAD,      /* proven; lost events */
	TOP_DOUBTFUL, /* likely */
	TOP_RUNNING,  /* of coroutines, and of workers */
	TOP_READY,    /* and scheduling */
	TOP_WAITING,  /* and idle */
	TOP_BLOCKED,  /* in a system call */
	TOP_NR_STYLES,
	TOP_REVERSED = 0x40, /* together with one of the others: the selected line */
};

struct top_cell {
	uint32_t character; /* 0: the one before it is two columns wide */
	uint8_t style;
};

struct top_frame {
	uint32_t width;
	uint32_t height;
	bool has_unicode; /* may be drawn; else each other character becomes '?' */
	struct top_cell *cells;
};

/* top_frame_init: blank. False: out of memory. top_frame_fini: all zero is allowed. */
bool top_frame_init(struct top_frame *frame, uint32_t width, uint32_t height, bool has_unicode);
void top_frame_fini(struct top_frame *frame);

/* top_frame_clear: blank again. */
void top_frame_clear(struct top_frame *frame);

/*
 * top_frame_text: a text in UTF-8 on a line, from a column on, in at most `width` columns; where it does not fit, its
 * last column says so. Control characters become '?'. Returns the column behind it. What is beyond the frame is left
 * out.
 */
uint32_t top_frame_text(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t width,
	unsigned style, const char *text);

/* top_frame_right: the same, against the right end of these columns. */
void top_frame_right(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t width,
	unsigned style, const char *text);

/* top_frame_repeat: one character, or the other where only ASCII is drawn, so many times; returns the column behind. */
uint32_t top_frame_repeat(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t times,
	unsigned style, uint32_t character, char ascii);

/* top_frame_reverse: shows a whole line reversed. */
void top_frame_reverse(struct top_frame *frame, uint32_t line);

/* top_text_width: columns of a text. */
uint32_t top_text_width(const char *text, bool has_unicode);

/*
 * top_text_fit: how many bytes of a text fit into so many columns; where not all do, as far as the last blank if there
 * is one. *ret_next: where the next line begins.
 */
size_t top_text_fit(const char *text, uint32_t width, bool has_unicode, const char **ret_next);

#endif
