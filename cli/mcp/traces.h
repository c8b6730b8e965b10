/* SPDX-License-Identifier: MIT */
/*
 * The traces that are open, each under a handle: "t1". A handle is not given out twice.
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
	char handle[MCP_HANDLE_BYTES]; /* "": nothing is open here */
	char *path;                    /* NULL: it is of a process */
	struct ct_trace *trace;
	const struct ct_report *report;
	struct ct_view *view; /* mcp_trace_view; NULL: none is open */
};

struct mcp_traces {
	struct mcp_trace at[MCP_TRACES_MOST];
	uint32_t nr_opened;
};

/* mcp_traces_find: by handle; NULL: none of this name is open. */
struct mcp_trace *mcp_traces_find(struct mcp_traces *traces, const char *handle);

/* mcp_traces_has_room: can another one be opened? */
bool mcp_traces_has_room(const struct mcp_traces *traces);

/*
 * mcp_traces_add: judges a trace and keeps it, which it takes in either case; `path` is copied, and may be NULL. The
 * result lives until it is closed. CT_ERR_USAGE: there is no room.
 */
enum ct_status mcp_traces_add(struct mcp_traces *traces, struct ct_trace *trace, const char *path,
	struct mcp_trace **ret_trace, struct ct_error *reterr);

/*
 * mcp_trace_view: the view of a trace, kept until mcp_trace_read or mcp_trace_close. While it is open, the trace is its
 * to read. mcp_trace_read: the trace, to be read otherwise: a view is closed, and filled again when it is asked for.
 */
enum ct_status mcp_trace_view(
	struct mcp_trace *trace, struct ct_view **ret_view, struct ct_error *reterr);
struct ct_trace *mcp_trace_read(struct mcp_trace *trace);

void mcp_trace_close(struct mcp_trace *trace);
void mcp_traces_fini(struct mcp_traces *traces);

/*
 * mcp_path_resolve: the absolute path, without links, of a file that is there, or, with `is_new`, of one that is not,
 * in a folder that is. `root`: a folder, resolved likewise, that it has to lie in; NULL: anywhere. True: *ret_path
 * is for free(). False: `complaint` is one sentence.
 */
bool mcp_path_resolve(const char *path, const char *root, bool is_new, char **ret_path,
	char *complaint, size_t nr_bytes);

#endif
