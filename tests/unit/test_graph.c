/* SPDX-License-Identifier: MIT */
/*
 * The graph of waits: circles, chains and their owners at several moments of small traces; a thousand equal waits as
 * few nodes; more nodes than the limit; and memory that runs out at every single allocation.
 *
 * Linked with malloc, calloc and realloc wrapped.
 */
#include "graph/graph.h"
#include "base/text.h"
#include "check.h"
#include "view/view.h"
#include "failing_memory.h"
#include "text_form.h"

#define HEAD                                                                       \
	"trace from=0 until=2s\n"                                                  \
	"process 1 pid=100 program=/bin/engine probe ledger\n"                     \
	"thread 1 tid=101 name=one\nthread 2 tid=102 name=two\n"                   \
	"site 1 kind=source file=a.c line=1 reason=receive\n"                      \
	"site 2 kind=source file=a.c line=2 reason=send\n"                         \
	"1ms t1 create c1\n1ms t1 create c2\n1ms t1 create c3\n1ms t1 create c4\n" \
	"1ms t1 resume c1\n1ms t2 resume c2\n"

#define MS 1000000

/* One line for each node, indented by its layer: what it is, how many, and in which circle. */
static void describe(struct text *text, const struct graph *graph)
{
	uint32_t row, i, k;

	for (row = 0; row < graph->nr_rows; row++)
		for (i = 0; i < graph->nodes.count; i++) {
			const struct graph_node *node = &graph->nodes.at[i];

			if (node->row != row)
				continue;
			for (k = 0; k < node->layer; k++)
				text_char(text, ' ');
			text_format(text, "%s %llx", graph_kind_name(node->kind),
				(unsigned long long)(node->id & 0xffff));
			if (node->count > 1)
				text_format(text, " x%llu", (unsigned long long)node->count);
			if (node->kind == GRAPH_COROUTINE)
				text_format(text, " %s", ct_state_name((enum ct_state)node->state));
			if (node->circle)
				text_format(text, " circle %u", node->circle);
			text_char(text, '\n');
		}
}

static struct ct_view *view_of(const char *trace, struct ct_source **ret_source)
{
	*ret_source = open_text(trace);
	return view_open(*ret_source, NULL, NULL);
}

static void expect(const char *trace, ct_time at, const char *expected)
{
	struct ct_source *source;
	struct ct_view *view = view_of(trace, &source);
	struct text text = {0};
	struct graph graph;

	CHECK_EQUAL(graph_init(&graph, view, at, GRAPH_FOLD, NULL), CT_OK);
	describe(&text, &graph);
	CHECK_TEXT(text_peek(&text), expected);
	text_fini(&text);
	graph_fini(&graph);
	view_close(view);
	source_close(source);
}

/* ---------------------------------------------------------------- chains and circles */

static const char circle[] = HEAD "2ms t1 acquire c1 lock:0xa000 @1\n"
				  "2ms t2 acquire c2 lock:0xb000 @1\n"
				  "3ms t1 suspend c1 lock:0xb000 @1\n"
				  "4ms t2 suspend c2 lock:0xa000 @2\n"
				  "5ms t1 resume c3\n"
				  "6ms t1 suspend c3 lock:0xa000 @2\n"
				  "7ms t2 resume c4\n"
				  "8ms t2 suspend c4 coroutine:3 @2\n";

static void test_circle(void)
{
	expect(circle, 1 * MS, "");
	expect(circle, 3 * MS, "coroutine 2 running\n object b000\n  coroutine 1 waiting\n");
	expect(circle, INT64_MAX,
		"coroutine 1 waiting circle 1\n object a000 circle 1\n"
		"  coroutine 2 waiting circle 1\n   object b000 circle 1\n"
		"  coroutine 3 waiting\n   coroutine 4 waiting\n");
}

/* The edge at which a circle is cut open still leads on. */
static void test_circle_is_closed(void)
{
	struct ct_source *source;
	struct ct_view *view = view_of(circle, &source);
	struct graph graph;
	uint32_t at = 0, steps = 0;

	CHECK_EQUAL(graph_init(&graph, view, INT64_MAX, GRAPH_FOLD, NULL), CT_OK);
	CHECK_EQUAL(graph.nr_circles, 1);
	do {
		at = graph.nodes.at[at].to;
		CHECK_EQUAL(graph.nodes.at[at].circle, 1);
		steps++;
	} while (at);
	CHECK_EQUAL(steps, 4);
	graph_fini(&graph);
	view_close(view);
	source_close(source);
}

