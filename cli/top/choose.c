/* SPDX-License-Identifier: MIT */
/*
 * A list of processes, one on each line; the selected one is reversed.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "top/choose.h"
#include "top/endings.h"
#include "top/terminal.h"
#include "top/threads.h"

#define TICK_MS 1000 /* the list is updated, because processes come and go */
#define FIRST_LINE 3u
#define LINE_BYTES 640
#define NONE                                                                                   \
	"no process here has a probe that waits for a recording, or is recorded: 'corotracer " \
	"help attach' names the calls that attach one"

struct choose {
	struct top_choice *choice;
	struct ct_traceable *found;
	size_t nr_found;
	int64_t selected; /* the process, which may have ended */
	struct top_frame frame;
	struct ct_error error;
	enum ct_status status;
	bool is_over;
	bool is_repainted;
};

/* ---------------------------------------------------------------- words */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "recorded by 4711, run.ctrace.partial". */
static void say_state(const struct ct_traceable *found, char *buffer, size_t nr_bytes)
{
	const char *word = ct_traceable_name(found->state);

	if (found->state == CT_TRACEABLE_RECORDED)
		snprintf(buffer, nr_bytes, "%s by %" PRId64 "%s%s", word, found->engine_pid,
			*found->file ? ", " : "", name_of(found->file));
	else if (*found->file)
		snprintf(buffer, nr_bytes, "%s in %s", word, name_of(found->file));
	else
		snprintf(buffer, nr_bytes, "%s", word);
}

static const char headings[] = "    PID  STATE                             COMMAND";

/* If the command does not fit, the program's folders are left out first, because its name and arguments say more. */
static const char *command_for(const char *command, size_t room)
{
	const char *name = command, *slash;

	while (strlen(name) > room) {
		slash = strpbrk(name, "/ ");
		if (!slash || *slash == ' ')
			break;
		name = slash + 1;
	}
	return name;
}

static void say_line(const struct ct_traceable *found, size_t width, char buffer[LINE_BYTES])
{
	char state[LINE_BYTES / 2];
	size_t used;

	say_state(found, state, sizeof(state));
	used = (size_t)snprintf(buffer, LINE_BYTES, "%7" PRId64 "  %-32s  ", found->pid, state);
	snprintf(buffer + used, LINE_BYTES - used, "%s",
		command_for(found->command, width > used ? width - used : 0));
}

/* ---------------------------------------------------------------- the list */

static size_t selected_line(const struct choose *choose)
{
	size_t i;

	for (i = 0; i < choose->nr_found; i++)
		if (choose->found[i].pid >= choose->selected)
			return i;
	return choose->nr_found ? choose->nr_found - 1 : 0;
}

static void look(struct choose *choose)
{
	ct_traceables_free(choose->found);
	choose->found = NULL;
	choose->nr_found = 0;
	choose->status = ct_traceables_find(&choose->found, &choose->nr_found, &choose->error);
}

static void select_line(struct choose *choose, size_t line)
{
	if (!choose->nr_found)
		return;
	if (line >= choose->nr_found)
		line = choose->nr_found - 1;
	choose->selected = choose->found[line].pid;
}

/* A process that is being recorded is shown from the file that its recording has written so far. */
static void take(struct choose *choose)
{
	const struct ct_traceable *found;

	if (!choose->nr_found)
		return;
	found = &choose->found[selected_line(choose)];
	if (found->state == CT_TRACEABLE_RECORDED && *found->file)
		snprintf(choose->choice->operand, sizeof(choose->choice->operand), "%s",
			found->file);
	else
		snprintf(choose->choice->operand, sizeof(choose->choice->operand), "%" PRId64,
			found->pid);
	choose->is_over = true;
}

/* ---------------------------------------------------------------- frames */

static bool fit(struct choose *choose)
{
	uint32_t width, height;

	top_terminal_size(&width, &height);
	if (width == choose->frame.width && height == choose->frame.height)
		return true;
	top_frame_fini(&choose->frame);
	if (top_frame_init(&choose->frame, width, height, top_terminal_has_unicode()))
		return true;
	choose->frame.width = choose->frame.height = 0;
	return false;
}

/* The first line of the list to show, so that the selected one is visible. */
static size_t first_shown(const struct choose *choose, uint32_t nr_visible)
{
	size_t line = selected_line(choose);

	return nr_visible && line >= nr_visible ? line - nr_visible + 1 : 0;
}

static void draw_list(struct choose *choose)
{
	struct top_frame *frame = &choose->frame;
	uint32_t nr_visible = frame->height > FIRST_LINE + 1 ? frame->height - FIRST_LINE - 1 : 0;
	size_t first = first_shown(choose, nr_visible), i;
	char line[LINE_BYTES];

	for (i = first; i < choose->nr_found && i - first < nr_visible; i++) {
		uint32_t at = FIRST_LINE + (uint32_t)(i - first);

		say_line(&choose->found[i], frame->width, line);
		top_frame_text(frame, at, 0, frame->width, TOP_PLAIN, line);
		if (i == selected_line(choose))
			top_frame_reverse(frame, at);
	}
	if (!choose->nr_found)
		top_frame_text(frame, FIRST_LINE, 0, frame->width, TOP_FAINT,
			choose->status ? choose->error.text : NONE);
}

