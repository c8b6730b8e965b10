/* SPDX-License-Identifier: MIT */
/*
 * What each key makes of the state.
 */
#include <string.h>

#include "top/state.h"

#define CONTROL(letter) ((letter)&0x1f)

void top_state_init(struct top_state *state)
{
	enum top_screen screen;

	*state = (struct top_state){.is_typing = false};
	for (screen = 0; screen < TOP_NR_TABLES; screen++) {
		const struct top_screen_description *described = top_screen_describe(screen);

		state->tables[screen].screen = screen;
		state->sorting[screen].order = described->order;
		state->sorting[screen].is_descending = described->is_descending;
	}
	state->now = state->tables[TOP_FINDINGS];
}

static bool is_table(const struct top_state *state)
{
	return state->now.screen < TOP_NR_TABLES;
}

/* ---------------------------------------------------------------- from screen to screen */

static void keep_position(struct top_state *state)
{
	if (is_table(state))
		state->tables[state->now.screen] = state->now;
}

static enum top_action show_table(struct top_state *state, enum top_screen screen)
{
	keep_position(state);
	state->nr_history = 0;
	state->now = state->tables[screen];
	return TOP_CHANGED;
}

void top_state_open(struct top_state *state, enum top_screen screen, struct top_subject subject)
{
	keep_position(state);
	if (state->nr_history == TOP_HISTORY) {
		memmove(state->history, state->history + 1,
			(TOP_HISTORY - 1) * sizeof(state->history[0]));
		state->nr_history--;
	}
	state->history[state->nr_history++] = state->now;
	state->now = (struct top_position){.screen = screen, .subject = subject};
}

static enum top_action go_back(struct top_state *state)
{
	struct top_sorting *sorting;

	if (state->nr_history) {
		state->now = state->history[--state->nr_history];
		return TOP_CHANGED;
	}
	if (!is_table(state))
		return show_table(state, TOP_FINDINGS);
	sorting = &state->sorting[state->now.screen];
	if (!sorting->filter[0])
		return TOP_NOTHING;
	sorting->filter[0] = '\0';
	return TOP_CHANGED;
}

static enum top_action show_neighbour(struct top_state *state, uint32_t distance)
{
	enum top_screen from = is_table(state) ? state->now.screen : TOP_FINDINGS;

	return show_table(state, (enum top_screen)((from + distance) % TOP_NR_TABLES));
}

static enum top_action show_by_key(struct top_state *state, uint32_t key)
{
	enum top_screen screen;

	for (screen = 0; screen < TOP_NR_TABLES; screen++)
		if (key == '1' + (uint32_t)screen ||
			key == (uint32_t)top_screen_describe(screen)->key)
			return show_table(state, screen);
	return TOP_NOTHING;
}

/* ---------------------------------------------------------------- lines */

void top_state_fit(struct top_state *state, const struct top_extent *extent)
{
	struct top_position *now = &state->now;

	if (now->selected >= extent->nr_lines)
		now->selected = extent->nr_lines ? extent->nr_lines - 1 : 0;
	if (now->first > now->selected)
		now->first = now->selected;
	if (extent->nr_visible && now->selected - now->first >= extent->nr_visible)
		now->first = now->selected - extent->nr_visible + 1;
	/* No empty lines are shown at the end while earlier lines are hidden. */
	if (now->first + extent->nr_visible > extent->nr_lines)
		now->first = extent->nr_lines > extent->nr_visible
				     ? extent->nr_lines - extent->nr_visible
				     : 0;
}

static enum top_action move(
	struct top_state *state, const struct top_extent *extent, bool is_down, uint64_t lines)
{
	struct top_position *now = &state->now;

	if (is_down)
		now->selected += lines < extent->nr_lines ? lines : extent->nr_lines;
	else
		now->selected -= lines < now->selected ? lines : now->selected;
	top_state_fit(state, extent);
	return TOP_CHANGED;
}

enum top_action top_state_select(
	struct top_state *state, uint64_t line, const struct top_extent *extent)
{
	if (line >= extent->nr_lines)
		return TOP_NOTHING;
	if (line == state->now.selected)
		return TOP_OPEN;
	state->now.selected = line;
	return TOP_CHANGED;
}

/* ---------------------------------------------------------------- sorting */

static bool is_shown(const struct top_column *column, const struct top_extent *extent)
{
	return extent->width == 0 || extent->width >= column->least;
}

static enum top_action sort_by_neighbour(
	struct top_state *state, const struct top_extent *extent, bool is_right)
{
	const struct top_screen_description *described;
	struct top_sorting *sorting;

	if (!is_table(state))
		return TOP_NOTHING;
	described = top_screen_describe(state->now.screen);
	sorting = &state->sorting[state->now.screen];
	do {
		sorting->order += is_right ? 1 : described->nr_columns - 1;
		sorting->order %= described->nr_columns;
	} while (!is_shown(&described->columns[sorting->order], extent));
	state->now.selected = state->now.first = 0;
	return TOP_CHANGED;
}

static enum top_action invert(struct top_state *state)
{
	if (!is_table(state))
		return TOP_NOTHING;
	state->sorting[state->now.screen].is_descending =
		!state->sorting[state->now.screen].is_descending;
	return TOP_CHANGED;
}

