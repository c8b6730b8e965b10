/* SPDX-License-Identifier: MIT */
/*
 * The Model Context Protocol (modelcontextprotocol.io), by which an assistant asks about traces: requests and answers
 * of JSON-RPC 2.0, one on each line.
 *
 * Two ways of opening are supported: the older one, by "initialize", and that of revision 2026-07-28, where each
 * request names its version. One thread uses a server; only mcp_server_cancel may be called by another thread.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/traces.h"

struct json_object;

/* The greatest length of a line, in bytes; a longer line is refused and skipped. */
#define MCP_LINE_BYTES ((size_t)1 << 20)

/* The most messages in one line; the older revision allows several. */
#define MCP_BATCH_MOST 64u

struct mcp_server {
	struct mcp_traces traces;
	const char *version; /* the version that "initialize" agreed on; NULL: none */
	char *root;          /* resolved; NULL: any file may be named */
	char *folder;        /* the folder for new traces */
	bool allows_run;
	/* readable when the call that is being answered shall end; 0: never */
	int cancel_descriptor;
	/* Sends one message, without a newline. */
	void (*put)(void *context, const char *line, size_t nr_bytes);
	void *context;
};

struct mcp_options {
	int input;
	int output;
	int stop_descriptor; /* readable when the user wants to end; 0: none */
	const char *root;    /* NULL: any file may be named */
	bool allows_run;
};

/*
 * mcp_serve: answers until the input has ended and all earlier requests are answered, or until the user ends it. The
 * options' texts are the caller's. CT_ERR_UNSUPPORTED: this build has no JSON library. CT_ERR_SYSTEM: the root is not a
 * folder, or the output failed. While a recording may be started, standard input is redirected, so that the started
 * program does not read it.
 */
enum ct_status mcp_serve(const struct mcp_options *options, struct ct_error *reterr);

/* ---------------------------------------------------------------- functions for the loop */

/* mcp_server_init: `root` NULL: no root. False: errno says why. mcp_server_fini: must be called in either case. */
bool mcp_server_init(struct mcp_server *server, const char *root);
void mcp_server_fini(struct mcp_server *server);

/*
 * mcp_server_take: answers one message, or several in an array; the message is borrowed. NULL: a line that could not be
 * read.
 */
void mcp_server_take(struct mcp_server *server, struct json_object *message);

/* mcp_server_is_cancelled: was the call that is being answered cancelled? */
bool mcp_server_is_cancelled(const struct mcp_server *server);

/*
 * mcp_server_progress: reports the progress of a call to the client. `token`: from the request; NULL: the client wants
 * no reports.
 */
void mcp_server_progress(struct mcp_server *server, struct json_object *token, double done,
	double all, const char *message);

#endif
