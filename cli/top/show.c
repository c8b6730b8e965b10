/* SPDX-License-Identifier: MIT */
/*
 * The loop: waits for input from the keyboard, the source or a signal; then draws a frame.
 *
 * A newer snapshot waits while the screen is paused, and while a chain is being followed in the present one. If a
 * coroutine is shown, its chain is first followed in the newer snapshot, so that both are replaced together.
 */
#include <poll.h>
#include <unistd.h>

#include "top/draw.h"
#include "top/endings.h"
#include "top/show.h"
#include "top/terminal.h"
#include "top/threads.h"

#define TICK_MS 500 /* the age of the data is updated */
#define WHEEL_LINES 3

struct show {
	struct top_source *source;
	struct top_state *state;
	const struct top_show_options *options;
	struct top_snapshot *snapshot; /* the one that is shown; NULL: none yet */
	struct top_snapshot *newer;    /* the one that waits; NULL: none */
	struct top_chain chain;
	struct top_subject followed;            /* the chain's coroutine; id 0: none */
	const struct top_snapshot *followed_in; /* the snapshot of the last question */
	struct ct_error chain_error;
	struct ct_error trouble;
	struct top_frame frame;
	struct top_content content;
	bool is_over;
	bool is_repainted;
};

/* ---------------------------------------------------------------- chains and snapshots */

static void drop_chain(struct show *show)
{
	ct_report_free(show->chain.report);
	show->chain = (struct top_chain){.report = NULL};
	show->followed = (struct top_subject){0, 0};
	show->followed_in = NULL;
}

static void ask_why(struct show *show, const struct top_snapshot *snapshot)
{
	struct top_subject subject = show->state->now.subject;

	show->followed = subject;
	show->followed_in = snapshot;
	top_source_ask_why(show->source, snapshot, subject.process, subject.id);
}

static void replace_snapshot(struct show *show)
{
	ct_report_free(show->chain.report);
	show->chain.report = NULL;
	top_snapshot_free(show->snapshot);
	show->snapshot = show->newer;
	show->newer = NULL;
}

static void take_answer(struct show *show)
{
	const struct ct_report *report = NULL;
	enum ct_status status = top_source_take_why(show->source, &report, &show->chain_error);

	if (status == CT_AGAIN)
		return;
	/*
	 * If the chain was followed in the newer snapshot, that snapshot replaces the present one together with the
	 * chain.
	 */
	if (show->followed_in == show->newer && show->newer)
		replace_snapshot(show);
	ct_report_free(show->chain.report);
	show->chain = (struct top_chain){
		.report = report,
		.trouble = status == CT_OK ? NULL : show->chain_error.text,
	};
}

static bool is_followed(const struct show *show)
{
	const struct top_subject *shown = &show->state->now.subject;

	return show->followed.id == shown->id && show->followed.process == shown->process;
}

/* Asks for the chain that the screen needs, and takes the newest snapshot that may be shown. */
static void advance(struct show *show)
{
	bool is_coroutine = show->state->now.screen == TOP_COROUTINE;
	struct top_snapshot *newest = top_source_take(show->source);

	take_answer(show);
	if (top_source_is_asked(show->source)) {
		/* The newer snapshot is in use while its chain is being followed. */
		if (newest && show->newer && show->followed_in == show->newer) {
			top_snapshot_free(newest);
			newest = NULL;
		}
	}
	if (newest) {
		top_snapshot_free(show->newer);
		show->newer = newest;
	}
	if (top_source_is_asked(show->source))
		return;
	if (show->newer && !show->snapshot)
		replace_snapshot(show);
	if (is_coroutine && show->snapshot && !is_followed(show)) {
		drop_chain(show);
		ask_why(show, show->snapshot);
	} else if (show->newer && !show->state->is_paused) {
		if (is_coroutine)
			ask_why(show, show->newer);
		else
			replace_snapshot(show), drop_chain(show);
	}
}

