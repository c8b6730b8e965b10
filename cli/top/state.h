/* SPDX-License-Identifier: MIT */
/*
 * The state of `corotracer top`: which screen is shown, how it is sorted and filtered, which line is selected, and what
 * each key makes of that. Neither a terminal nor a trace is known here. Used by one thread.
 */
#ifndef CLI_TOP_STATE_H
#define CLI_TOP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "top/screens.h"

#define TOP_FILTER_BYTES 120
#define TOP_HISTORY 32u

/* Keys that are no character. */
enum top_key {
	TOP_KEY_ENTER = 0x110000, /* behind all characters */
	TOP_KEY_ESCAPE,
	TOP_KEY_BACKSPACE,
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_REDRAW,
};

/* What the caller is to do about a key. */
enum top_action {
	TOP_NOTHING,
	TOP_CHANGED, /* draw anew */
	TOP_OPEN,    /* what the selected line leads to: top_state_open */
	TOP_REPAINT, /* the terminal as a whole, which another program may have written to */
	TOP_QUIT,
};

/* What a screen of text is about. */
struct top_subject {
	uint32_t process; /* of a coroutine */
	uint64_t id;      /* of a coroutine; or the number of a finding */
};

/* One screen, as far as it is scrolled. */
struct top_position {
	enum top_screen screen;
	struct top_subject subject;
	uint64_t selected; /* line */
	uint64_t first;    /* line shown */
};

struct top_sorting {
	uint32_t order; /* column of the screen */
	bool is_descending;
	char filter[TOP_FILTER_BYTES];
};

struct top_state {
	struct top_position now;
	struct top_position history[TOP_HISTORY];
	uint32_t nr_history;
	struct top_position tables[TOP_NR_TABLES]; /* as each was left */
	struct top_sorting sorting[TOP_NR_TABLES];
	bool is_paused;
	bool is_typing; /* a filter */
	char typed[TOP_FILTER_BYTES];
};

/* The lines of the present screen. */
struct top_extent {
	uint64_t nr_lines;
	uint32_t nr_visible;
	uint32_t
		width; /* columns of the terminal: those of a table that it has no room for are no order; 0: all are */
};

/* top_state_init: the findings, each screen sorted as screens.def says. */
void top_state_init(struct top_state *state);

/* top_state_key: a key, or a character (in Unicode). */
enum top_action top_state_key(
	struct top_state *state, uint32_t key, const struct top_extent *extent);

/* top_state_select: a line was pointed at: it is selected, or opened where it was already. */
enum top_action top_state_select(
	struct top_state *state, uint64_t line, const struct top_extent *extent);

/* top_state_open: a screen of text; Escape leads back. */
void top_state_open(struct top_state *state, enum top_screen screen, struct top_subject subject);

/* top_state_fit: lines have come or gone, or the size has changed: the selected line exists, and is in sight. */
void top_state_fit(struct top_state *state, const struct top_extent *extent);

#endif
