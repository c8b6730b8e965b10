/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the server: what is served, and one request for it.
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <microhttpd.h>
#include <pthread.h>

#include "base/text.h"
#include "corotracer/ct.h"
#include "corotracer/serve.h"
#include "metrics/metrics.h"
#include "serve/access.h"
#include "serve/listen.h"
#include "session/judging.h"

#define SERVE_BODY_BYTES 4096u /* of a request, at most */

struct serve_connections;
struct serve_queries;
struct serve_query;
struct serve_readers;

struct ct_serve {
	struct serve_address address;
	char token[SERVE_TOKEN_BYTES + 1];
	char *url;
	char *path; /* of the trace; NULL: none */
	pthread_rwlock_t
		recording;        /* of the next three: whoever asks the record holds it to read */
	struct ct_record *record; /* NULL: none goes on */
	bool has_recorded;        /* one went on, and `last` is what it said at its end */
	struct ct_record_now last;
	struct judging *judging;
	struct metrics *metrics; /* added up from one request for them to the next */
	struct serve_connections *connections;
	struct serve_readers *readers;
	struct serve_queries *queries;
	struct MHD_Daemon *daemon;
};

enum serve_access {
	SERVE_READ,
	SERVE_CHANGE,
};

/* One request, from its first header to the end of its answer. */
struct serve_call {
	struct ct_serve *serve;
	struct MHD_Connection *connection;
	const char *method;
	const char *path;
	struct text body;
	struct serve_query *query; /* NULL: it asks in no SQL */
	bool was_judged;           /* it may be asked: its body is read */
	bool has_answer;           /* already; what still comes of its body is dropped */
	bool is_too_large;         /* the body; nothing of it is kept any more */
};

/* serve_call_header, serve_call_argument: of the request; NULL: it has none. Borrowed until the answer. */
const char *serve_call_header(const struct serve_call *call, const char *name);
const char *serve_call_argument(const struct serve_call *call, const char *name);

/* serve_now: what the recording tells of itself, at its end or now. False: nothing is, or was, recorded. */
bool serve_now(struct ct_serve *serve, struct ct_record_now *ret_now);

/* serve_request: libmicrohttpd's handler of requests (MHD_AccessHandlerCallback); its context is the server. */
enum MHD_Result serve_request(void *context, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **call);

/* serve_request_end: MHD_RequestCompletedCallback: frees the call. */
void serve_request_end(void *context, struct MHD_Connection *connection, void **call,
	enum MHD_RequestTerminationCode code);

#endif