static void test_owners(void)
{
	const char *gone =
		HEAD "2ms t2 acquire c2 lock:0xa000 @1\n3ms t1 suspend c1 lock:0xa000 @1\n"
		     "4ms t2 suspend c2 @2\n5ms t2 destroy c2\n";

	expect(HEAD "2ms t1 acquire c1 lock:0xa000 @1\n3ms t1 suspend c1 lock:0xa000 @1\n",
		INT64_MAX, "coroutine 1 waiting circle 1\n object a000 circle 1\n");
	expect(HEAD "2ms t2 acquire lock:0xa000 @1\n3ms t1 suspend c1 lock:0xa000 @1\n", INT64_MAX,
		"thread 2\n object a000\n  coroutine 1 waiting\n");
	expect(HEAD "2ms t2 acquire c2 lock:0xa000 @1\n3ms t1 suspend c1 lock:0xa000 @1\n"
		    "4ms t2 hand-over c2 lock:0xa000 @2\n4ms t2 detail 3 detail=receiver\n",
		INT64_MAX, "coroutine 3 unseen\n object a000\n  coroutine 1 waiting\n");
	expect(HEAD "2ms t2 acquire c2 lock:0xa000 @1\n3ms t1 suspend c1 lock:0xa000 @1\n"
		    "4ms t2 release c2 lock:0xa000 @2\n",
		INT64_MAX, "object a000\n coroutine 1 waiting\n");
	/* An owner that was destroyed is shown as destroyed from then on. */
	expect(gone, 4 * MS, "coroutine 2 waiting\n object a000\n  coroutine 1 waiting\n");
	expect(gone, 6 * MS, "coroutine 2 destroyed\n object a000\n  coroutine 1 waiting\n");
}

/* A wait without an object: the await tells what it is for, as long as it lasts. */
static void test_awaits(void)
{
	const char *trace = HEAD "2ms t1 await c1 c2\n3ms t1 suspend c1 @1\n"
				 "9ms t2 await-done c1 c2\n";

	expect(trace, 4 * MS, "coroutine 2 running\n coroutine 1 waiting\n");
	expect(trace, 10 * MS, "coroutine 1 waiting\n");
}

/* ---------------------------------------------------------------- many */

/* `nr` coroutines wait at sites numbered by `site_of`, each for an object of its own, or all for one object. */
static void write_crowd(struct text *text, unsigned nr, unsigned nr_sites, bool has_own)
{
	unsigned i;

	text_add(text, "trace from=0 until=2s\nprocess 1 pid=100 program=/bin/engine probe\n"
		       "thread 1 tid=101 name=one\n");
	for (i = 1; i <= nr_sites; i++)
		text_format(text, "site %u kind=source file=a.c line=%u reason=receive\n", i, i);
	for (i = 1; i <= nr; i++)
		text_format(text,
			"1ms t1 create c%u\n1ms t1 resume c%u\n2ms t1 suspend c%u lock:0x%x @%u\n",
			i, i, i, has_own ? 0x1000 + i : 0xa000, i % nr_sites + 1);
}

static void test_alike_ones_are_one(void)
{
	struct text text = {0};

	write_crowd(&text, 1000, 2, true);
	expect(text_peek(&text), INT64_MAX,
		"object 1001 x1000\n coroutine 2 x500 waiting\n coroutine 1 x500 waiting\n");
	text_clear(&text);
	write_crowd(&text, 4, 1, false);
	expect(text_peek(&text), INT64_MAX,
		"object a000\n coroutine 1 waiting\n coroutine 2 waiting\n coroutine 3 waiting\n"
		" coroutine 4 waiting\n");
	text_fini(&text);
}

static void test_no_more_nodes_than_may_be(void)
{
	struct text text = {0};
	struct ct_source *source;
	struct ct_view *view;
	struct graph graph;

	write_crowd(&text, 1000, 500, false);
	view = view_of(text_peek(&text), &source);
	CHECK_EQUAL(graph_init(&graph, view, INT64_MAX, 1, NULL), CT_OK);
	CHECK_EQUAL(graph.nodes.count, GRAPH_NODES_MAX);
	CHECK_EQUAL(graph.nr_waiting, 1000);
	CHECK_EQUAL(graph.nr_left_out, 1000 - 2 * (GRAPH_NODES_MAX - 1));
	CHECK_EQUAL(graph.nr_rows, GRAPH_NODES_MAX - 1);
	graph_fini(&graph);
	view_close(view);
	source_close(source);
	text_fini(&text);
}

/* ---------------------------------------------------------------- memory */

/* False: there was no such allocation. */
static bool fold_without(struct ct_source *source, long n)
{
	struct ct_view *view = view_open(source, NULL, NULL);
	struct graph graph = {0};
	enum ct_status status;

	has_failed = false;
	fail_at = n;
	status = graph_init(&graph, view, INT64_MAX, GRAPH_FOLD, NULL);
	fail_at = 0;
	CHECK(status == CT_ERR_NO_MEMORY || (status == CT_OK && graph.nodes.count == 6));
	graph_fini(&graph);
	view_close(view);
	return has_failed;
}

static void test_memory(void)
{
	struct ct_source *source = open_text(circle);
	long n = 1;

	while (fold_without(source, n))
		n++;
	CHECK(n > 10);
	source_close(source);
}

int main(void)
{
	test_circle();
	test_circle_is_closed();
	test_owners();
	test_awaits();
	test_alike_ones_are_one();
	test_no_more_nodes_than_may_be();
	test_memory();
	return check_result();
}
