/* SPDX-License-Identifier: MIT */
/*
 * The picture of a finding as a sequence diagram for mermaid. Code hosts draw mermaid in an issue or a pull request,
 * but remove SVG from Markdown.
 *
 * Time runs down. Lanes are participants, a step is a message or a note, and an event that never came is a message that
 * ends in a cross. Characters that mermaid could interpret are written as entities.
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "render/facts.h"
#include "render/picture.h"
#include "say/safe.h"
#include "say/say.h"

/* Letters, digits and characters without a meaning in mermaid; other ASCII characters are written as numbers. */
static bool is_plain(char c)
{
	return (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || strchr(" .,()/+-_?!'=", c);
}

/* The word "end" closes a block at any position. */
static bool is_end(const char *words, const char *at)
{
	bool is_first = at == words || !strchr("abcdefghijklmnopqrstuvwxyz", at[-1]);

	return is_first && strncasecmp(at, "end", 3) == 0;
}

static void escaped(struct text *text, const char *safe)
{
	const char *at;

	for (at = safe; *at; at++) {
		if (!is_plain(*at) || is_end(safe, at))
			text_format(text, "#%u;", (unsigned)(unsigned char)*at);
		else
			text_char(text, *at);
	}
}

static void add_lane(struct text *text, const struct ct_lane *lane, uint32_t number)
{
	struct text words = {0};

	say_safe(&words, lane->name);
	text_format(text, "  participant L%" PRIu32 " as ", number);
	escaped(text, text_peek(&words));
	text_char(text, '\n');
	render_facts_drop(text, &words);
}

static void add_note(struct text *text, const struct scene *scene)
{
	uint32_t last = scene->finding->picture.nr_lanes;

	text_format(text, last > 1 ? "  Note over L1,L%" PRIu32 ": " : "  Note over L%" PRIu32 ": ",
		last);
}

/* A mark shows the number and the time of its step; the sentence stands below the drawing. */
static void add_mark(struct text *text, const struct scene *scene,
	const struct ct_picture_mark *mark, const struct ct_step *step)
{
	struct text words = {0};

	if (mark->lane && mark->other)
		text_format(text, "  L%" PRIu32 "->>L%" PRIu32 ": ", mark->lane, mark->other);
	else if (mark->lane)
		text_format(text, "  Note over L%" PRIu32 ": ", mark->lane);
	else
		add_note(text, scene);
	text_format(&words, "%" PRIu32 ". ", mark->step);
	say_time(&words, step->time);
	text_add(&words, " ");
	say_safe(&words, step->text);
	escaped(text, text_peek(&words));
	text_char(text, '\n');
	render_facts_drop(text, &words);
}

/* Adds how long nothing happened, if that is much longer than the other gaps. */
static void add_gap(struct text *text, const struct scene *scene, ct_time from, ct_time until)
{
	struct text words = {0};
	uint32_t i;
	bool is_folded = false;

	for (i = 0; i + 1 < scene->nr_ticks; i++)
		is_folded |= scene->gaps[i].is_folded && scene->ticks[i].time >= from &&
			     scene->ticks[i + 1].time <= until;
	if (!is_folded)
		return;
	add_note(text, scene);
	text_add(&words, "... ");
	say_span(&words, from, until);
	text_add(&words, " ...");
	escaped(text, text_peek(&words));
	text_char(text, '\n');
	render_facts_drop(text, &words);
}

static void add_ends(struct text *text, const struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->nr_ends; i++) {
		uint32_t lane = scene->ends[i].lane + 1;

		text_format(text, "  L%" PRIu32 "--xL%" PRIu32 ": %s\n", lane, lane,
			scene->ends[i].words);
	}
	if (!scene->finding->picture.nr_alike)
		return;
	add_note(text, scene);
	text_format(text, "and %" PRIu32 " more alike\n", scene->finding->picture.nr_alike);
}

void render_picture_mermaid(struct text *text, const struct scene *scene)
{
	const struct ct_picture *picture = &scene->finding->picture;
	const struct ct_step *step, *before = NULL;
	uint32_t i;

	text->is_broken |= scene->is_broken;
	text_add(text, "sequenceDiagram\n");
	for (i = 0; i < picture->nr_lanes; i++)
		add_lane(text, &picture->lanes[i], i + 1);
	for (i = 0; i < picture->nr_marks; i++) {
		step = &scene->finding->steps[picture->marks[i].step - 1];
		if (before)
			add_gap(text, scene, before->time, step->time);
		add_mark(text, scene, &picture->marks[i], step);
		before = step;
	}
	if (before)
		add_gap(text, scene, before->time, picture->end);
	add_ends(text, scene);
}
