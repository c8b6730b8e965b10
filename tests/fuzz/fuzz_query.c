/* SPDX-License-Identifier: MIT */
/*
 * SQL of any bytes, run on a small view. SQLite calls the tables with plans, conditions and cursors, which must answer
 * whatever is asked. An error must have a reason and a place in the text; a statement that does not end must be ended.
 */
#include <stdlib.h>
#include <string.h>

#include "corotracer/query.h"
#include "memory_file.h"
#include "textrace/textrace.h"
#include "view/view.h"

#define ROWS_MOST 500
#define TIMEOUT_NS 20000000
#define MEMORY_BYTES (UINT64_C(64) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static const char trace[] = "trace from=0 until=2s\n"
			    "process 1 pid=100 program=/bin/server probe ledger\n"
			    "thread 1 tid=101 name=worker-0\n"
			    "site 1 kind=source file=/src/server.cpp line=40 function=accept_loop\n"
			    "site 2 kind=source file=/src/server.cpp line=50 function=reader\n"
			    "1ms t1 descriptor-open descriptor:7.1 @1\n"
			    "+1us t1 create c1 0x11010 @1\n"
			    "+1us t1 frame c1 0x11000 @1\n"
			    "+1us t1 suspend c1 descriptor:7 @2\n"
			    "10ms t1 wake c0 frame:0x11000 @1\n"
			    "+10us t1 resume c1\n"
			    "+10us t1 suspend c1 descriptor:7 @1\n"
			    "20ms t1 descriptor-close descriptor:7.1 @1\n"
			    "100ms t1 park\n";

/* Made only once, because statements do not change it. */
static struct ct_query *the_query(void)
{
	const struct ct_query_options options = {
		.size = sizeof(options), .memory_bytes = MEMORY_BYTES, .timeout_ns = TIMEOUT_NS};
	static struct ct_query *query;
	struct ct_source *source;
	struct ct_view *view;

	if (query)
		return query;
	require(textrace_source_from_text("input", 1, trace, strlen(trace), &source, NULL) ==
		CT_OK);
	view = view_open(source, NULL, NULL);
	require(view != NULL && ct_query_open(view, &options, &query, NULL) == CT_OK);
	return query;
}

static bool is_expected(enum ct_status status)
{
	return status == CT_OK || status == CT_END || status == CT_ERR_USAGE ||
	       status == CT_ERR_STOPPED || status == CT_ERR_NO_MEMORY;
}

static void take_rows(struct ct_query *query)
{
	uint32_t nr_columns = ct_query_nr_columns(query), i, nr_rows = 0;
	const struct ct_query_cell *cells;
	struct ct_error error = {0};
	enum ct_status status;

	while ((status = ct_query_next(query, &cells, &error)) == CT_OK && nr_rows++ < ROWS_MOST)
		for (i = 0; i < nr_columns; i++)
			require(cells[i].text && ct_query_column(query, i));
	require(is_expected(status) && (status >= 0 || *error.text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct ct_query *query = the_query();
	char *text = malloc(nr_bytes + 1);
	struct ct_error error = {0};
	enum ct_status status;
	const char *rest = text;

	if (!text)
		return 0;
	memcpy(text, bytes, nr_bytes);
	text[nr_bytes] = '\0';
	while ((status = ct_query_ask(query, rest, &rest, &error)) == CT_OK)
		take_rows(query);
	require(is_expected(status));
	require(status >= 0 ||
		(*error.text && (error.offset == CT_NO_OFFSET || error.offset <= strlen(rest))));
	free(text);
	return 0;
}
