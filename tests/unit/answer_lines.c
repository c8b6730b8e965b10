/* SPDX-License-Identifier: MIT */
/*
 * Answers requests of a page about a trace, as the server does:
 *
 *	answer_lines TRACE < REQUESTS
 *
 * A line that begins with "sql " is a statement.
 * For each line, prints the status and the length of the answer, a newline, and the answer's bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "ask/statement.h"
#include "base/input.h"
#include "stages/arrange.h"
#include "store/store.h"
#include "view/view.h"

static void put(enum ct_status status, const void *bytes, size_t nr_bytes)
{
	printf("%d %zu\n", (int)status, nr_bytes);
	fwrite(bytes, 1, nr_bytes, stdout);
}

static void answer_statement(struct ct_view *view, const char *sql)
{
	struct text text = {0};
	struct ct_error error = {.offset = CT_NO_OFFSET};
	enum ct_status status = ask_statement(view, sql, &text, &error);

	if (status) {
		text_clear(&text);
		ask_statement_refusal(&error, &text);
	}
	put(status, text_peek(&text), text.length);
	text_fini(&text);
}

static void answer(struct ct_view *view, const char *line)
{
	struct ask_answer answered = {0};
	struct ct_error error = {.text = ""};
	enum ct_status status = ask_line(view, line, &answered, &error);
	const void *bytes = status ? (const void *)error.text : answered.bytes;
	size_t nr_bytes = status ? strlen(error.text) : answered.nr_bytes;

	put(status, bytes, nr_bytes);
	free(answered.bytes);
}

int main(int count, char **arguments)
{
	struct ct_source *source;
	struct ct_view *view;
	struct input *input;
	struct ct_error error;
	char line[65536];

	if (count != 2 || input_open(arguments[1], &input, &error) ||
		store_source_open(input, &source, &error) || arrange_open(source, &source, &error))
		return fprintf(stderr, "%s\n",
			       count == 2 ? error.text : "usage: answer_lines TRACE"),
		       1;
	view = view_open(source, NULL, NULL);
	while (view && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "sql ", 4) == 0)
			answer_statement(view, line + 4);
		else
			answer(view, line);
	}
	view_close(view);
	source_close(source);
	return 0;
}