/* ---------------------------------------------------------------- frames */

static void draw(struct show *show)
{
	uint32_t width, height;
	struct top_scene scene = {
		.state = show->state,
		.snapshot = show->snapshot,
		.chain = &show->chain,
		.subject = show->options->subject,
		.now_ns = top_now_ns(),
		.trouble = top_source_trouble(show->source, &show->trouble) ? show->trouble.text
									    : NULL,
	};

	top_terminal_size(&width, &height);
	if (width != show->frame.width || height != show->frame.height) {
		top_frame_fini(&show->frame);
		if (!top_frame_init(&show->frame, width, height, top_terminal_has_unicode())) {
			show->frame.width = show->frame.height = 0;
			return;
		}
	}
	top_content_fini(&show->content);
	top_draw(&scene, &show->frame, &show->content);
	top_terminal_show(&show->frame, show->is_repainted);
	show->is_repainted = false;
}

/* ---------------------------------------------------------------- keys */

static void act(struct show *show, enum top_action action)
{
	switch (action) {
	case TOP_QUIT:
		show->is_over = true;
		return;
	case TOP_OPEN:
		top_content_open(&show->content, show->state);
		return;
	case TOP_REPAINT:
		show->is_repainted = true;
		return;
	default:
		return;
	}
}

static void point(struct show *show, uint32_t line)
{
	if (line < TOP_BODY_LINE || line - TOP_BODY_LINE >= show->content.extent.nr_visible)
		return;
	act(show, top_state_select(show->state, show->state->now.first + line - TOP_BODY_LINE,
			  &show->content.extent));
}

/* If a key leads to another screen, the next key needs that screen's content, so reading stops. */
static bool read_input(struct show *show)
{
	uint32_t key = 0, line = 0;

	switch (top_terminal_read(&key, &line)) {
	case TOP_INPUT_KEY:
		act(show, top_state_key(show->state, key, &show->content.extent));
		return true;
	case TOP_INPUT_POINT:
		point(show, line);
		return true;
	case TOP_INPUT_RESIZED:
		return true;
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- the loop */

static void wait_for_something(const struct show *show)
{
	struct pollfd descriptors[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = top_source_descriptor(show->source), .events = POLLIN},
		{.fd = top_endings_descriptor(), .events = POLLIN},
	};

	/* If the size changes while a frame is made, no wait is interrupted: the next tick finds the change. */
	poll(descriptors, sizeof(descriptors) / sizeof(descriptors[0]), TICK_MS);
}

static void loop(struct show *show)
{
	draw(show);
	while (!show->is_over && !top_endings_caught() && top_terminal_is_there()) {
		wait_for_something(show);
		while (!show->is_over && read_input(show)) {
			advance(show);
			draw(show);
		}
		advance(show);
		draw(show);
	}
}

enum ct_status top_show(struct top_source *source, struct top_state *state,
	const struct top_show_options *options, int *ret_signal, struct ct_error *reterr)
{
	struct show show = {.source = source, .state = state, .options = options};
	enum ct_status status;

	status = top_endings_catch(reterr);
	if (status)
		return status;
	status = top_terminal_open(options->use_colour, reterr);
	if (status == CT_OK)
		loop(&show);
	top_terminal_close();
	*ret_signal = top_endings_release();
	/* If the trace could not be read at all, the error is returned instead of shown. */
	if (status == CT_OK && !show.snapshot && top_source_trouble(source, reterr))
		status = reterr->status;
	while (top_source_is_asked(source)) {
		take_answer(&show);
		poll(&(struct pollfd){.fd = top_source_descriptor(source), .events = POLLIN}, 1,
			TICK_MS);
	}
	top_content_fini(&show.content);
	drop_chain(&show);
	top_snapshot_free(show.newer);
	top_snapshot_free(show.snapshot);
	top_frame_fini(&show.frame);
	return status;
}
