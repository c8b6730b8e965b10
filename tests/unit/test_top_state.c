/* SPDX-License-Identifier: MIT */
/*
 * The state of `corotracer top`: what each key changes, without a terminal and a trace.
 */
#include <string.h>

#include "check.h"
#include "top/state.h"

#define CONTROL(letter) ((letter)&0x1f)

static const struct top_extent many = {.nr_lines = 1000000, .nr_visible = 20};
static const struct top_extent narrow = {.nr_lines = 1000000, .nr_visible = 20, .width = 80};
static const struct top_extent none = {.nr_lines = 0, .nr_visible = 20};

static enum top_action press(struct top_state *state, const char *keys)
{
	enum top_action action = TOP_NOTHING;

	for (; *keys; keys++)
		action = top_state_key(state, (uint32_t)*keys, &many);
	return action;
}

static struct top_state fresh(void)
{
	struct top_state state;

	top_state_init(&state);
	return state;
}

static void check_lines(void)
{
	struct top_state state = fresh();

	CHECK_EQUAL(press(&state, "jjjk"), TOP_CHANGED);
	CHECK_EQUAL(state.now.selected, 2);
	press(&state, "G");
	CHECK_EQUAL(state.now.selected, many.nr_lines - 1);
	CHECK_EQUAL(state.now.first, many.nr_lines - many.nr_visible);
	press(&state, "k");
	CHECK_EQUAL(state.now.first, many.nr_lines - many.nr_visible);
	top_state_key(&state, CONTROL('u'), &many);
	CHECK_EQUAL(state.now.selected, many.nr_lines - 2 - 19);
	press(&state, "gk");
	CHECK_EQUAL(state.now.selected, 0);
	CHECK_EQUAL(state.now.first, 0);
	top_state_key(&state, TOP_KEY_PAGE_DOWN, &many);
	CHECK_EQUAL(state.now.selected, 19);
	CHECK_EQUAL(state.now.first, 0);
}

static void check_fewer_lines(void)
{
	const struct top_extent few = {.nr_lines = 3, .nr_visible = 20};
	struct top_state state = fresh();

	press(&state, "G");
	top_state_fit(&state, &few);
	CHECK_EQUAL(state.now.selected, 2);
	CHECK_EQUAL(state.now.first, 0);
	top_state_fit(&state, &none);
	CHECK_EQUAL(state.now.selected, 0);
	CHECK_EQUAL(top_state_key(&state, 'j', &none), TOP_CHANGED);
	CHECK_EQUAL(state.now.selected, 0);
	CHECK_EQUAL(top_state_key(&state, 'G', &none), TOP_CHANGED);
	CHECK_EQUAL(state.now.selected, 0);
}

static void check_screens(void)
{
	struct top_state state = fresh();
	enum top_screen screen;

	CHECK_EQUAL(state.now.screen, TOP_FINDINGS);
	for (screen = 0; screen < TOP_NR_TABLES; screen++) {
		CHECK_EQUAL(
			top_state_key(&state, (uint32_t)top_screen_describe(screen)->key, &many),
			TOP_CHANGED);
		CHECK_EQUAL(state.now.screen, screen);
		CHECK_EQUAL(top_state_key(&state, '1' + screen, &many), TOP_CHANGED);
		CHECK_EQUAL(state.now.screen, screen);
	}
	press(&state, "\t");
	CHECK_EQUAL(state.now.screen, TOP_FINDINGS);
	press(&state, "tjjjf");
	CHECK_EQUAL(state.now.selected, 0);
	press(&state, "t");
	CHECK_EQUAL(state.now.selected, 3);
	CHECK_EQUAL(press(&state, "q"), TOP_QUIT);
}

static void check_history(void)
{
	const struct top_subject subject = {1, 1025};
	struct top_state state = fresh();
	unsigned i;

	press(&state, "tjj");
	top_state_open(&state, TOP_COROUTINE, subject);
	CHECK_EQUAL(state.now.screen, TOP_COROUTINE);
	CHECK_EQUAL(state.now.subject.id, 1025);
	press(&state, "j?");
	CHECK_EQUAL(state.now.screen, TOP_HELP);
	press(&state, "?");
	CHECK_EQUAL(state.now.screen, TOP_COROUTINE);
	CHECK_EQUAL(state.now.selected, 1);
	top_state_key(&state, TOP_KEY_ESCAPE, &many);
	CHECK_EQUAL(state.now.screen, TOP_COROUTINES);
	CHECK_EQUAL(state.now.selected, 2);
	CHECK_EQUAL(top_state_key(&state, TOP_KEY_ESCAPE, &many), TOP_NOTHING);
	for (i = 0; i < 3 * TOP_HISTORY; i++)
		top_state_open(&state, TOP_COROUTINE, subject);
	CHECK_EQUAL(state.nr_history, TOP_HISTORY);
}

