/* SPDX-License-Identifier: MIT */
/*
 * Open traces, and the paths that may be opened.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mcp/traces.h"

struct mcp_trace *mcp_traces_find(struct mcp_traces *traces, const char *handle)
{
	size_t i;

	for (i = 0; i < MCP_TRACES_MOST; i++)
		if (*traces->at[i].handle && strcmp(traces->at[i].handle, handle) == 0)
			return &traces->at[i];
	return NULL;
}

static struct mcp_trace *free_place(const struct mcp_traces *traces)
{
	size_t i;

	for (i = 0; i < MCP_TRACES_MOST; i++)
		if (!*traces->at[i].handle)
			return (struct mcp_trace *)(uintptr_t)&traces->at[i];
	return NULL;
}

bool mcp_traces_has_room(const struct mcp_traces *traces)
{
	return free_place(traces) != NULL;
}

static enum ct_status fail(struct ct_error *reterr, enum ct_status status, const char *sentence)
{
	*reterr = (struct ct_error){.status = status, .offset = CT_NO_OFFSET};
	snprintf(reterr->text, sizeof(reterr->text), "%s", sentence);
	return status;
}

enum ct_status mcp_traces_add(struct mcp_traces *traces, struct ct_trace *trace, const char *path,
	struct mcp_trace **ret_trace, struct ct_error *reterr)
{
	struct mcp_trace *place = free_place(traces), added = {.trace = trace};
	enum ct_status status = CT_OK;

	if (!place)
		status = fail(reterr, CT_ERR_USAGE, "too many traces are open: close one");
	if (!status && path && !(added.path = strdup(path)))
		status = fail(reterr, CT_ERR_NO_MEMORY, "out of memory");
	if (!status)
		status = ct_analyze(trace, NULL, &added.report, reterr);
	if (status) {
		mcp_trace_close(&added);
		return status;
	}
	snprintf(added.handle, sizeof(added.handle), "t%" PRIu32, ++traces->nr_opened);
	*place = added;
	*ret_trace = place;
	return CT_OK;
}

enum ct_status mcp_trace_view(
	struct mcp_trace *trace, struct ct_view **ret_view, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (!trace->view)
		status = ct_view_open(trace->trace, NULL, &trace->view, reterr);
	*ret_view = trace->view;
	return status;
}

struct ct_trace *mcp_trace_read(struct mcp_trace *trace)
{
	ct_view_close(trace->view);
	trace->view = NULL;
	return trace->trace;
}

void mcp_trace_close(struct mcp_trace *trace)
{
	ct_view_close(trace->view);
	ct_report_free(trace->report);
	ct_trace_close(trace->trace);
	free(trace->path);
	*trace = (struct mcp_trace){.path = NULL};
}

void mcp_traces_fini(struct mcp_traces *traces)
{
	size_t i;

	for (i = 0; i < MCP_TRACES_MOST; i++)
		mcp_trace_close(&traces->at[i]);
}

/* ---------------------------------------------------------------- paths */

static bool is_within(const char *path, const char *root)
{
	size_t length = root ? strlen(root) : 0;

	return length <= 1 ||
	       (strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

/* The resolved folder of a new file, with the file's name; NULL: errno says why. */
static char *resolve_new(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *resolved = folder ? realpath(folder, NULL) : NULL, *joined = NULL;

	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		errno = EISDIR;
	else if (resolved && asprintf(&joined, "%s/%s", resolved, name) < 0)
		joined = NULL;
	free(resolved);
	free(folder);
	return joined;
}

/* Opening a file that is not a regular one could block, or be a device. */
static const char *trouble_with(const char *path, const char *root, bool is_new)
{
	struct stat about;

	if (!is_within(path, root))
		return "lies outside of the folder that the server was started with (--root)";
	if (is_new)
		return lstat(path, &about) == 0 ? "is there already, and is not replaced" : NULL;
	if (stat(path, &about) < 0)
		return strerror(errno);
	return S_ISREG(about.st_mode) ? NULL : "is no regular file";
}

bool mcp_path_resolve(const char *path, const char *root, bool is_new, char **ret_path,
	char *complaint, size_t nr_bytes)
{
	char *resolved = is_new ? resolve_new(path) : realpath(path, NULL);
	const char *trouble = resolved ? trouble_with(resolved, root, is_new) : strerror(errno);

	if (trouble) {
		/* Nothing is revealed about files outside the root, not even whether they exist. */
		if (root && !resolved)
			trouble = "cannot be opened below --root";
		snprintf(complaint, nr_bytes, "'%.200s': %s", path, trouble);
		free(resolved);
		return false;
	}
	*ret_path = resolved;
	return true;
}
