/* SPDX-License-Identifier: MIT */
/*
 * Converts cells to words, and back.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "say/say.h"
#include "textrace/names.h"
#include "textrace/textrace.h"
#include "view/view.h"

static void say_object(struct text *text, int64_t number, unsigned kind)
{
	const struct ct_event event = {.kind = (uint8_t)kind, .object = (uint64_t)number};

	textrace_print_object(text, &event);
}

/* Writes an argument as the text form does: a name from the list of its kind, else the number unless it is 0. */
static void say_argument(struct text *text, int64_t number, unsigned kind)
{
	enum textrace_list list;
	const char *key = textrace_argument(kind, &list);
	const char *name = key ? textrace_name(list, (uint64_t)number) : NULL;

	if (name)
		text_add(text, name);
	else if (key || number)
		text_signed(text, number);
}

/* The number as a row of a table of the trace, whatever the cell contains; 0: none. */
static uint32_t row_of(int64_t number)
{
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static void say_process_of(struct text *text, const struct ct_tables *tables, int64_t number)
{
	if (number > 0 && number < tables->nr_processes)
		say_program(text, &tables->processes[number]);
}

void view_say(struct text *text, const struct ct_view *view, enum ct_view_type type, int64_t number,
	unsigned kind)
{
	if (ct_view_is_nothing(type, number))
		return;
	switch (type) {
	case CT_VIEW_TYPE_TIME:
		say_time(text, number);
		return;
	case CT_VIEW_TYPE_TEXT:
		text_add(text, ct_view_text(view, number));
		return;
	case CT_VIEW_TYPE_PROCESS:
		say_process_of(text, view->tables, number);
		return;
	case CT_VIEW_TYPE_THREAD:
		say_thread_name(text, view->tables, row_of(number));
		return;
	case CT_VIEW_TYPE_SITE:
		say_place(text, view->tables, row_of(number));
		return;
	case CT_VIEW_TYPE_HANDLE:
		say_resource(text, (uint64_t)number);
		return;
	case CT_VIEW_TYPE_OBJECT:
		say_object(text, number, kind);
		return;
	case CT_VIEW_TYPE_ARGUMENT:
		say_argument(text, number, kind);
		return;
	case CT_VIEW_TYPE_KIND:
		say_kind(text, (unsigned)number);
		return;
	case CT_VIEW_TYPE_STATE:
		text_add(text, ct_state_name((enum ct_state)number));
		return;
	case CT_VIEW_TYPE_OUTCOME:
		text_add(text, ct_outcome_name((unsigned)number));
		return;
	case CT_VIEW_TYPE_MARK:
		text_add(text, ct_mark_name((unsigned)number));
		return;
	default:
		text_signed(text, number);
		return;
	}
}

void view_spell(struct text *text, const struct ct_view *view, enum ct_view_type type,
	int64_t number, unsigned kind)
{
	if (type != CT_VIEW_TYPE_HANDLE)
		view_say(text, view, type, number, kind);
	else if (!ct_view_is_nothing(type, number))
		say_object(text, number, CTP_KIND_SUSPEND);
}

size_t ct_view_say(const struct ct_view *view, enum ct_view_type type, int64_t number,
	unsigned kind, char *buffer, size_t nr_bytes)
{
	struct text text = {0};
	size_t length, taken;

	view_say(&text, view, type, number, kind);
	length = text.is_broken ? 0 : text.length;
	taken = length < nr_bytes ? length : nr_bytes - 1;
	if (nr_bytes) {
		memcpy(buffer, text_peek(&text), taken);
		buffer[taken] = '\0';
	}
	text_fini(&text);
	return length;
}

/* ---------------------------------------------------------------- from words to cells */

static bool parse_listed(enum textrace_list list, const char *text, int64_t *ret_number)
{
	uint64_t number;

	if (!textrace_number(list, text, &number))
		return false;
	*ret_number = (int64_t)number;
	return true;
}

static bool parse_state(const char *text, int64_t *ret_number)
{
	int state;

	for (state = 0; state <= CT_STATE_DESTROYED; state++) {
		if (strcmp(ct_state_name((enum ct_state)state), text) == 0) {
			*ret_number = state;
			return true;
		}
	}
	return false;
}

static bool has_64_bits(enum ct_view_type type)
{
	return type == CT_VIEW_TYPE_COROUTINE || type == CT_VIEW_TYPE_TASK ||
	       type == CT_VIEW_TYPE_HANDLE;
}

/* An id beyond the largest signed number is kept as the negative number with the same bits. */
static bool parse_digits(const char *text, enum ct_view_type type, int64_t *ret_number)
{
	bool has_digit = isdigit((unsigned char)text[*text == '-']);
	char *end;

	errno = 0;
	*ret_number = has_64_bits(type) && *text != '-' ? (int64_t)strtoull(text, &end, 10)
							: strtoll(text, &end, 10);
	return has_digit && !*end && !errno;
}

bool ct_view_parse(struct ct_view *view, enum ct_view_table table, uint32_t column,
	const char *text, int64_t *ret_number)
{
	if (table >= CT_VIEW_NR_TABLES || column >= ct_view_describe(table)->nr_columns)
		return false;
	switch (ct_view_describe(table)->columns[column].type) {
	case CT_VIEW_TYPE_TEXT:
		return view_fill(view, table, NULL) == CT_OK &&
		       view_text_find(
			       view, view_tables[view_tables[table].log].share, text, ret_number);
	case CT_VIEW_TYPE_KIND:
		return parse_listed(TEXTRACE_KINDS, text, ret_number);
	case CT_VIEW_TYPE_OUTCOME:
		return parse_listed(TEXTRACE_OUTCOMES, text, ret_number);
	case CT_VIEW_TYPE_MARK:
		return parse_listed(TEXTRACE_MARKS, text, ret_number);
	case CT_VIEW_TYPE_STATE:
		return parse_state(text, ret_number);
	default:
		return parse_digits(
			text, ct_view_describe(table)->columns[column].type, ret_number);
	}
}
