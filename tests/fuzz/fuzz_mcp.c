/* SPDX-License-Identifier: MIT */
/*
 * Requests of any bytes to a server that has one trace open. Each answer must be one line of JSON of limited length. No
 * file outside the folder may be opened, no process watched, no program run.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "mcp/json.h"
#include "mcp/server.h"

/* Text and structured content of full rows, escaped twice, and a report. */
#define ANSWER_BYTES 131072u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static char folder[] = "/tmp/corotracer-fuzz-XXXXXX";

/* A dropped wake, and a name with markup. */
static const char trace[] =
	"trace from=0 until=2s\n"
	"process 1 pid=100 program=/bin/pipeline probe ledger\n"
	"thread 1 tid=101 name=worker-0\n"
	"thread 2 tid=102 name=\"worker\\xff\"\n"
	"site 1 kind=source file=/src/pipeline.c line=10 function=main\n"
	"site 2 kind=source file=/src/pipeline.c line=55 function=\"a\\nb \\\"c\\\"\" "
	"reason=receive\n"
	"site 3 kind=source file=/src/pipeline.c line=77 function=produce reason=send\n"
	"1ms t1 create c1 0x11010 @1\n"
	"1ms t1 create c2 0x12010 @1\n"
	"1ms t1 resume c1\n"
	"1ms t2 resume c2\n"
	"1500us t1 acquire c1 lock:0x5000 @2\n"
	"2ms t1 suspend c1 channel:0x6000 @2\n"
	"+5us t2 wake c2 coroutine:1 @3 outcome=target-running\n"
	"3ms t2 return c2\n"
	"3ms t2 destroy c2\n"
	"10ms t1 park\n"
	"10ms t2 park\n";

static const char opening[] =
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-03-26\"}}\n"
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"open\","
	"\"arguments\":{\"path\":\"%s/trace.txt\"}}}\n";

static void require(bool is_so)
{
	if (!is_so)
		abort();
}

static void check_answer(void *context, const char *line, size_t nr_bytes)
{
	struct json_object *value;
	size_t i;

	(void)context;
	require(nr_bytes < ANSWER_BYTES);
	for (i = 0; i < nr_bytes; i++)
		require((unsigned char)line[i] >= 0x20);
	require(mcp_json_read(line, nr_bytes, &value));
	json_object_put(value);
}

static void take(struct mcp_server *server, const char *lines, size_t nr_bytes)
{
	struct json_object *message;
	const char *end;
	size_t length;

	for (; nr_bytes; lines += length, nr_bytes -= length) {
		end = memchr(lines, '\n', nr_bytes);
		length = end ? (size_t)(end - lines) + 1 : nr_bytes;
		mcp_json_read(lines, length, &message);
		mcp_server_take(server, message);
		json_object_put(message);
	}
}

static void clear(void)
{
	char path[sizeof(folder) + 16];

	snprintf(path, sizeof(path), "%s/trace.txt", folder);
	unlink(path);
	rmdir(folder);
}

static void prepare(void)
{
	char path[sizeof(folder) + 16];
	FILE *file;

	require(mkdtemp(folder) != NULL);
	atexit(clear);
	snprintf(path, sizeof(path), "%s/trace.txt", folder);
	file = fopen(path, "we");
	require(file && fputs(trace, file) >= 0 && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static bool is_prepared;
	struct mcp_server server;
	char lines[512];

	if (!is_prepared)
		prepare();
	is_prepared = true;
	require(mcp_server_init(&server, folder));
	server.put = check_answer;
	snprintf(lines, sizeof(lines), opening, folder);
	take(&server, lines, strlen(lines));
	require(mcp_traces_find(&server.traces, "t1") != NULL);
	take(&server, (const char *)bytes, nr_bytes);
	mcp_server_fini(&server);
	return 0;
}
