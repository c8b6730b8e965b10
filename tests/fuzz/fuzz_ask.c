/* SPDX-License-Identifier: MIT */
/*
 * Requests of any bytes, one on each line, to a small view. An answer has a type and bytes, packed rows begin
 * correctly, and the same request gets the same answer again; a refused request gets a reason.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "memory_file.h"
#include "textrace/textrace.h"
#include "view/view.h"

#define ROWS_BEGIN "CTVIEW1"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static const char trace[] = "trace from=0 until=2s\n"
			    "process 1 pid=100 program=/bin/server probe ledger\n"
			    "thread 1 tid=101 name=worker-0\n"
			    "site 1 kind=source file=/src/server.cpp line=40 function=accept_loop\n"
			    "1ms t1 descriptor-open descriptor:7.1 @1\n"
			    "+1us t1 create c1 0x11010 @1\n"
			    "+1us t1 frame c1 0x11000 @1\n"
			    "+1us t1 suspend c1 descriptor:7 @1\n"
			    "10ms t1 wake c0 frame:0x11000 @1\n"
			    "+10us t1 resume c1\n"
			    "+10us t1 suspend c1 descriptor:7 @1\n"
			    "20ms t1 descriptor-close descriptor:7.1 @1\n"
			    "100ms t1 park\n";

/* Made only once, because requests do not change it. */
static struct ct_view *the_view(void)
{
	static struct ct_view *view;
	struct ct_source *source;

	if (view)
		return view;
	require(textrace_source_from_text("input", 1, trace, strlen(trace), &source, NULL) ==
		CT_OK);
	view = view_open(source, NULL, NULL);
	require(view != NULL);
	return view;
}

static bool is_rows(const struct ask_answer *answer)
{
	return answer->nr_bytes >= sizeof(ROWS_BEGIN) &&
	       memcmp(answer->bytes, ROWS_BEGIN, sizeof(ROWS_BEGIN)) == 0;
}

static void check(const char *line)
{
	struct ask_answer one, other;
	struct ct_error error = {0};

	if (ask_line(the_view(), line, &one, &error)) {
		require(*error.text && error.status != CT_OK);
		return;
	}
	require(is_rows(&one) == (strcmp(one.type, "application/octet-stream") == 0));
	require(ask_line(the_view(), line, &other, &error) == CT_OK);
	require(one.nr_bytes == other.nr_bytes &&
		memcmp(one.bytes, other.bytes, one.nr_bytes) == 0);
	free(one.bytes);
	free(other.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	char *text = malloc(nr_bytes + 1), *rest, *line;

	if (!text)
		return 0;
	memcpy(text, bytes, nr_bytes);
	text[nr_bytes] = '\0';
	rest = text;
	while ((line = strsep(&rest, "\n")))
		check(line);
	free(text);
	return 0;
}
