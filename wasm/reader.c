/* SPDX-License-Identifier: MIT */
/*
 * The functions that a page calls. The page copies its trace into memory, opens it, and sends the same requests as over
 * HTTP (ask/ask.h). An answer stays in memory until the next request.
 *
 *	bytes = reader_room(size); copy the trace to there; reader_open(size)
 *	line = reader_line(length); copy the request to there; reader_ask(length)
 *	line = reader_line(length); copy a statement of SQL to there; reader_query(length)
 *	status, reader_answer(), reader_answer_bytes(): the answer, or the error's sentence; for a statement, JSON
 */
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "ask/statement.h"
#include "base/failure.h"
#include "base/text.h"
#include "stages/arrange.h"
#include "store/store.h"
#include "view/view.h"
#include "wasm/input.h"

#define EXPORTED(name) __attribute__((export_name(#name), used))

#define LINE_MOST 65536u

static struct {
	uint8_t *trace;
	struct ct_source *source;
	struct ct_view *view;
	char line[LINE_MOST + 1];
	struct ask_answer answer;
	struct ct_error error;
} reader;

EXPORTED(reader_room) uint8_t *reader_room(size_t nr_bytes)
{
	if (!reader.trace)
		reader.trace = malloc(nr_bytes + 1);
	return reader.trace;
}

static int done(enum ct_status status)
{
	if (status == CT_OK)
		return 0;
	free(reader.answer.bytes);
	reader.answer = (struct ask_answer){
		.type = "text/plain", .bytes = (uint8_t *)strdup(reader.error.text)};
	reader.answer.nr_bytes = reader.answer.bytes ? strlen(reader.error.text) : 0;
	return (int)status;
}

/* Each page has one trace. */
EXPORTED(reader_open) int reader_open(size_t nr_bytes)
{
	struct input *input = wasm_input_new(reader.trace, nr_bytes);
	enum ct_status status;

	if (!input)
		return done(ct_fail_memory(&reader.error));
	status = store_source_open(input, &reader.source, &reader.error);
	if (status == CT_OK)
		status = arrange_open(reader.source, &reader.source, &reader.error);
	if (status)
		return done(status);
	reader.view = view_open(reader.source, NULL, NULL);
	return reader.view ? 0 : done(ct_fail_memory(&reader.error));
}

EXPORTED(reader_line) char *reader_line(size_t length)
{
	return length <= LINE_MOST ? reader.line : NULL;
}

EXPORTED(reader_ask) int reader_ask(size_t length)
{
	reader.line[length <= LINE_MOST ? length : 0] = '\0';
	free(reader.answer.bytes);
	reader.answer = (struct ask_answer){0};
	if (!reader.view)
		return done(ct_fail(&reader.error, CT_ERR_USAGE, "no trace is open"));
	return done(ask_line(reader.view, reader.line, &reader.answer, &reader.error));
}

/* The text becomes the answer. */
static void answer_text(struct text *text)
{
	reader.answer = (struct ask_answer){.type = "application/json",
		.bytes = (uint8_t *)strdup(text_peek(text)),
		.nr_bytes = text->length};
	if (!reader.answer.bytes)
		reader.answer.nr_bytes = 0;
	text_fini(text);
}

EXPORTED(reader_query) int reader_query(size_t length)
{
	struct text text = {0};
	enum ct_status status;

	reader.line[length <= LINE_MOST ? length : 0] = '\0';
	free(reader.answer.bytes);
	reader.error = (struct ct_error){.offset = CT_NO_OFFSET};
	if (strlen(reader.line) != length)
		status = ct_fail(
			&reader.error, CT_ERR_USAGE, "a statement is text, without zero bytes");
	else
		status = ask_statement(reader.view, reader.line, &text, &reader.error);
	if (status) {
		text_clear(&text);
		ask_statement_refusal(&reader.error, &text);
	}
	answer_text(&text);
	return (int)status;
}

EXPORTED(reader_answer) const uint8_t *reader_answer(void)
{
	return reader.answer.bytes;
}

EXPORTED(reader_answer_bytes) size_t reader_answer_bytes(void)
{
	return reader.answer.nr_bytes;
}
