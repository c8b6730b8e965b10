/* SPDX-License-Identifier: MIT */
/*
 * A list of running statements, under a lock. A connection is suspended before its thread begins; the thread's last
 * action is to resume the connection, and libmicrohttpd then calls the handler again.
 */
#include "serve/queries.h"

#include <stdlib.h>
#include <string.h>

#include "ask/statement.h"
#include "base/clock.h"
#include "base/failure.h"
#include "serve/api.h"
#include "serve/reply.h"

struct serve_query {
	struct serve_queries *all;
	struct serve_call *call;
	const struct judged *judged;
	struct ct_query *query; /* under the lock; NULL: no query is open */
	uint64_t number;        /* the number that the client gave the statement; 0: none */
	bool is_stopped;        /* under the lock */
	bool is_begun;          /* the thread exists and must be waited for */
	enum ct_status status;
	struct ct_error error;
	struct text answer;
	pthread_t thread;
};

struct serve_queries {
	pthread_mutex_t lock;
	pthread_cond_t has_ended;
	struct serve_query *running[SERVE_QUERIES_MAX];
	bool is_over;
};

struct serve_queries *serve_queries_new(void)
{
	struct serve_queries *queries = calloc(1, sizeof(*queries));

	if (!queries)
		return NULL;
	pthread_mutex_init(&queries->lock, NULL);
	pthread_cond_init(&queries->has_ended, NULL);
	return queries;
}

void serve_queries_free(struct serve_queries *queries)
{
	if (!queries)
		return;
	pthread_mutex_destroy(&queries->lock);
	pthread_cond_destroy(&queries->has_ended);
	free(queries);
}

/* ---------------------------------------------------------------- the list */

/* False: too many statements are running, or the server is ending. */
static bool enter(struct serve_queries *queries, struct serve_query *query)
{
	bool is_entered = false;
	uint32_t i;

	pthread_mutex_lock(&queries->lock);
	for (i = 0; i < SERVE_QUERIES_MAX && !queries->is_over && !is_entered; i++) {
		is_entered = !queries->running[i];
		if (is_entered)
			queries->running[i] = query;
	}
	pthread_mutex_unlock(&queries->lock);
	return is_entered;
}

/* The connection is resumed under the lock, so that a thread that waits for the end finds it resumed. */
static void leave(struct serve_queries *queries, const struct serve_query *query)
{
	uint32_t i;

	pthread_mutex_lock(&queries->lock);
	for (i = 0; i < SERVE_QUERIES_MAX; i++)
		if (queries->running[i] == query)
			queries->running[i] = NULL;
	mhd.resume_connection(query->call->connection);
	pthread_cond_broadcast(&queries->has_ended);
	pthread_mutex_unlock(&queries->lock);
}

static void stop(struct serve_query *query)
{
	query->is_stopped = true;
	if (query->query)
		ct_query_interrupt(query->query);
}

unsigned serve_queries_stop(struct serve_queries *queries, uint64_t number)
{
	unsigned count = 0;
	uint32_t i;

	pthread_mutex_lock(&queries->lock);
	for (i = 0; i < SERVE_QUERIES_MAX; i++)
		if (queries->running[i] && queries->running[i]->number == number) {
			stop(queries->running[i]);
			count++;
		}
	pthread_mutex_unlock(&queries->lock);
	return count;
}

static bool has_any(const struct serve_queries *queries)
{
	uint32_t i;

	for (i = 0; i < SERVE_QUERIES_MAX; i++)
		if (queries->running[i])
			return true;
	return false;
}

void serve_queries_end(struct serve_queries *queries)
{
	uint32_t i;

	if (!queries)
		return;
	pthread_mutex_lock(&queries->lock);
	queries->is_over = true;
	for (i = 0; i < SERVE_QUERIES_MAX; i++)
		if (queries->running[i])
			stop(queries->running[i]);
	while (has_any(queries))
		pthread_cond_wait(&queries->has_ended, &queries->lock);
	pthread_mutex_unlock(&queries->lock);
}

/* ---------------------------------------------------------------- one statement */

/* False: the statement was interrupted already. */
static bool publish(struct serve_query *query, struct ct_query *opened)
{
	bool is_stopped;

	pthread_mutex_lock(&query->all->lock);
	query->query = opened;
	is_stopped = query->is_stopped;
	pthread_mutex_unlock(&query->all->lock);
	return !is_stopped;
}

static enum ct_status ask(struct serve_query *query, struct ct_error *reterr)
{
	uint64_t begun_ns = clock_monotonic_ns();
	struct ct_query *opened;
	enum ct_status status = ask_statement_open(query->judged->view, &opened, reterr);

	if (status)
		return status;
	status = ask_statement_begin(opened, text_peek(&query->call->body), reterr);
	/* ct_query_ask forgets an earlier interruption; from here on none is lost. */
	if (status == CT_OK && !publish(query, opened))
		status = ct_fail(reterr, CT_ERR_STOPPED, "interrupted");
	if (status == CT_OK)
		status = ask_statement_answer(opened, begun_ns, &query->answer, reterr);
	publish(query, NULL);
	ct_query_close(opened);
	return status;
}

static void *run(void *context)
{
	struct serve_query *query = context;

	query->status = ask(query, &query->error);
	leave(query->all, query);
	return NULL;
}

static void begin(struct serve_query *query)
{
	mhd.suspend_connection(query->call->connection);
	query->is_begun = pthread_create(&query->thread, NULL, run, query) == 0;
	if (query->is_begun)
		return;
	query->status = ct_fail(&query->error, CT_ERR_SYSTEM, "there is no thread for a query");
	leave(query->all, query);
}

void serve_query_free(struct serve_query *query)
{
	if (!query)
		return;
	if (query->is_begun)
		pthread_join(query->thread, NULL);
	if (query->judged)
		judging_return(query->call->serve->judging, query->judged);
	text_fini(&query->answer);
	free(query);
}

/* ---------------------------------------------------------------- requests */

static enum MHD_Result reply(struct serve_call *call, struct serve_query *query)
{
	struct text text = {0};

	if (query->status == CT_OK) {
		text = query->answer;
		query->answer = (struct text){0};
		return serve_reply_json(call, MHD_HTTP_OK, &text);
	}
	if (query->status == CT_ERR_UNSUPPORTED)
		return serve_reply_error(call, MHD_HTTP_NOT_IMPLEMENTED, "%s", query->error.text);
	ask_statement_refusal(&query->error, &text);
	return serve_reply_json(call, MHD_HTTP_BAD_REQUEST, &text);
}

static uint64_t number_of(const struct serve_call *call)
{
	const char *number = serve_call_argument(call, "number");

	return number ? strtoull(number, NULL, 10) : 0;
}

enum MHD_Result serve_queries_reply(struct serve_queries *queries, struct serve_call *call)
{
	struct serve_query *query = call->query;

	if (query)
		return reply(call, query);
	if (strlen(text_peek(&call->body)) != call->body.length)
		return serve_reply_error(
			call, MHD_HTTP_BAD_REQUEST, "a statement is text, without zero bytes");
	query = calloc(1, sizeof(*query));
	if (!query)
		return MHD_NO;
	*query = (struct serve_query){.all = queries, .call = call, .number = number_of(call)};
	call->query = query;
	query->judged = judging_borrow(call->serve->judging);
	if (!query->judged)
		return serve_api_refuse_unjudged(call);
	if (!enter(queries, query))
		return serve_reply_error(call, MHD_HTTP_SERVICE_UNAVAILABLE,
			"%u queries are being answered; ask again when one of them is done",
			SERVE_QUERIES_MAX);
	begin(query);
	return MHD_YES;
}
