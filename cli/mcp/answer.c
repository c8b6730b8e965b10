/* SPDX-License-Identifier: MIT */
/*
 * The fields of an answer, in words with units, and the size limit of its rows.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mcp/call.h"
#include "mcp/json.h"

void mcp_put_data(struct json_object *row, const char *name, const char *text)
{
	if (text && *text)
		mcp_json_put(row, name, mcp_json_data(text));
}

void mcp_put_word(struct json_object *row, const char *name, const char *word)
{
	if (word && *word)
		mcp_json_put(row, name, mcp_json_word("%s", word));
}

void mcp_put_count(struct json_object *row, const char *name, uint64_t count)
{
	mcp_json_put(row, name, mcp_json_number(count));
}

void mcp_put_signed(struct json_object *row, const char *name, int64_t number)
{
	mcp_json_put(row, name, json_object_new_int64(number));
}

void mcp_put_yes(struct json_object *row, const char *name, bool is_so)
{
	mcp_json_put(row, name, json_object_new_boolean(is_so));
}

/* Three significant digits, in the unit that gives the fewest zeros. */
void mcp_put_span(struct json_object *row, const char *name, int64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
	size_t unit = 0;
	double value;

	while (unit < 3 && (double)ns >= 0.9995 * units[unit + 1].ns)
		unit++;
	value = (double)ns / units[unit].ns;
	mcp_json_put(row, name,
		mcp_json_word("%.*f %s",
			unit == 0       ? 0
			: value < 9.995 ? 2
			: value < 99.95 ? 1
					: 0,
			value, units[unit].unit));
}

/* To the nanosecond, in a form that ct_time_read accepts, because a moment may become the bound of a window. */
void mcp_put_moment(struct json_object *row, const char *name, ct_time time)
{
	uint64_t distance = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;

	if (time != CT_NO_TIME)
		mcp_json_put(row, name,
			mcp_json_word("%s%" PRIu64 ".%09" PRIu64 "s", time < 0 ? "-" : "",
				distance / 1000000000, distance % 1000000000));
}

void mcp_put_place(
	struct json_object *row, const char *name, const struct ct_tables *tables, uint32_t site)
{
	size_t nr_bytes;
	char *text;

	if (site == 0 || site >= tables->nr_sites)
		return;
	nr_bytes = ct_site_words(tables, site, NULL, 0) + 1;
	text = malloc(nr_bytes);
	if (!text) {
		mcp_json_put(row, name, NULL);
		return;
	}
	ct_site_words(tables, site, text, nr_bytes);
	mcp_put_data(row, name, text);
	free(text);
}

void mcp_put_thread(
	struct json_object *row, const char *name, const struct ct_tables *tables, uint32_t thread)
{
	char text[128];

	if (thread == 0 || thread >= tables->nr_threads)
		return;
	if (*tables->threads[thread].name)
		snprintf(text, sizeof(text), "%.80s (%" PRIu64 ")", tables->threads[thread].name,
			tables->threads[thread].tid);
	else
		snprintf(text, sizeof(text), "%" PRIu64, tables->threads[thread].tid);
	mcp_put_data(row, name, text);
}

void mcp_put_process(struct json_object *row, const struct ct_tables *tables, uint32_t process)
{
	if (tables->nr_processes > 2 && process && process < tables->nr_processes)
		mcp_put_count(row, "process", tables->processes[process].pid);
}

void mcp_put_texts(struct mcp_call *call, struct json_object *row, const char *name,
	const char *const *texts, uint32_t nr_texts)
{
	struct json_object *list = nr_texts ? mcp_put_rows(row, name) : NULL;
	uint32_t i;

	for (i = 0; i < nr_texts; i++)
		mcp_row_add(call, list, mcp_json_data(texts[i]));
}

/* ---------------------------------------------------------------- rows */

struct json_object *mcp_put_rows(struct json_object *object, const char *name)
{
	return mcp_json_put(object, name, json_object_new_array());
}

struct json_object *mcp_put_row(struct json_object *object, const char *name)
{
	return mcp_json_put(object, name, json_object_new_object());
}

struct json_object *mcp_row_new(void)
{
	return json_object_new_object();
}

bool mcp_row_add(struct mcp_call *call, struct json_object *rows, struct json_object *row)
{
	size_t length = 0;

	if (row)
		json_object_to_json_string_length(row, JSON_C_TO_STRING_PLAIN, &length);
	if (call->nr_rows_bytes + length > MCP_ROWS_BYTES) {
		call->nr_left_out++;
		/* Once a row did not fit, no later row is added, so that there are no gaps. */
		call->nr_rows_bytes = MCP_ROWS_BYTES;
		json_object_put(row);
		return false;
	}
	call->nr_rows_bytes += length;
	mcp_json_append(rows, row);
	return true;
}

void mcp_next(struct mcp_call *call, const char *format, ...)
{
	struct json_object *next = mcp_json_get(call->answer, "next");
	char text[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!next)
		next = mcp_put_rows(call->answer, "next");
	mcp_json_append(next, mcp_json_word("%s", text));
}

/* The number of rows left out stands before the suggestion for the next call, which comes last. */
void mcp_call_end(struct mcp_call *call)
{
	struct json_object *next = mcp_json_get(call->answer, "next");

	if (call->nr_left_out)
		mcp_put_count(call->answer, "left_out", call->nr_left_out);
	if (!next)
		return;
	json_object_get(next);
	json_object_object_del(call->answer, "next");
	mcp_json_put(call->answer, "next", next);
}
