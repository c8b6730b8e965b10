/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the server's files share: the server, and one request to it.
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <pthread.h>

#include "base/text.h"
#include "corotracer/ct.h"
#include "corotracer/serve.h"
#include "metrics/metrics.h"
#include "serve/access.h"
#include "serve/listen.h"
#include "serve/mhd.h"
#include "session/judging.h"

#define SERVE_BODY_BYTES 4096u /* the largest body of a request */

struct fleet;
struct serve_connections;
struct serve_windows;
struct serve_queries;
struct serve_query;
struct serve_readers;
struct serve_saving;
struct serve_savings;

struct ct_serve {
	struct serve_address address;
	char token[SERVE_TOKEN_BYTES + 1];
	char *url;
	int fetched; /* the file in which the trace of an address lies; -1: it is not at an address */
	char opened[32]; /* that file's path; "": the path itself is opened */
	char *path;      /* of the trace; NULL: there is none */
	/* protects the next three members: a thread that asks the record holds it for reading */
	pthread_rwlock_t recording;
	struct ct_record *record; /* NULL: no recording is in progress */
	bool has_recorded;        /* a recording was in progress, and `last` is its final state */
	struct ct_record_now last;
	struct judging *judging; /* NULL: a fleet is served */
	struct fleet *fleet;     /* NULL: a trace is served */
	struct serve_windows *windows;
	const struct ct_thresholds *thresholds; /* the next two are for `windows` */
	uint64_t memory_bytes;
	struct metrics *metrics; /* accumulated from one request for metrics to the next */
	struct serve_connections *connections;
	struct serve_readers *readers;
	struct serve_queries *queries;
	struct serve_savings *savings;
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
	struct serve_query *query;   /* NULL: the request has no SQL statement */
	struct serve_saving *saving; /* NULL: the request is for no page as one file */
	bool has_answer;             /* the answer was given; the rest of the body is dropped */
	bool is_too_large;           /* the body is too large and is not stored */
};

/*
 * serve_call_header, serve_call_argument: a header or an argument of the request; NULL: the request does not have it.
 * Borrowed until the answer.
 */
const char *serve_call_header(const struct serve_call *call, const char *name);
const char *serve_call_argument(const struct serve_call *call, const char *name);

/* serve_now: the recording's state now, or its state at the end. False: nothing is being recorded or was recorded. */
bool serve_now(struct ct_serve *serve, struct ct_record_now *ret_now);

/* serve_request: libmicrohttpd's handler of requests (MHD_AccessHandlerCallback); the context is the server. */
enum MHD_Result serve_request(void *context, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **call);

/* serve_request_end: MHD_RequestCompletedCallback; frees the call. */
void serve_request_end(void *context, struct MHD_Connection *connection, void **call,
	enum MHD_RequestTerminationCode code);

#endif
