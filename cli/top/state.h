/* SPDX-License-Identifier: MIT */
/*
 * The state of `corotracer top`: which screen is shown, how it is sorted and filtered, which line is selected, and what
 * each key changes. Independent of terminal and trace. One thread uses it.
 */
#ifndef CLI_TOP_STATE_H
#define CLI_TOP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "top/screens.h"

#define TOP_FILTER_BYTES 120
#define TOP_HISTORY 32u

/* Keys that are not characters. */
enum top_key {
	TOP_KEY_ENTER = 0x110000, /* larger than all characters */
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

/* What the caller must do after a key. */
enum top_action {
	TOP_NOTHING,
	TOP_CHANGED, /* draw again */
	TOP_OPEN,    /* open the target of the selected line: top_state_open */
	/* draw the whole terminal again, because another program may have written to it */
	TOP_REPAINT,
	TOP_QUIT,
};

/* What a screen of text is about. */
struct top_subject {
	uint32_t process; /* of a coroutine */
	uint64_t id;      /* the id of a coroutine, or the number of a finding */
};

/* One screen and its scroll position. */
struct top_position {
	enum top_screen screen;
	struct top_subject subject;
	uint64_t selected; /* line */
	uint64_t first;    /* the first line shown */
};

struct top_sorting {
	uint32_t order; /* the screen's column by which it is sorted */
	bool is_descending;
	char filter[TOP_FILTER_BYTES];
};

struct top_state {
	struct top_position now;
	struct top_position history[TOP_HISTORY];
	uint32_t nr_history;
	struct top_position tables[TOP_NR_TABLES]; /* each as it was left */
	struct top_sorting sorting[TOP_NR_TABLES];
	bool is_paused;
	bool is_typing; /* the user is typing a filter */
	char typed[TOP_FILTER_BYTES];
};

/* The size of the present screen. */
struct top_extent {
	uint64_t nr_lines;
	uint32_t nr_visible;
	/* of the terminal: columns that do not fit cannot be sorted by; 0: all fit */
	uint32_t width;
};

/* top_state_init: shows the findings; each screen is sorted as screens.def says. */
void top_state_init(struct top_state *state);

/* top_state_key: handles a key, or a character (in Unicode). */
enum top_action top_state_key(
	struct top_state *state, uint32_t key, const struct top_extent *extent);

/* top_state_select: handles a click on a line: selects it, or opens it if it was already selected. */
enum top_action top_state_select(
	struct top_state *state, uint64_t line, const struct top_extent *extent);

/* top_state_open: opens a screen of text; Escape leads back. */
void top_state_open(struct top_state *state, enum top_screen screen, struct top_subject subject);

/*
 * top_state_fit: must be called when the number of lines or the size has changed: makes sure that the selected line
 * exists and is visible.
 */
void top_state_fit(struct top_state *state, const struct top_extent *extent);

#endif
