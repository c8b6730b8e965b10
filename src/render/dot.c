/* SPDX-License-Identifier: MIT */
/*
 * The await graph for Graphviz: a box for each coroutine, and an arrow to the coroutine that it waits for.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

/* Escapes a text that stands between quotes. */
static void quoted(struct text *text, const char *words)
{
	for (; *words; words++) {
		if (*words == '"' || *words == '\\')
			text_char(text, '\\');
		text_char(text, *words);
	}
}

static void node(struct text *text, const struct ct_report *report, const struct ct_await *await)
{
	struct text words = {0};

	render_facts_await(&words, report->tables, await);
	text_format(text, "  c%" PRIu64 " [label=\"", await->id);
	quoted(text, text_peek(&words));
	if (await->nr_left_out)
		text_format(text, "\\n%" PRIu64 " more wait for it", await->nr_left_out);
	text_add(text, await->id == report->why_coro.id ? "\" penwidth=2];\n" : "\"];\n");
	render_facts_drop(text, &words);
}

static void arrow(struct text *text, const struct ct_await *await)
{
	struct text words = {0};

	if (!await->waits_for)
		return;
	say_safe(&words, await->resource);
	text_format(text, "  c%" PRIu64 " -> c%" PRIu64 " [label=\"", await->id, await->waits_for);
	quoted(text, text_peek(&words));
	text_add(text, "\"];\n");
	render_facts_drop(text, &words);
}

void render_dot(struct text *text, const struct ct_report *report)
{
	uint32_t i;

	text_add(text, "digraph awaits {\n  node [shape=box];\n");
	for (i = 0; i < report->nr_awaits; i++)
		node(text, report, &report->awaits[i]);
	for (i = 0; i < report->nr_awaits; i++)
		arrow(text, &report->awaits[i]);
	text_add(text, "}\n");
}
