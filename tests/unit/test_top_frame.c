/* SPDX-License-Identifier: MIT */
/*
 * Frames of `corotracer top`: texts in cells, cut, aligned and wrapped, without characters that a terminal obeys.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "top/lines.h"

#define WIDTH 20u

/* The line as UTF-8, without blanks at its end. */
static const char *line_of(const struct top_frame *frame, uint32_t line)
{
	static char text[WIDTH * 4 + 1];
	size_t length = 0, i;

	for (i = 0; i < frame->width; i++) {
		uint32_t character = frame->cells[line * frame->width + i].character;
		int nr_bytes = character ? wctomb(text + length, (wchar_t)character) : 0;

		length += nr_bytes > 0 ? (size_t)nr_bytes : 0;
	}
	while (length && text[length - 1] == ' ')
		length--;
	text[length] = '\0';
	return text;
}

static struct top_frame fresh(bool has_unicode)
{
	struct top_frame frame;

	CHECK(top_frame_init(&frame, WIDTH, 3, has_unicode));
	return frame;
}

static void check_text(void)
{
	struct top_frame frame = fresh(true);

	CHECK_EQUAL(top_frame_text(&frame, 0, 2, 5, TOP_PLAIN, "four"), 6);
	CHECK_TEXT(line_of(&frame, 0), "  four");
	CHECK_EQUAL(top_frame_text(&frame, 0, 2, 4, TOP_PLAIN, "fives"), 6);
	CHECK_TEXT(line_of(&frame, 0), "  fiv\xe2\x80\xa6");
	top_frame_right(&frame, 1, 0, 6, TOP_PLAIN, "12");
	CHECK_TEXT(line_of(&frame, 1), "    12");
	CHECK_EQUAL(top_frame_text(&frame, 2, 15, 100, TOP_PLAIN, "beyond the end"), WIDTH);
	CHECK_EQUAL(top_frame_text(&frame, 3, 0, 5, TOP_PLAIN, "no such line"), 0);
	CHECK_EQUAL(top_frame_text(&frame, 0, WIDTH, 5, TOP_PLAIN, "no such column"), WIDTH);
	top_frame_clear(&frame);
	CHECK_TEXT(line_of(&frame, 0), "");
	top_frame_fini(&frame);
}

static void check_safety(void)
{
	struct top_frame frame = fresh(true);

	top_frame_text(&frame, 0, 0, WIDTH, TOP_PLAIN,
		"a\x1b[31m\x07\xc2\x9b\xe2\x80\xae"
		"b\xff");
	CHECK_TEXT(line_of(&frame, 0), "a?[31m???b?");
	top_frame_text(&frame, 1, 0, WIDTH, TOP_PLAIN, "\xe4\xb8\xad!");
	CHECK_TEXT(line_of(&frame, 1), "\xe4\xb8\xad!");
	CHECK_EQUAL(frame.cells[WIDTH + 1].character, 0);
	/* Half of a wide character is none. */
	top_frame_text(&frame, 2, 0, 2, TOP_PLAIN, "a\xe4\xb8\xad");
	CHECK_TEXT(line_of(&frame, 2), "a\xe2\x80\xa6");
	top_frame_fini(&frame);
}

static void check_ascii(void)
{
	struct top_frame frame = fresh(false);

	top_frame_text(&frame, 0, 0, 6, TOP_PLAIN, "caf\xc3\xa9 au lait");
	CHECK_TEXT(line_of(&frame, 0), "caf? ~");
	top_frame_repeat(&frame, 1, 0, 3, TOP_RUNNING, 0x2588, '#');
	CHECK_TEXT(line_of(&frame, 1), "###");
	top_frame_reverse(&frame, 1);
	CHECK_EQUAL(frame.cells[WIDTH].style, TOP_RUNNING | TOP_REVERSED);
	top_frame_fini(&frame);
}

static void check_lines(void)
{
	struct top_lines lines = {.width = 10, .has_unicode = true};
	struct top_link link;

	top_lines_add(&lines, TOP_PLAIN, NULL, 2, "one two three unbreakablelongword");
	CHECK_EQUAL(lines.nr_lines, 5);
	CHECK_TEXT(lines.at[0].text, "one two");
	CHECK_TEXT(lines.at[1].text, "three");
	CHECK_TEXT(lines.at[2].text, "unbreaka");
	CHECK_EQUAL(lines.at[2].indent, 2);
	CHECK_TEXT(lines.at[4].text, "ord");
	CHECK(!top_link_to_coroutine(1, 0, &link));
	CHECK(!link.leads);
	top_lines_add(&lines, TOP_PLAIN, top_link_to_coroutine(1, 7, &link), 2, "");
	CHECK(lines.at[5].link.leads);
	CHECK_EQUAL(lines.at[5].link.subject.id, 7);
	top_lines_heading(&lines, "Next");
	CHECK_EQUAL(lines.nr_lines, 8);
	CHECK(!lines.is_broken);
	top_lines_fini(&lines);
}

int main(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		SKIP("there is no locale C.UTF-8");
	check_text();
	check_safety();
	check_ascii();
	check_lines();
	return check_result();
}
