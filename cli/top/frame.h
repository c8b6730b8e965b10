/* SPDX-License-Identifier: MIT */
/*
 * A frame: the picture for a terminal, as characters with styles. Everything is drawn into a frame, so drawing can be
 * tested without a terminal. One thread uses a frame.
 */
#ifndef CLI_TOP_FRAME_H
#define CLI_TOP_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum top_style {
	TOP_PLAIN,
	TOP_FAINT,
	TOP_STRONG,
	TOP_HEADING,
	TOP_GOOD,
	TOP_BAD,      /* proven; lost events */
	TOP_DOUBTFUL, /* likely */
	TOP_RUNNING,  /* a coroutine or worker that runs */
	TOP_READY,    /* a ready coroutine; a worker that schedules */
	TOP_WAITING,  /* a waiting coroutine; an idle worker */
	TOP_BLOCKED,  /* a coroutine or worker in a system call */
	TOP_NR_STYLES,
	TOP_REVERSED = 0x40, /* combined with another style: the selected line */
};

struct top_cell {
	uint32_t character; /* 0: the character before is two columns wide */
	uint8_t style;
};

struct top_frame {
	uint32_t width;
	uint32_t height;
	/* all characters may be drawn; else a character outside ASCII becomes '?' */
	bool has_unicode;
	struct top_cell *cells;
};

/* top_frame_init: makes a blank frame. False: out of memory. top_frame_fini: a zeroed frame is allowed. */
bool top_frame_init(struct top_frame *frame, uint32_t width, uint32_t height, bool has_unicode);
void top_frame_fini(struct top_frame *frame);

/* top_frame_clear: makes the frame blank again. */
void top_frame_clear(struct top_frame *frame);

/*
 * top_frame_text: draws a text in UTF-8 on a line, from a column on, in at most `width` columns; if it does not fit,
 * its last column shows that. Control characters become '?'. Returns the column behind the text. Everything outside the
 * frame is ignored.
 */
uint32_t top_frame_text(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t width,
	unsigned style, const char *text);

/* top_frame_right: draws a text aligned to the right end of these columns. */
void top_frame_right(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t width,
	unsigned style, const char *text);

/*
 * top_frame_repeat: draws one character `times` times, or the ASCII character if only ASCII may be drawn; returns the
 * column behind.
 */
uint32_t top_frame_repeat(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t times,
	unsigned style, uint32_t character, char ascii);

/* top_frame_reverse: shows a whole line reversed. */
void top_frame_reverse(struct top_frame *frame, uint32_t line);

/* top_text_width: the width of a text in columns. */
uint32_t top_text_width(const char *text, bool has_unicode);

/*
 * top_text_fit: how many bytes of a text fit into this many columns; if not all do, the text is cut at the last blank,
 * if there is one. *ret_next: where the next line begins.
 */
size_t top_text_fit(const char *text, uint32_t width, bool has_unicode, const char **ret_next);

#endif
