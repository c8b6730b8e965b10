/* SPDX-License-Identifier: MIT */
/*
 * One function for each line of routes.def and fleet_routes.def, which answers the request. Called on the server's
 * threads, several at once.
 */
#ifndef SERVE_API_H
#define SERVE_API_H

#include "base/json_write.h"
#include "serve/server.h"

#define R(method, path, handler, access, what) \
	enum MHD_Result serve_api_##handler(struct serve_call *call);
#include "serve/routes.def"
#include "serve/fleet_routes.def"
#undef R

/* serve_api_refuse_unjudged: answers that the trace has not been judged yet, or never will be. */
enum MHD_Result serve_api_refuse_unjudged(struct serve_call *call);

/*
 * serve_api_open_trace: opens the trace as it is now; while only its beginning is written, opens that; -1: there is
 * none. serve_api_name_download: lets the browser save the answer under this name, or under `otherwise` if the name has
 * letters that a header cannot have.
 */
int serve_api_open_trace(struct ct_serve *serve);
void serve_api_name_download(
	struct MHD_Response *response, const char *name, const char *otherwise);

/* serve_api_tell_state, serve_api_tell_findings: write one value, the same in answers and in events. */
void serve_api_tell_state(struct json *json, struct ct_serve *serve);
void serve_api_tell_findings(struct json *json, const struct judged *judged);

/*
 * serve_standing_tell: writes the list for the status strip of every screen. `now` is NULL if nothing is recorded;
 * `judged` is NULL if nothing was judged; with `has_trouble`, the trace could not be judged since then.
 */
void serve_standing_tell(struct json *json, const struct ct_record_now *now,
	const struct judged *judged, bool has_trouble);

#endif