static void draw(struct choose *choose)
{
	struct top_frame *frame = &choose->frame;

	if (!fit(choose))
		return;
	top_frame_clear(frame);
	top_frame_text(frame, 0, 0, frame->width, TOP_STRONG, "Which process?");
	top_frame_text(frame, FIRST_LINE - 1, 0, frame->width, TOP_HEADING, headings);
	draw_list(choose);
	if (frame->height)
		top_frame_text(frame, frame->height - 1, 0, frame->width, TOP_FAINT,
			"j/k move  Enter show  q quit");
	top_terminal_show(frame, choose->is_repainted);
	choose->is_repainted = false;
}

/* ---------------------------------------------------------------- keys */

static void press(struct choose *choose, uint32_t key)
{
	size_t line = selected_line(choose);

	switch (key) {
	case 'q':
	case TOP_KEY_ESCAPE:
		choose->is_over = true;
		return;
	case 'j':
	case TOP_KEY_DOWN:
		select_line(choose, line + 1);
		return;
	case 'k':
	case TOP_KEY_UP:
		select_line(choose, line ? line - 1 : 0);
		return;
	case 'g':
	case TOP_KEY_HOME:
		select_line(choose, 0);
		return;
	case 'G':
	case TOP_KEY_END:
		select_line(choose, SIZE_MAX);
		return;
	case TOP_KEY_ENTER:
		take(choose);
		return;
	case TOP_KEY_REDRAW:
		choose->is_repainted = true;
		return;
	}
}

/* Like in tables: a click selects a line, or opens it if it was already selected. */
static void point(struct choose *choose, uint32_t line)
{
	uint32_t nr_visible =
		choose->frame.height > FIRST_LINE + 1 ? choose->frame.height - FIRST_LINE - 1 : 0;
	size_t pointed;

	if (line < FIRST_LINE || line - FIRST_LINE >= nr_visible)
		return;
	pointed = first_shown(choose, nr_visible) + line - FIRST_LINE;
	if (pointed >= choose->nr_found)
		return;
	if (pointed == selected_line(choose))
		take(choose);
	else
		select_line(choose, pointed);
}

static bool read_input(struct choose *choose)
{
	uint32_t key = 0, line = 0;

	switch (top_terminal_read(&key, &line)) {
	case TOP_INPUT_KEY:
		press(choose, key);
		return true;
	case TOP_INPUT_POINT:
		point(choose, line);
		return true;
	case TOP_INPUT_RESIZED:
		return true;
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- the loop */

static void wait_for_something(void)
{
	struct pollfd descriptors[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = top_endings_descriptor(), .events = POLLIN},
	};

	poll(descriptors, sizeof(descriptors) / sizeof(descriptors[0]), TICK_MS);
}

static void loop(struct choose *choose)
{
	uint64_t looked_ns = 0;

	while (!choose->is_over && !top_endings_caught() && top_terminal_is_there()) {
		if (!looked_ns || top_now_ns() - looked_ns >= TICK_MS * UINT64_C(1000000)) {
			look(choose);
			looked_ns = top_now_ns();
		}
		draw(choose);
		wait_for_something();
		while (!choose->is_over && read_input(choose))
			draw(choose);
	}
}

enum ct_status top_choose(bool use_colour, struct top_choice *ret_choice, struct ct_error *reterr)
{
	struct choose choose = {.choice = ret_choice};
	enum ct_status status;

	*ret_choice = (struct top_choice){.number = 0};
	status = top_endings_catch(reterr);
	if (status)
		return status;
	status = top_terminal_open(use_colour, reterr);
	if (status == CT_OK)
		loop(&choose);
	top_terminal_close();
	ret_choice->number = top_endings_release();
	ct_traceables_free(choose.found);
	top_frame_fini(&choose.frame);
	return status;
}

enum ct_status top_choose_print(struct ct_error *reterr)
{
	struct ct_traceable *found;
	char line[LINE_BYTES];
	size_t count, i;
	enum ct_status status = ct_traceables_find(&found, &count, reterr);

	if (status)
		return status;
	if (count)
		printf("%s\n", headings);
	for (i = 0; i < count; i++) {
		say_line(&found[i], LINE_BYTES, line);
		print_safe(stdout, line);
		putchar('\n');
	}
	ct_traceables_free(found);
	if (count)
		return CT_OK;
	*reterr = (struct ct_error){.status = CT_ERR_NO_PROBE, .offset = CT_NO_OFFSET};
	snprintf(reterr->text, sizeof(reterr->text), "%s", NONE);
	return CT_ERR_NO_PROBE;
}
