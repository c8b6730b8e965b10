/* SPDX-License-Identifier: MIT */
/*
 * Names of things, and tables of them: long names are shortened, and hostile text is made harmless. Table-driven.
 */
#include "check.h"
#include "render/table.h"
#include "say/safe.h"
#include "say/say.h"

/* Runs one function from text to text, and compares its result with the one expected. */
static void expect(
	void (*function)(struct text *, const char *), const char *given, const char *expected)
{
	struct text text = {0};

	function(&text, given);
	CHECK_TEXT(text_peek(&text), expected);
	CHECK_EQUAL(text_status(&text, NULL), CT_OK);
	text_fini(&text);
}

static void test_functions(void)
{
	static const struct {
		const char *signature, *name;
	} rows[] = {
		{"", ""},
		{"main", "main"},
		{"int main(int, char**)", "main"},
		{"demo::Task demo::handle(Reactor&, int)", "demo::handle"},
		{"void Scheduler::idle(Worker&) const", "Scheduler::idle"},
		{"Task Server::accept(Socket) [clone .actor]", "Server::accept"},
		{"void (anonymous namespace)::Watch::wait()", "Watch::wait"},
		{"void {anonymous}::Watch::wait()", "Watch::wait"},
		{"std::vector<int, std::allocator<int> > f(std::function<void(int)>)", "f"},
		{"std::map<int, int>::operator[](int&&)", "std::map<int, int>::operator[]"},
		{"bool operator<(Time, Time)", "operator<"},
		{"bool net::operator<<(Out&, In)", "net::operator<<"},
		{"int net::Poll::operator()(int) const", "net::Poll::operator()"},
		{"Handle::operator bool() const", "Handle::operator bool"},
		{"T* Pool::get()", "Pool::get"},
		{"main()::<lambda(int)>", "main()::<lambda(int)>"},
		{"main::{lambda(int)#1}::operator()(int) const",
			"main::{lambda(int)#1}::operator()"},
		{"decltype(auto) run(int)", "run"},
		{"auto run(int) -> std::vector<int>", "run"},
		{"f(int", "f(int"},
		{"f)", "f)"},
		{"(", "("},
		{"a<b", "a<b"},
		/* A long name loses its outermost template arguments, and nothing else. */
		{"Task net::Server<std::vector<std::pair<int, std::string>>, "
		 "net::policy::retry_with_backoff<10>>::serve(int)",
			"net::Server<...>::serve"},
		{"a_name_that_is_long_by_itself_and_has_an_argument_list_that_never_ends<std::"
		 "vector<int>",
			"a_name_that_is_long_by_itself_and_has_an_argument_list_that_never_ends<"
			"...>"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(say_function, rows[i].signature, rows[i].name);
}

static void test_files(void)
{
	expect(say_file, "", "not known");
	expect(say_file, "/", "/");
	expect(say_file, "main.cpp", "main.cpp");
	expect(say_file, "./main.cpp", "main.cpp");
	expect(say_file, "../src/main.cpp", "src/main.cpp");
	expect(say_file, "../../src/main.cpp", "src/main.cpp");
	expect(say_file, "/main.cpp", "main.cpp");
	expect(say_file, "/src/main.cpp", "src/main.cpp");
	expect(say_file, "/home/user/app/src/net/main.cpp", "src/net/main.cpp");
	expect(say_file, "/usr/bin/lua5.4", "/usr/bin/lua5.4");
	expect(say_file, "usr/bin/lua5.4", "usr/bin/lua5.4");
	expect(say_file, "//usr/bin/lua5.4", "usr/bin/lua5.4");
}

static void test_safe(void)
{
	expect(say_safe, "plain, na\xc3\xafve", "plain, na\xc3\xafve");
	expect(say_safe, "\033[2J\a", "\\x1b[2J\\x07");
	expect(say_safe, "two\nlines\tand a tab", "two\\x0alines\\x09and a tab");
	expect(say_safe,
		"\xc2\x9b"
		"31m",
		"\\u{9b}31m");
	expect(say_safe,
		"right\xe2\x80\xae"
		"left",
		"right\\u{202e}left");
	expect(say_safe, "zero\xe2\x80\x8bwidth\xef\xbb\xbf", "zero\\u{200b}width\\u{feff}");
	expect(say_safe, "\x80\xff\xc3", "\\x80\\xff\\xc3");
	expect(say_safe, "\xc0\xaf", "\\xc0\\xaf");
	expect(say_safe, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	expect(say_safe, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	expect(say_safe, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}

static void test_markdown(void)
{
	expect(say_markdown, "a_b*c", "a\\_b\\*c");
	expect(say_markdown, "x | y", "x \\| y");
	expect(say_markdown, "<script>&", "\\<script\\>\\&");
	expect(say_markdown, "[text](http://host)", "\\[text\\](http://host)");
	expect(say_markdown, "by @somebody", "by `@`somebody");
	expect(say_markdown, "- item", "\\- item");
	expect(say_markdown, "a - b", "a - b");
	expect(say_markdown, "`code`", "\\`code\\`");
}

static void test_html(void)
{
	static const char bytes[] = "<a href=\"x\">'&amp;' b</a>and this is not meant";
	struct text text = {0};

	say_html(&text, bytes, 25);
	CHECK_TEXT(text_peek(&text), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;&#39; b&lt;/a&gt;");
	text_fini(&text);
}

static void expect_time(ct_time time, const char *expected)
{
	struct text text = {0};

	say_time(&text, time);
	CHECK_TEXT(text_peek(&text), expected);
	text_fini(&text);
}

static void test_times(void)
{
	expect_time(0, "0.000000 s");
	expect_time(1020412999, "1.020412 s");
	expect_time(-1500000, "-0.001500 s");
	expect_time(INT64_MAX, "9223372036.854775 s");
	expect_time(CT_NO_TIME, "not known");
}

static void expect_event(const struct ct_event *event, const char *expected)
{
	struct text text = {0};

	say_kind(&text, event->kind);
	text_char(&text, '|');
	say_event(&text, event);
	CHECK_TEXT(text_peek(&text), expected);
	text_fini(&text);
}

static void test_events(void)
{
	static const struct {
		struct ct_event event;
		const char *words;
	} rows[] = {
		{{.kind = CTP_KIND_SUSPEND, .object = CTP_DESCRIPTOR(7, 3)},
			"suspend|for descriptor 7 (generation 3)"},
		{{.kind = CTP_KIND_SUSPEND, .argument = CTP_POINT_FINAL}, "suspend|final"},
		{{.kind = CTP_KIND_SUSPEND, .flags = CTP_TOLD_AROUND},
			"suspend|recorded by a hook"},
		{{.kind = CTP_KIND_RESUME, .argument = CTP_POINT_YIELD, .flags = CTP_TOLD_AROUND},
			"resume|yield, recorded by a hook"},
		{{.kind = CTP_KIND_RESUME}, "resume|"},
		{{.kind = CTP_KIND_WAKE, .object = CTP_HANDLE(CTP_RESOURCE_COROUTINE, 9)},
			"wake|coroutine 9, queued"},
		{{.kind = CTP_KIND_DESCRIPTOR_IO,
			 .object = CTP_DESCRIPTOR(7, 0),
			 .argument = 1,
			 .coro = (uint64_t)-11},
			"descriptor-io|read descriptor 7, result EAGAIN"},
		{{.kind = CTP_KIND_DESCRIPTOR_IO, .object = CTP_DESCRIPTOR(7, 0), .argument = 99},
			"descriptor-io|transfer on descriptor 7, result 0"},
		{{.kind = CTP_KIND_DESCRIPTOR_ARM,
			 .object = CTP_DESCRIPTOR(7, 0),
			 .argument = 1,
			 .flags = 0xc001},
			"descriptor-arm|add interest in descriptor 7, readable, one shot, edge "
			"triggered"},
		{{.kind = CTP_KIND_DESCRIPTOR_READY, .object = CTP_DESCRIPTOR(7, 0), .flags = 0x12},
			"descriptor-ready|descriptor 7 is ready, hung-up 0x2"},
		{{.kind = CTP_KIND_BLOCK_BEGIN,
			 .argument = CTP_CALL_EPOLL_WAIT,
			 .object = UINT64_MAX},
			"block-begin|enter epoll_wait, without time-out"},
		{{.kind = CTP_KIND_CRASH, .argument = 11, .object = 0xdead},
			"crash|SIGSEGV, address 0xdead"},
		{{.kind = CTP_KIND_CRASH, .argument = 6, .flags = 2},
			"crash|SIGABRT, sent by the program itself"},
		{{.kind = CTP_KIND_CREATE, .object = 0x1010}, "create|0x1010"},
		{{.kind = CTP_KIND_CREATE}, "create|"},
		{{.kind = CTP_KIND_LOST, .object = 1}, "lost|1 event is missing (ring full)"},
		{{.kind = CTP_KIND_SWITCH, .coro = 3, .object = 4},
			"switch|leaves the thread to coroutine 4"},
		{{.kind = CTP_KIND_SWITCH, .coro = 3}, "switch|leaves the thread"},
		{{.kind = CTP_KIND_SWITCH, .object = 4}, "switch|enters coroutine 4"},
		{{.kind = CTP_KIND_DETAIL,
			 .argument = CTP_DETAIL_RESOURCE,
			 .object = CTP_DESCRIPTOR(7, 1)},
			"detail|resource: descriptor 7 (generation 1)"},
		{{.kind = CTP_KIND_DETAIL, .argument = CTP_DETAIL_RECEIVER, .object = 4},
			"detail|receiver: coroutine 4"},
		{{.kind = CTP_KIND_DETAIL, .argument = CTP_DETAIL_DEADLINE, .object = 5000000000},
			"detail|deadline: 5.00 s of the system's clock"},
		{{.kind = CTP_KIND_DETAIL, .argument = CTP_DETAIL_TEXT, .object = 0x6f6c6c6568},
			"detail|text: 'hello'"},
		{{.kind = CTP_KIND_DETAIL, .argument = CTP_DETAIL_CALLER, .object = 0xdead},
			"detail|caller: 0xdead"},
		{{.kind = CTP_KIND_DETAIL, .argument = CTP_DETAIL_SWEPT, .object = 9},
			"detail|swept: 9"},
		{{.kind = CTP_KIND_DESTROY, .argument = CTP_LIFE_SUSPENDED}, "destroy|suspended"},
		{{.kind = 200, .object = 5}, "kind 200|5"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_event(&rows[i].event, rows[i].words);
}

/* Whatever text a trace holds for the callers, however broken, as much is said as it allows. */
static void test_callers(void)
{
	static const struct {
		const char *callers, *place;
	} rows[] = {
		{"", "take, src/lock.h:12"},
		{"int serve(int)\t/x/y/src/main.c\t40\n",
			"take, src/lock.h:12, inlined into serve at y/src/main.c:40"},
		{"a\ta.c\t1\nb\t\t0\nc\tc.c\t0\n", "take, src/lock.h:12, inlined into a at a.c:1, "
						   "inlined into b, inlined into "
						   "c at "
						   "c.c"},
		{"a\t\t\nb\t\t\nc\t\t\nd\t\t\ne\t\t\nf\t\t\n",
			"take, src/lock.h:12, inlined into a, inlined into b, inlined into c, "
			"inlined "
			"into d, and 2 more"},
		{"a\ta.c\t99999999999\nb\tb.c\t1x\nc", "take, src/lock.h:12, inlined into a at "
						       "a.c, inlined into b at b.c, inlined "
						       "into "
						       "c"},
		{"a\t\033\t1", "take, src/lock.h:12, inlined into a at \\x1b:1"},
		{"\t\033\t1", "take, src/lock.h:12"},
		{"\n\t\n\n\t\t3\na\ta.c\t1\n\n", "take, src/lock.h:12, inlined into a at a.c:1"},
		{"\n", "take, src/lock.h:12"},
	};
	struct ct_site sites[2] = {{.kind = 0},
		{.file = "src/lock.h", .line = 12, .function = "take", .reason = "", .module = ""}};
	struct ct_tables tables = {.sites = sites, .nr_sites = 2};
	struct text text = {0};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sites[1].callers = rows[i].callers;
		text_clear(&text);
		say_place(&text, &tables, 1);
		CHECK_TEXT(text_peek(&text), rows[i].place);
	}
	text_fini(&text);
}

/*
 * The reason of a co_await is what is awaited; the name of the file decides where the trace does not say which form it
 * is.
 */
static void test_forms(void)
{
	static const struct {
		enum ctp_form form;
		const char *file, *function, *place;
	} rows[] = {
		{CTP_FORM_C, "a.h", "take", "lock in take, a.h:3"},
		{CTP_FORM_C, "a.cpp", "take", "lock in take, a.cpp:3"},
		{CTP_FORM_CPP, "a.cpp", "net::take", "lock in net::take, a.cpp:3"},
		{CTP_FORM_CO_AWAIT, "a.h", "take", "co_await lock in take, a.h:3"},
		{CTP_FORM_CO_AWAIT, "", "", "co_await lock"},
		{0, "a.h", "take", "lock in take, a.h:3"},
		{0, "a.h", "net::take", "co_await lock in net::take, a.h:3"},
		{0, "src/a.cc", "", "co_await lock at src/a.cc:3"},
		{0, "a.c", "", "lock at a.c:3"},
		{0, "lib.rs", "app::take", "lock in app::take, lib.rs:3"},
		{0, "", "", "lock"},
	};
	struct ct_site sites[2] = {
		{.kind = 0}, {.line = 3, .reason = "lock", .module = "", .callers = ""}};
	struct ct_tables tables = {.sites = sites, .nr_sites = 2};
	struct text text = {0};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sites[1].form = rows[i].form;
		sites[1].file = rows[i].file;
		sites[1].function = rows[i].function;
		text_clear(&text);
		say_place(&text, &tables, 1);
		CHECK_TEXT(text_peek(&text), rows[i].place);
	}
	text_fini(&text);
}

/* A reason of several words is put in quotes, unless it is a type's name. */
static void test_reasons(void)
{
	static const struct {
		const char *reason, *place;
	} rows[] = {
		{"wait for work", "'wait for work' in take, a.c:3"},
		{"wait", "wait in take, a.c:3"},
		{"map<int, int>", "map<int, int> in take, a.c:3"},
	};
	struct ct_site sites[2] = {{.kind = 0},
		{.file = "a.c", .function = "take", .line = 3, .module = "", .callers = ""}};
	struct ct_tables tables = {.sites = sites, .nr_sites = 2};
	struct text text = {0};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sites[1].reason = rows[i].reason;
		text_clear(&text);
		say_place(&text, &tables, 1);
		CHECK_TEXT(text_peek(&text), rows[i].place);
	}
	text_fini(&text);
}

static void test_table(void)
{
	struct text text = {0};
	struct table table;

	render_table_init(&table, ">id|nothing|name");
	render_cell_safe(&table, "7");
	render_cell_safe(&table, "");
	render_cell_safe(&table, "a|b");
	render_cell_safe(&table, "1025");
	render_cell_safe(&table, "");
	render_cell_safe(&table, "");
	render_table_print(&table, &text, "  ");
	CHECK_TEXT(text_peek(&text), "    id  name\n     7  a|b\n  1025\n");
	text_clear(&text);
	render_table_print_markdown(&table, &text);
	CHECK_TEXT(text_peek(&text), "| id | name |\n| ---: | --- |\n| 7 | a\\|b |\n| 1025 |  |\n");
	text_clear(&text);
	render_table_print_html(&table, &text);
	CHECK_TEXT(text_peek(&text),
		"<div class=\"wide\"><table>\n"
		"<tr><th scope=\"col\" class=\"right\">id</th><th scope=\"col\">name</th></tr>\n"
		"<tr><td class=\"right\">7</td><td>a|b</td></tr>\n"
		"<tr><td class=\"right\">1025</td><td></td></tr>\n"
		"</table></div>\n");
	render_table_fini(&table);
	text_fini(&text);
}

/* With few values there is no percentile; a column without any percentile is left out. */
static void test_percentiles(void)
{
	static const uint64_t counts[] = {0, 1, 99, 100};
	struct text text = {0};
	struct table table;
	size_t i;

	render_table_init(&table, ">p50|>p99|>p99.9|>max");
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct ct_distribution of = {
			.count = counts[i], .p50_ns = 5, .p99_ns = 7, .p999_ns = 8, .max_ns = 9};

		render_cell_part(&table, &of, RENDER_P50);
		render_cell_part(&table, &of, RENDER_P99);
		render_cell_part(&table, &of, RENDER_P999);
		render_cell_part(&table, &of, RENDER_MAX);
	}
	render_table_print(&table, &text, "");
	CHECK_TEXT(text_peek(&text), " p50   p99   max\n"
				     "\n"
				     "   -     -  9 ns\n"
				     "5 ns     -  9 ns\n"
				     "5 ns  7 ns  9 ns\n");
	text_fini(&text);
	render_table_fini(&table);
}

/* Where a time is unknown, or time goes back, no time has passed. */
static void test_time_between(void)
{
	CHECK_EQUAL(ct_time_between(2, 7), 5);
	CHECK_EQUAL(ct_time_between(-3, 7), 10);
	CHECK_EQUAL(ct_time_between(7, 2), 0);
	CHECK_EQUAL(ct_time_between(CT_NO_TIME, 7), 0);
	CHECK_EQUAL(ct_time_between(7, CT_NO_TIME), 0);
	CHECK_EQUAL(ct_time_between(CT_NO_TIME, CT_NO_TIME), 0);
	CHECK_EQUAL(ct_time_between(INT64_MIN + 1, INT64_MAX), INT64_MAX);
}

static void test_installed(void)
{
	CHECK(say_is_installed("/usr/lib/python3.11/asyncio/locks.py"));
	CHECK(say_is_installed("/home/me/corotracer/sdk/python/corotracer/aio_locks.py"));
	CHECK(say_is_installed("<frozen runpy>"));
	CHECK(!say_is_installed("/home/me/corotracer/examples/asyncio/pool.py"));
}

int main(void)
{
	test_time_between();
	test_installed();
	test_functions();
	test_files();
	test_safe();
	test_markdown();
	test_html();
	test_times();
	test_events();
	test_callers();
	test_forms();
	test_reasons();
	test_table();
	test_percentiles();
	return check_result();
}