/* ---------------------------------------------------------------- the filter */

static enum top_action begin_typing(struct top_state *state)
{
	if (!is_table(state))
		return TOP_NOTHING;
	state->is_typing = true;
	memcpy(state->typed, state->sorting[state->now.screen].filter, sizeof(state->typed));
	return TOP_CHANGED;
}

static enum top_action end_typing(struct top_state *state)
{
	memcpy(state->sorting[state->now.screen].filter, state->typed, sizeof(state->typed));
	state->is_typing = false;
	state->now.selected = state->now.first = 0;
	return TOP_CHANGED;
}

/* All bytes of a character are removed together. */
static void erase(char *typed)
{
	size_t length = strlen(typed);

	while (length && ((unsigned char)typed[length - 1] & 0xc0) == 0x80)
		length--;
	if (length)
		typed[length - 1] = '\0';
}

/* Encodes the character in UTF-8; returns the number of bytes. */
static size_t encode(uint32_t character, char bytes[4])
{
	static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t nr_bytes = character < 0x80      ? 1
			  : character < 0x800   ? 2
			  : character < 0x10000 ? 3
						: 4;
	size_t i;

	for (i = nr_bytes - 1; i > 0; i--) {
		bytes[i] = (char)(0x80 | (character & 0x3f));
		character >>= 6;
	}
	bytes[0] = (char)(leads[nr_bytes] | character);
	return nr_bytes;
}

static void append(char *typed, uint32_t character)
{
	size_t length = strlen(typed), nr_bytes;
	char bytes[4];

	if (character < ' ' || character == 0x7f || character >= TOP_KEY_ENTER)
		return;
	nr_bytes = encode(character, bytes);
	if (length + nr_bytes >= TOP_FILTER_BYTES)
		return;
	memcpy(typed + length, bytes, nr_bytes);
	typed[length + nr_bytes] = '\0';
}

static enum top_action type(struct top_state *state, uint32_t key)
{
	switch (key) {
	case TOP_KEY_ENTER:
		return end_typing(state);
	case TOP_KEY_ESCAPE:
		state->is_typing = false;
		return TOP_CHANGED;
	case TOP_KEY_BACKSPACE:
		erase(state->typed);
		return TOP_CHANGED;
	case CONTROL('u'):
		state->typed[0] = '\0';
		return TOP_CHANGED;
	default:
		append(state->typed, key);
		return TOP_CHANGED;
	}
}

/* ---------------------------------------------------------------- keys */

static enum top_action scroll(
	struct top_state *state, uint32_t key, const struct top_extent *extent)
{
	uint64_t page = extent->nr_visible > 1 ? extent->nr_visible - 1 : 1;

	switch (key) {
	case 'j':
	case TOP_KEY_DOWN:
		return move(state, extent, true, 1);
	case 'k':
	case TOP_KEY_UP:
		return move(state, extent, false, 1);
	case CONTROL('d'):
	case TOP_KEY_PAGE_DOWN:
		return move(state, extent, true, page);
	case CONTROL('u'):
	case TOP_KEY_PAGE_UP:
		return move(state, extent, false, page);
	case 'g':
	case TOP_KEY_HOME:
		return move(state, extent, false, UINT64_MAX);
	case 'G':
	case TOP_KEY_END:
		return move(state, extent, true, UINT64_MAX);
	default:
		return TOP_NOTHING;
	}
}

static enum top_action rearrange(
	struct top_state *state, uint32_t key, const struct top_extent *extent)
{
	switch (key) {
	case 'l':
	case TOP_KEY_RIGHT:
		return sort_by_neighbour(state, extent, true);
	case 'h':
	case TOP_KEY_LEFT:
		return sort_by_neighbour(state, extent, false);
	case 'i':
		return invert(state);
	case '/':
		return begin_typing(state);
	case ' ':
		state->is_paused = !state->is_paused;
		return TOP_CHANGED;
	default:
		return TOP_NOTHING;
	}
}

static enum top_action leave(struct top_state *state, uint32_t key)
{
	switch (key) {
	case 'q':
		return TOP_QUIT;
	case TOP_KEY_ENTER:
	case 'w':
		return TOP_OPEN;
	case TOP_KEY_ESCAPE:
	case TOP_KEY_BACKSPACE:
		return go_back(state);
	case '\t':
		return show_neighbour(state, 1);
	case '?':
		if (state->now.screen == TOP_HELP)
			return go_back(state);
		top_state_open(state, TOP_HELP, (struct top_subject){0, 0});
		return TOP_CHANGED;
	case CONTROL('l'):
	case TOP_KEY_REDRAW:
		return TOP_REPAINT;
	default:
		return show_by_key(state, key);
	}
}

enum top_action top_state_key(
	struct top_state *state, uint32_t key, const struct top_extent *extent)
{
	enum top_action action;

	if (state->is_typing && key != TOP_KEY_REDRAW)
		return type(state, key);
	action = scroll(state, key, extent);
	if (action == TOP_NOTHING)
		action = rearrange(state, key, extent);
	return action == TOP_NOTHING ? leave(state, key) : action;
}
