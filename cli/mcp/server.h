/* SPDX-License-Identifier: MIT */
/*
 * The Model Context Protocol (modelcontextprotocol.io), over which an assistant asks about traces: requests and
 * answers of JSON-RPC 2.0, one a line.
 *
 * Two ways of opening are understood: the older one, by "initialize", and that of revision 2026-07-28, where each
 * request tells its version. A server is used by one thread; only mcp_server_cancel may be called by another.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcp/traces.h"

struct json_object;

/* The bytes of one line; a longer one is refused and skipped. */
#define MCP_LINE_BYTES ((size_t)1 << 20)

/* Messages in one line, where the older revision allows several. */
#define MCP_BATCH_MOST 64u

struct mcp_server {
	struct mcp_traces traces;
	const char *version; /* that "initialize" agreed on; NULL: none */
	char *root;          /* resolved; NULL: any file may be named */
	char *folder;        /* where new traces are written */
	bool allows_run;
	int cancel_descriptor; /* readable: the call that is being answered shall end; 0: never */
	/* One message, without a newline. */
	void (*put)(void *context, const char *line, size_t nr_bytes);
	void *context;
};

struct mcp_options {
	int input;
	int output;
	int stop_descriptor; /* readable: the user has enough; 0: none */
	const char *root;    /* NULL: any file may be named */
	bool allows_run;
};

/*
 * mcp_serve: answers until the input ends, and all that was asked before is answered, or until the user has enough. The
 * options' texts are the caller's. CT_ERR_UNSUPPORTED: this build has no JSON library; CT_ERR_SYSTEM: the root is no
 * folder, or the output failed. Where a recording may be started, standard input is taken from the started program.
 */
enum ct_status mcp_serve(const struct mcp_options *options, struct ct_error *reterr);

/* ---------------------------------------------------------------- for the loop */

/* mcp_server_init: `root` NULL: none. False: errno says why. mcp_server_fini: in either case. */
bool mcp_server_init(struct mcp_server *server, const char *root);
void mcp_server_fini(struct mcp_server *server);

/* mcp_server_take: answers one message, or several in an array; borrowed. NULL: a line that could not be read. */
void mcp_server_take(struct mcp_server *server, struct json_object *message);

/* mcp_server_is_cancelled: does somebody want the call that is being answered to end? */
bool mcp_server_is_cancelled(const struct mcp_server *server);

/*
 * mcp_server_progress: tells the client how far a call is. `token`: its own, from the request; NULL: it did not ask.
 */
void mcp_server_progress(struct mcp_server *server, struct json_object *token, double done,
	double all, const char *message);

#endif
