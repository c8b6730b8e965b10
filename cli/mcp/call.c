/* SPDX-License-Identifier: MIT */
/*
 * A call of a tool: its failure, its arguments, checked by the table, and its answer as text.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/server.h"

void mcp_call_fail(struct mcp_call *call, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(call->failure, sizeof(call->failure), format, arguments);
	va_end(arguments);
	call->has_failed = true;
}

void mcp_call_fail_with(struct mcp_call *call, const struct ct_error *error)
{
	mcp_call_fail(call, "%s", error->text);
}

/* ---------------------------------------------------------------- arguments */

static struct json_object *given(const struct mcp_call *call, enum mcp_argument argument)
{
	return mcp_json_get(call->arguments, mcp_arguments[argument].name);
}

/* The index of a text in "a|b|c"; -1: it is not one of them. */
static int place_of(const char *text, const char *words)
{
	size_t length;
	int place;

	for (place = 0; *words; place++) {
		length = strcspn(words, "|");
		if (strlen(text) == length && memcmp(text, words, length) == 0)
			return place;
		words += length + (words[length] == '|');
	}
	return -1;
}

static void check_text(struct mcp_call *call, const struct mcp_argument_about *about)
{
	const char *text = mcp_json_text(call->arguments, about->name);

	if (!text)
		mcp_call_fail(call, "'%s' has to be a text", about->name);
	else if (*about->words && place_of(text, about->words) < 0)
		mcp_call_fail(call, "'%s' is one of %s", about->name, about->words);
}

static void check_number(
	struct mcp_call *call, const struct mcp_argument_about *about, struct json_object *value)
{
	int64_t number = json_object_get_int64(value);

	if (!json_object_is_type(value, json_type_int))
		mcp_call_fail(call, "'%s' has to be a whole number", about->name);
	else if (number < about->least || number > about->most)
		mcp_call_fail(call, "'%s' is from %" PRId64 " to %" PRId64, about->name,
			about->least, about->most);
}

static void check_texts(
	struct mcp_call *call, const struct mcp_argument_about *about, struct json_object *value)
{
	size_t i, nr;

	if (!json_object_is_type(value, json_type_array)) {
		mcp_call_fail(call, "'%s' has to be a list of texts", about->name);
		return;
	}
	nr = json_object_array_length(value);
	if ((int64_t)nr < about->least || (int64_t)nr > about->most)
		mcp_call_fail(call, "'%s' is a list of %" PRId64 " to %" PRId64 " texts",
			about->name, about->least, about->most);
	for (i = 0; i < nr; i++)
		if (!json_object_is_type(json_object_array_get_idx(value, i), json_type_string))
			mcp_call_fail(call, "'%s' has to be a list of texts", about->name);
}

static void check(struct mcp_call *call, const struct mcp_argument_about *about)
{
	struct json_object *value = mcp_json_get(call->arguments, about->name);

	if (!value) {
		if (about->is_required)
			mcp_call_fail(call, "'%s' is missing: %s", about->name, about->meaning);
	} else if (about->type == MCP_ARGUMENT_TEXT) {
		check_text(call, about);
	} else if (about->type == MCP_ARGUMENT_NUMBER) {
		check_number(call, about, value);
	} else {
		check_texts(call, about, value);
	}
}

static bool is_known(enum mcp_tool tool, const char *name)
{
	unsigned i;

	for (i = 0; i < MCP_NR_ARGUMENTS; i++)
		if (mcp_arguments[i].tool == tool && strcmp(mcp_arguments[i].name, name) == 0)
			return true;
	return false;
}

bool mcp_call_init(struct mcp_call *call, struct mcp_server *server, enum mcp_tool tool,
	struct json_object *arguments, struct json_object *progress)
{
	unsigned i;

	*call = (struct mcp_call){
		.server = server,
		.tool = tool,
		.arguments = arguments,
		.progress = progress,
		.answer = json_object_new_object(),
	};
	for (i = 0; i < MCP_NR_ARGUMENTS && !call->has_failed; i++)
		if (mcp_arguments[i].tool == tool)
			check(call, &mcp_arguments[i]);
	if (call->has_failed || !arguments)
		return !call->has_failed;
	json_object_object_foreach(arguments, name, value)
	{
		(void)value;
		if (!is_known(tool, name))
			mcp_call_fail(
				call, "'%s' has no argument '%.60s'", mcp_tools[tool].name, name);
	}
	return !call->has_failed;
}

void mcp_call_fini(struct mcp_call *call)
{
	json_object_put(call->answer);
	call->answer = NULL;
}

