/* SPDX-License-Identifier: MIT */
/*
 * The methods of the protocol, one function each.
 */
#ifndef MCP_METHODS_H
#define MCP_METHODS_H

#include "mcp/server.h"

struct mcp_request {
	const char *method;
	struct json_object *parameters; /* NULL: none */
	bool is_modern;                 /* the request names its version: revision 2026-07-28 */
};

/* An error of the protocol; errors of tools are results. */
struct mcp_failure {
	int code; /* of JSON-RPC; 0: no error */
	char text[200];
	struct json_object *data; /* NULL: none */
};

/*
 * mcp_method_perform: returns the result, which is the caller's. NULL with an error code: an error; its data is the
 * caller's. NULL without an error code: the request was cancelled and gets no answer.
 */
struct json_object *mcp_method_perform(
	struct mcp_server *server, struct mcp_request *request, struct mcp_failure *reterr);

/* mcp_fail: sets a failure, and returns NULL, so that a method can return its result. */
struct json_object *mcp_fail(struct mcp_failure *failure, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The resources and prompts (resources.c): results as for mcp_method_perform. */
struct json_object *mcp_resources_list(struct mcp_server *server);
struct json_object *mcp_resources_read(
	struct mcp_server *server, const struct mcp_request *request, struct mcp_failure *reterr);
struct json_object *mcp_prompts_list(void);
struct json_object *mcp_prompts_get(const struct mcp_request *request, struct mcp_failure *reterr);

#endif
