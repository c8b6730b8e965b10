/* SPDX-License-Identifier: MIT */
/*
 * Resources and prompts: the report of each open trace, and a guide for a program that hangs.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/json.h"
#include "mcp/methods.h"
#include "private_folder.h"

#define BAD_PARAMETERS (-32602)
#define INTERNAL (-32603)

#define SCHEME "corotracer://"
#define REPORT "/report"
#define REPORT_BYTES 32768u /* of a report; the rest is left out */

struct json_object *mcp_resources_list(struct mcp_server *server)
{
	struct json_object *result = json_object_new_object(), *row;
	struct json_object *rows = mcp_json_put(result, "resources", json_object_new_array());
	const struct mcp_trace *trace;
	size_t i;

	for (i = 0; i < MCP_TRACES_MOST; i++) {
		trace = &server->traces.at[i];
		if (!*trace->handle)
			continue;
		row = mcp_json_append(rows, json_object_new_object());
		mcp_json_put(row, "uri", mcp_json_word(SCHEME "%s" REPORT, trace->handle));
		mcp_json_put(row, "name", mcp_json_word("report of %s", trace->handle));
		mcp_json_put(
			row, "description", mcp_json_data(trace->path ? trace->path : "a process"));
		mcp_json_put(row, "mimeType", mcp_json_word("text/markdown"));
	}
	return result;
}

static struct mcp_trace *find_report(struct mcp_server *server, const char *uri)
{
	char handle[MCP_HANDLE_BYTES];
	size_t length;

	if (strncmp(uri, SCHEME, strlen(SCHEME)) != 0)
		return NULL;
	uri += strlen(SCHEME);
	length = strcspn(uri, "/");
	if (strcmp(uri + length, REPORT) != 0 || length >= sizeof(handle))
		return NULL;
	snprintf(handle, sizeof(handle), "%.*s", (int)length, uri);
	return mcp_traces_find(&server->traces, handle);
}

/* Reads the beginning of a file, up to the end of a line, as far as there is room. */
static struct json_object *read_beginning(const char *path)
{
	static const char rest[] = "\n\n(The rest is left out: ask findings and stats.)\n";
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(REPORT_BYTES + sizeof(rest)) : NULL, *end;
	struct json_object *value = NULL;
	size_t length;

	if (text) {
		length = fread(text, 1, REPORT_BYTES, file);
		text[length] = '\0';
		end = length == REPORT_BYTES ? strrchr(text, '\n') : NULL;
		if (end)
			memcpy(end, rest, sizeof(rest));
		value = mcp_json_page(text);
	}
	free(text);
	if (file)
		fclose(file);
	return value;
}

/* The library writes reports to files, so a private temporary file is used and removed at once. */
static struct json_object *new_report(const struct ct_report *report)
{
	struct ct_report_options options = {.size = sizeof(options),
		.format = CT_REPORT_MARKDOWN,
		.max_findings = 10,
		.max_members = 5};
	struct private_folder folder;
	struct json_object *value = NULL;

	if (!private_folder_make(&folder, "report.md"))
		return NULL;
	if (ct_report_write(report, &options, folder.file, NULL) == CT_OK)
		value = read_beginning(folder.file);
	private_folder_remove(&folder);
	return value;
}

struct json_object *mcp_resources_read(
	struct mcp_server *server, const struct mcp_request *request, struct mcp_failure *reterr)
{
	const char *uri = mcp_json_text(request->parameters, "uri");
	struct mcp_trace *trace = uri ? find_report(server, uri) : NULL;
	struct json_object *result, *row, *text;

	if (!trace)
		return mcp_fail(
			reterr, BAD_PARAMETERS, "resource not found: resources/list has them all");
	text = new_report(trace->report);
	if (!text)
		return mcp_fail(
			reterr, INTERNAL, "the report could not be written to a temporary folder");
	result = json_object_new_object();
	row = mcp_json_append(mcp_json_put(result, "contents", json_object_new_array()),
		json_object_new_object());
	mcp_json_put(row, "uri", mcp_json_word("%s", uri));
	mcp_json_put(row, "mimeType", mcp_json_word("text/markdown"));
	mcp_json_put(row, "text", text);
	return result;
}

/* ---------------------------------------------------------------- prompts */

#define PROMPT "diagnose"

struct json_object *mcp_prompts_list(void)
{
	struct json_object *result = json_object_new_object(), *row, *argument;

	row = mcp_json_append(
		mcp_json_put(result, "prompts", json_object_new_array()), json_object_new_object());
	mcp_json_put(row, "name", mcp_json_word(PROMPT));
	mcp_json_put(row, "title", mcp_json_word("Diagnose a program by its trace"));
	mcp_json_put(row, "description",
		mcp_json_word("why coroutines of a recorded program hang, or are slow"));
	argument = mcp_json_append(
		mcp_json_put(row, "arguments", json_object_new_array()), json_object_new_object());
	mcp_json_put(argument, "name", mcp_json_word("path"));
	mcp_json_put(argument, "description", mcp_json_word("the trace file"));
	mcp_json_put(argument, "required", json_object_new_boolean(true));
	return result;
}

struct json_object *mcp_prompts_get(const struct mcp_request *request, struct mcp_failure *reterr)
{
	const char *name = mcp_json_text(request->parameters, "name");
	const char *path = mcp_json_text(mcp_json_get(request->parameters, "arguments"), "path");
	struct json_object *result, *message, *content;

	if (!name || strcmp(name, PROMPT) != 0)
		return mcp_fail(reterr, BAD_PARAMETERS, "no such prompt: there is '" PROMPT "'");
	if (!path)
		return mcp_fail(reterr, BAD_PARAMETERS, "'path' is missing");
	result = json_object_new_object();
	message = mcp_json_append(mcp_json_put(result, "messages", json_object_new_array()),
		json_object_new_object());
	mcp_json_put(message, "role", mcp_json_word("user"));
	content = mcp_json_put(message, "content", json_object_new_object());
	mcp_json_put(content, "type", mcp_json_word("text"));
	mcp_json_put(content, "text",
		mcp_json_word("Open the trace '%s' with corotracer and say what is wrong with the "
			      "program. Look at "
			      "lost events first. For each finding that is proven or likely: tell "
			      "its grade, read the "
			      "source at the places that it names, follow 'why' for one of its "
			      "coroutines, check "
			      "'wrong_if', and propose a change. Conclude nothing from what was "
			      "not recorded.",
			path));
	return result;
}
