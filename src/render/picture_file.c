/* SPDX-License-Identifier: MIT */
/*
 * The picture of a finding as a file of its own: the title stands above it, and the numbered steps below it.
 */
#include <inttypes.h>
#include <string.h>

#include "render/facts.h"
#include "render/picture.h"
#include "say/safe.h"
#include "say/say.h"

#define MARGIN 20
#define LINE_HEIGHT 17
#define LEAST_WIDTH 720
#define NOTES_X 26 /* the steps' words begin behind their numbers */

/* A pen that moves down the file line by line; without a text the pen only measures. */
struct pen {
	struct text *text;
	int y;
	int width;
	bool is_broken; /* out of memory */
};

static void write_line(
	struct pen *pen, const char *class, int x, const char *words, size_t nr_bytes)
{
	pen->y += LINE_HEIGHT;
	if (!pen->text)
		return;
	text_format(pen->text, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, MARGIN + x, pen->y);
	say_html(pen->text, words, nr_bytes);
	text_add(pen->text, "</text>\n");
}

/* The number of bytes of the words that fit into a line: up to a blank, or all that fit if there is no blank. */
static size_t line_of(const char *words, int columns)
{
	size_t at = 0, blank = 0;
	int column = 0;

	for (; words[at]; at++) {
		if (((unsigned char)words[at] & 0xc0) == 0x80)
			continue;
		if (column++ == columns)
			return blank ? blank : at;
		if (words[at] == ' ')
			blank = at;
	}
	return at;
}

static void write_lines(struct pen *pen, const char *class, int x, const char *words)
{
	bool is_strong = strcmp(class, "strong") == 0;
	int columns = render_scene_columns(pen->width - 2 * MARGIN - x) * (is_strong ? 7 : 8) / 8;

	while (*words) {
		size_t length = line_of(words, columns);

		write_line(pen, class, x, words, length);
		words += length + (words[length] == ' ');
	}
}

static void write_head(struct pen *pen, const struct scene *scene)
{
	const struct ct_finding *finding = scene->finding;
	struct text words = {0};

	pen->y = MARGIN;
	text_format(&words, "%s: %s", ct_grade_name(finding->grade), ct_rule_name(finding->rule));
	write_lines(
		pen, finding->grade == CT_GRADE_PROVEN ? "alarm" : "strong", 0, text_peek(&words));
	text_clear(&words);
	say_safe(&words, finding->title);
	write_lines(pen, "strong", 0, text_peek(&words));
	text_clear(&words);
	render_facts_headline(&words, scene->report);
	write_lines(pen, "quiet", 0, text_peek(&words));
	pen->y += LINE_HEIGHT;
	pen->is_broken |= words.is_broken;
	text_fini(&words);
}

static void write_note(struct pen *pen, const struct scene *scene, uint32_t index)
{
	struct text words = {0};
	char number[16];

	text_format(&words, "%" PRIu32, index + 1);
	strncpy(number, text_peek(&words), sizeof(number) - 1);
	number[sizeof(number) - 1] = '\0';
	text_clear(&words);
	render_scene_say_step(&words, scene, &scene->finding->steps[index]);
	write_line(pen, "strong", 0, number, strlen(number));
	pen->y -= LINE_HEIGHT;
	write_lines(pen, "words", NOTES_X, text_peek(&words));
	pen->is_broken |= words.is_broken;
	text_fini(&words);
}

static void write_notes(struct pen *pen, const struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->finding->nr_steps && i < FACTS_MAX_LIST; i++)
		write_note(pen, scene, i);
	pen->y += LINE_HEIGHT / 2;
	write_lines(pen, "quiet", 0,
		"Time runs to the right and is not to scale: jagged lines fold a long stretch, "
		"strokes on the axis shorten one, and its length stands above it.");
}

void render_picture_alone(struct text *text, const struct scene *scene)
{
	struct pen pen = {.width = scene->width + 2 * MARGIN};
	int top;

	if (pen.width < LEAST_WIDTH)
		pen.width = LEAST_WIDTH;
	write_head(&pen, scene);
	top = pen.y;
	pen.y += scene->height + LINE_HEIGHT / 2;
	write_notes(&pen, scene);
	render_picture_begin(text, scene, pen.width, pen.y + MARGIN, 0);
	text_format(text,
		"<style>\n%s</style>\n<rect class=\"ground\" width=\"100%%\" "
		"height=\"100%%\"/>\n",
		render_picture_style);
	pen.text = text;
	write_head(&pen, scene);
	text_format(text, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">\n", MARGIN, top,
		scene->width, scene->height);
	render_picture_draw(text, scene);
	text_add(text, "</svg>\n");
	pen.y += scene->height + LINE_HEIGHT / 2;
	write_notes(&pen, scene);
	text->is_broken |= pen.is_broken;
	text_add(text, "</svg>\n");
}

void render_picture_none(struct text *text, const char *words)
{
	text_format(text,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\" "
		"viewBox=\"0 0 %d 80\" width=\"%d\" height=\"80\">\n<title>%s</title>\n<style>\n%s"
		"</style>\n<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n"
		"<text x=\"%d\" y=\"45\">%s</text>\n</svg>\n",
		LEAST_WIDTH, LEAST_WIDTH, words, render_picture_style, MARGIN, words);
}
