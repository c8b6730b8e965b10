/* SPDX-License-Identifier: MIT */
/*
 * One function for each line of routes.def: answers the request. Called on the server's threads, several at once.
 */
#ifndef SERVE_API_H
#define SERVE_API_H

#include "base/json_write.h"
#include "serve/server.h"

#define R(method, path, handler, access, what) \
	enum MHD_Result serve_api_##handler(struct serve_call *call);
#include "serve/routes.def"
#undef R

/* serve_api_refuse_unjudged: nothing can be said yet, or never. */
enum MHD_Result serve_api_refuse_unjudged(struct serve_call *call);

/* serve_api_tell_state, serve_api_tell_findings: one value, as the routes and events have it. */
void serve_api_tell_state(struct json *json, struct ct_serve *serve);
void serve_api_tell_findings(struct json *json, const struct judged *judged);

/* serve_standing_tell: a list, as the strip on every screen has it. NULL: nothing is recorded; nothing was judged. */
void serve_standing_tell(
	struct json *json, const struct ct_record_now *now, const struct judged *judged);

#endif
