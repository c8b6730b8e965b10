/* SPDX-License-Identifier: MIT */
/*
 * The open traces, each under a handle such as "t1". A handle is never used again.
 */
#ifndef MCP_TRACES_H
#define MCP_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ct.h"

#define MCP_TRACES_MOST 8u
#define MCP_HANDLE_BYTES 16

struct mcp_trace {
	char handle[MCP_HANDLE_BYTES]; /* "": no trace is open here */
	char *path;                    /* NULL: the trace of a process */
	struct ct_trace *trace;
	const struct ct_report *report;
	struct ct_view *view; /* made by mcp_trace_view; NULL: no view is open */
};

struct mcp_traces {
	struct mcp_trace at[MCP_TRACES_MOST];
	uint32_t nr_opened;
};

/* mcp_traces_find: finds an open trace by its handle; NULL: there is none. */
struct mcp_trace *mcp_traces_find(struct mcp_traces *traces, const char *handle);

/* mcp_traces_has_room: can one more trace be opened? */
bool mcp_traces_has_room(const struct mcp_traces *traces);

/*
 * mcp_traces_add: judges a trace and keeps it; the trace is taken over in any case. `path` is copied, and may be NULL.
 * The result is valid until it is closed. CT_ERR_USAGE: there is no room.
 */
enum ct_status mcp_traces_add(struct mcp_traces *traces, struct ct_trace *trace, const char *path,
	struct mcp_trace **ret_trace, struct ct_error *reterr);

/*
 * mcp_trace_view: the view of a trace, which stays open until mcp_trace_read or mcp_trace_close; while it is open, only
 * the view may read the trace. mcp_trace_read: returns the trace for reading; an open view is closed, and must be
 * filled again when it is next needed.
 */
enum ct_status mcp_trace_view(
	struct mcp_trace *trace, struct ct_view **ret_view, struct ct_error *reterr);
struct ct_trace *mcp_trace_read(struct mcp_trace *trace);

void mcp_trace_close(struct mcp_trace *trace);
void mcp_traces_fini(struct mcp_traces *traces);

/*
 * mcp_path_resolve: makes the absolute path, without links, of an existing file, or, with `is_new`, of a file that does
 * not exist yet, in an existing folder. `root`: a resolved folder in which the file must lie; NULL: it may lie
 * anywhere. True: *ret_path is for free(). False: `complaint` is one sentence.
 */
bool mcp_path_resolve(const char *path, const char *root, bool is_new, char **ret_path,
	char *complaint, size_t nr_bytes);

#endif
