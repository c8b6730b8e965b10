/* SPDX-License-Identifier: MIT */
/*
 * Several threads ask one view at once, from its first moment on: the first request fills the view, and all threads get
 * the same answers. To be run under the thread sanitizer.
 *
 *	stress_view ROUNDS
 */
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "corotracer/ct.h"

#define NR_THREADS 4u
#define NR_COROS 300u

static const enum ct_view_table asked[] = {CT_VIEW_WAITS, CT_VIEW_FINDINGS, CT_VIEW_COROUTINES,
	CT_VIEW_PLACES, CT_VIEW_EVENTS, CT_VIEW_SITES};
#define NR_ASKED (sizeof(asked) / sizeof(*asked))

struct asking {
	struct ct_view *view;
	pthread_barrier_t *start;
	unsigned first; /* the first table: each thread begins with another one */
	uint64_t nr_rows[NR_ASKED];
	uint64_t nr_bytes[NR_ASKED];
	char place[128];
	bool has_text; /* a cell without a text has one */
};

static void ask(struct asking *asking, unsigned table)
{
	const struct ct_view_request request = {.size = sizeof(request),
		.table = asked[table],
		.is_sorted = true,
		.is_descending = true,
		.order = 2};
	const struct ct_view_rows *rows;
	size_t nr_bytes = 0;

	if (ct_view_select(asking->view, &request, &rows, NULL))
		return;
	free(ct_view_pack(asking->view, rows, &nr_bytes));
	asking->nr_rows[table] = rows->nr_rows;
	asking->nr_bytes[table] = nr_bytes;
	asking->has_text |= *ct_view_text(asking->view, 0) != '\0';
	ct_view_rows_free(rows);
}

static void *ask_all(void *context)
{
	struct asking *asking = context;
	unsigned i;

	pthread_barrier_wait(asking->start);
	for (i = 0; i < NR_ASKED; i++)
		ask(asking, (unsigned)((asking->first + i) % NR_ASKED));
	ct_view_say(asking->view, CT_VIEW_TYPE_SITE, 1, 0, asking->place, sizeof(asking->place));
	return NULL;
}

static void one_round(struct ct_trace *trace)
{
	struct asking askings[NR_THREADS] = {{0}};
	pthread_t threads[NR_THREADS];
	pthread_barrier_t start;
	struct ct_view *view = NULL;
	unsigned i, k;

	CHECK_EQUAL(ct_view_open(trace, NULL, &view, NULL), CT_OK);
	CHECK_EQUAL(pthread_barrier_init(&start, NULL, NR_THREADS), 0);
	for (i = 0; i < NR_THREADS; i++) {
		askings[i].view = view;
		askings[i].start = &start;
		askings[i].first = i;
		CHECK_EQUAL(pthread_create(&threads[i], NULL, ask_all, &askings[i]), 0);
	}
	for (i = 0; i < NR_THREADS; i++)
		CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
	for (i = 0; i < NR_THREADS; i++) {
		CHECK_TEXT(askings[i].place, askings[0].place);
		CHECK(!askings[i].has_text);
		for (k = 0; k < NR_ASKED; k++) {
			CHECK_EQUAL(askings[i].nr_rows[k], askings[0].nr_rows[k]);
			CHECK_EQUAL(askings[i].nr_bytes[k], askings[0].nr_bytes[k]);
		}
	}
	CHECK_EQUAL(askings[0].nr_rows[2], NR_COROS);
	pthread_barrier_destroy(&start);
	ct_view_close(view);
}

/* Coroutines that wait, are woken and run; the last one is never woken again. */
static void write_trace(FILE *to)
{
	unsigned i;

	fputs("trace from=0 until=2s\n"
	      "process 1 pid=100 program=/bin/app probe ledger\n"
	      "thread 1 tid=101 name=worker\n"
	      "site 1 kind=source file=/src/app.c line=10 function=consume reason=receive\n",
		to);
	for (i = 1; i <= NR_COROS; i++) {
		fprintf(to, "%uus t1 create c%u @1\n", 10 * i, i);
		fprintf(to, "%uus t1 resume c%u\n", 10 * i + 1, i);
		fprintf(to, "%uus t1 suspend c%u channel:0x%x @1\n", 10 * i + 2, i, i % 7 + 1);
		if (i < NR_COROS)
			fprintf(to, "%uus t1 wake coroutine:%u @1\n", 10 * i + 4, i);
	}
}

int main(int count, char **arguments)
{
	char path[] = "/tmp/stress_view.XXXXXX";
	struct ct_open_options options = {.size = sizeof(options), .no_symbols = true};
	struct ct_trace *trace = NULL;
	int file = mkstemp(path), rounds = count > 1 ? atoi(arguments[1]) : 1;
	FILE *to = file < 0 ? NULL : fdopen(file, "w");
	struct ct_error error;

	CHECK(to != NULL);
	if (!to)
		return check_result();
	write_trace(to);
	fclose(to);
	CHECK_EQUAL(ct_trace_open(path, &options, &trace, &error), CT_OK);
	unlink(path);
	while (trace && rounds-- > 0)
		one_round(trace);
	ct_trace_close(trace);
	return check_result();
}