bool mcp_given(const struct mcp_call *call, enum mcp_argument argument)
{
	return given(call, argument) != NULL;
}

const char *mcp_given_text(const struct mcp_call *call, enum mcp_argument argument)
{
	return mcp_json_text(call->arguments, mcp_arguments[argument].name);
}

uint64_t mcp_given_number(
	const struct mcp_call *call, enum mcp_argument argument, uint64_t otherwise)
{
	struct json_object *value = given(call, argument);

	return value ? (uint64_t)json_object_get_int64(value) : otherwise;
}

int mcp_given_word(const struct mcp_call *call, enum mcp_argument argument)
{
	const char *text = mcp_given_text(call, argument);

	return text ? place_of(text, mcp_arguments[argument].words) : -1;
}

bool mcp_given_time(struct mcp_call *call, enum mcp_argument argument, int64_t least, int64_t most,
	int64_t otherwise, int64_t *ret_ns)
{
	const char *text = mcp_given_text(call, argument);

	*ret_ns = otherwise;
	if (text && (!ct_time_read(text, ret_ns) || *ret_ns < least || *ret_ns > most))
		mcp_call_fail(call,
			"'%s' is a number and a unit, such as 500ms or 1.25s, within its bounds",
			mcp_arguments[argument].name);
	return !call->has_failed;
}

struct mcp_trace *mcp_call_trace(struct mcp_call *call, enum mcp_argument handle)
{
	const char *name = mcp_given_text(call, handle);
	struct mcp_trace *trace = name ? mcp_traces_find(&call->server->traces, name) : NULL;

	if (!trace)
		mcp_call_fail(call, "no trace '%.40s' is open: call open first", name ? name : "");
	return trace;
}

/* ---------------------------------------------------------------- the answer as text */

static void say_shape(
	FILE *text, struct json_object *object, enum mcp_shape shape, const char *indent);

static void say_scalar(FILE *text, struct json_object *value, enum mcp_field_type type)
{
	if (type == MCP_FIELD_DATA || type == MCP_FIELD_TEXTS || type == MCP_FIELD_CELLS)
		fputs(json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE), text);
	else
		fputs(json_object_get_string(value), text);
}

/* A row becomes one line. */
static void say_row(FILE *text, struct json_object *row, enum mcp_shape shape)
{
	const struct mcp_field_about *field;
	const char *before = "";

	json_object_object_foreach(row, name, value)
	{
		field = mcp_field_find(shape, name);
		fprintf(text, "%s%s: ", before, name);
		say_scalar(text, value, field ? field->type : MCP_FIELD_DATA);
		before = ", ";
	}
	fputc('\n', text);
}

static void say_list(FILE *text, struct json_object *list, const struct mcp_field_about *field,
	const char *indent)
{
	struct json_object *item;
	size_t i;

	fputc('\n', text);
	for (i = 0; i < json_object_array_length(list); i++) {
		item = json_object_array_get_idx(list, i);
		fprintf(text, "%s- ", indent);
		if (field->type == MCP_FIELD_ROWS) {
			say_row(text, item, field->of);
		} else {
			say_scalar(text, item, field->type);
			fputc('\n', text);
		}
	}
}

/* A row that is a field becomes one line, unless it contains lists: the summary of a recording does. */
static void say_field(FILE *text, const char *name, struct json_object *value,
	const struct mcp_field_about *field, const char *indent)
{
	fprintf(text, "%s%s: ", indent, name);
	if (json_object_is_type(value, json_type_array)) {
		say_list(text, value, field, indent);
	} else if (field->type == MCP_FIELD_ROW && field->of == MCP_SHAPE_SUMMARY) {
		fputc('\n', text);
		say_shape(text, value, field->of, "  ");
	} else if (field->type == MCP_FIELD_ROW) {
		say_row(text, value, field->of);
	} else {
		say_scalar(text, value, field->type);
		fputc('\n', text);
	}
}

static void say_shape(
	FILE *text, struct json_object *object, enum mcp_shape shape, const char *indent)
{
	const struct mcp_field_about *field;

	json_object_object_foreach(object, name, value)
	{
		field = mcp_field_find(shape, name);
		if (field && value)
			say_field(text, name, value, field, indent);
	}
}

char *mcp_call_say(const struct mcp_call *call)
{
	char *said = NULL;
	size_t length;
	FILE *text = open_memstream(&said, &length);
	bool is_whole;

	if (!text)
		return NULL;
	say_shape(text, call->answer, mcp_tools[call->tool].shape, "");
	is_whole = !ferror(text);
	if (fclose(text) == 0 && is_whole)
		return said;
	free(said);
	return NULL;
}