static void check_sorting(void)
{
	struct top_state state = fresh();
	struct top_sorting *sorting = &state.sorting[TOP_COROUTINES];
	uint32_t nr_columns = top_screen_describe(TOP_COROUTINES)->nr_columns;

	press(&state, "t");
	CHECK_EQUAL(sorting->order, top_screen_find_column(TOP_COROUTINES, "longest"));
	CHECK_EQUAL(sorting->is_descending, true);
	press(&state, "i");
	CHECK_EQUAL(sorting->is_descending, false);
	press(&state, "hhh");
	CHECK_EQUAL(sorting->order, 0);
	press(&state, "h");
	CHECK_EQUAL(sorting->order, nr_columns - 1);
	press(&state, "l");
	CHECK_EQUAL(sorting->order, 0);
	/* What is not shown is no order. */
	top_state_init(&state);
	press(&state, "t");
	top_state_key(&state, 'l', &narrow);
	CHECK_EQUAL(sorting->order, nr_columns - 1);
	top_state_key(&state, 'h', &narrow);
	CHECK_EQUAL(sorting->order, top_screen_find_column(TOP_COROUTINES, "longest"));
	top_state_open(&state, TOP_HELP, (struct top_subject){0, 0});
	CHECK_EQUAL(press(&state, "l"), TOP_NOTHING);
}

static void check_filter(void)
{
	struct top_state state = fresh();
	const char *filter = state.sorting[TOP_COROUTINES].filter;
	unsigned i;

	press(&state, "tjj/");
	CHECK(state.is_typing);
	CHECK_EQUAL(press(&state, "qjk x"), TOP_CHANGED);
	CHECK_TEXT(state.typed, "qjk x");
	top_state_key(&state, 0xe9, &many);
	top_state_key(&state, 0x1f600, &many);
	CHECK_TEXT(state.typed, "qjk x\xc3\xa9\xf0\x9f\x98\x80");
	top_state_key(&state, TOP_KEY_BACKSPACE, &many);
	top_state_key(&state, TOP_KEY_BACKSPACE, &many);
	CHECK_TEXT(state.typed, "qjk x");
	top_state_key(&state, 0x1, &many);
	top_state_key(&state, TOP_KEY_UP, &many);
	CHECK_TEXT(state.typed, "qjk x");
	top_state_key(&state, TOP_KEY_ESCAPE, &many);
	CHECK(!state.is_typing);
	CHECK_TEXT(filter, "");
	press(&state, "/");
	CHECK_TEXT(state.typed, "");
	for (i = 0; i < 2 * TOP_FILTER_BYTES; i++)
		press(&state, "a");
	CHECK_EQUAL(strlen(state.typed), TOP_FILTER_BYTES - 1);
	top_state_key(&state, CONTROL('u'), &many);
	press(&state, "read");
	top_state_key(&state, TOP_KEY_ENTER, &many);
	CHECK_TEXT(filter, "read");
	CHECK_EQUAL(state.now.selected, 0);
	CHECK_EQUAL(top_state_key(&state, TOP_KEY_ESCAPE, &many), TOP_CHANGED);
	CHECK_TEXT(filter, "");
}

static void check_pointing(void)
{
	struct top_state state = fresh();

	CHECK_EQUAL(top_state_select(&state, 5, &many), TOP_CHANGED);
	CHECK_EQUAL(state.now.selected, 5);
	CHECK_EQUAL(top_state_select(&state, 5, &many), TOP_OPEN);
	CHECK_EQUAL(top_state_select(&state, many.nr_lines, &many), TOP_NOTHING);
	CHECK_EQUAL(press(&state, " "), TOP_CHANGED);
	CHECK(state.is_paused);
	CHECK_EQUAL(press(&state, "w"), TOP_OPEN);
	CHECK_EQUAL(top_state_key(&state, CONTROL('l'), &many), TOP_REPAINT);
	CHECK_EQUAL(press(&state, "Z"), TOP_NOTHING);
}

int main(void)
{
	check_lines();
	check_fewer_lines();
	check_screens();
	check_history();
	check_sorting();
	check_filter();
	check_pointing();
	return check_result();
}
