/* SPDX-License-Identifier: MIT */
/*
 * What the descriptor ledger writes, and in which order, for programs without tracing. Each scenario of ledger_target
 * is run twice: alone, where it must behave the same, and under a tiny engine, where the events are compared as text.
 * Descriptor numbers become letters in order of appearance, followed by the generation: "a2" is the second life of the
 * first number seen.
 */
#include "check.h"

#include <stdarg.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tiny_engine.h"

static const char *target, *ledger;

/* ------------------------------------------------------------ events as text */

struct book {
	char text[8192];
	size_t length;
	uint32_t numbers[16];
	unsigned nr_numbers;
};

static void say(struct book *book, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct book *book, const char *format, ...)
{
	size_t room = sizeof(book->text) - book->length;
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(book->text + book->length, room, format, list);
	va_end(list);
	if (length > 0 && (size_t)length < room)
		book->length += (size_t)length;
}

static void say_handle(struct book *book, uint64_t handle)
{
	uint32_t fd = (uint32_t)CTP_HANDLE_IDENTITY(handle);
	unsigned generation = (unsigned)(CTP_HANDLE_IDENTITY(handle) >> 32);
	unsigned i;

	if (handle == 0) {
		say(book, " -");
		return;
	}
	for (i = 0; i < book->nr_numbers && book->numbers[i] != fd; i++)
		;
	if (i == book->nr_numbers && i < 15)
		book->numbers[book->nr_numbers++] = fd;
	say(book, " %c%u", 'a' + (char)i, generation);
}

static void say_transfer(struct book *book, const struct ctp_record *record)
{
	static const char *const names[] = {"?", "read", "write", "connect", "accept"};
	unsigned transfer = CTP_TAIL_ARGUMENT(record->tail);
	int64_t result = (int64_t)record->coro;

	say(book, "%s", names[transfer < 5 ? transfer : 0]);
	say_handle(book, record->object);
	if (transfer == 4 && result >= 0)
		say(book, " ok");
	else
		say(book, " %lld", (long long)result);
}

static void say_arm(struct book *book, const struct ctp_record *record)
{
	static const char *const names[] = {"?", "add", "delete", "modify"};
	unsigned operation = CTP_TAIL_ARGUMENT(record->tail);

	say(book, "%s", names[operation < 4 ? operation : 0]);
	say_handle(book, record->object);
	say(book, " %x %llx", CTP_TAIL_FLAGS(record->tail), (unsigned long long)record->coro);
}

/* P-33: the type of a descriptor stands beside it. */
static void say_opening(struct book *book, const struct ctp_record *record)
{
	static const char *const names[] = {
#define X(name, number, text, meaning) [number] = text,
#include "corotracer/def/descriptors.def"
#undef X
	};
	unsigned flags = CTP_TAIL_FLAGS(record->tail), type = CTP_DESCRIPTOR_TYPE(flags);

	say_handle(book, record->object);
	say(book, " %s%s", type < sizeof(names) / sizeof(names[0]) ? names[type] : "?",
		flags & CTP_DESCRIPTOR_IS_SECOND_END ? " other end" : "");
}

static void say_event(struct book *book, const struct ctp_record *record)
{
	unsigned argument = CTP_TAIL_ARGUMENT(record->tail);
	unsigned flags = CTP_TAIL_FLAGS(record->tail);

	switch (CTP_TAIL_KIND(record->tail)) {
	case CTP_KIND_DESCRIPTOR_OPEN:
		say(book, "open");
		say_opening(book, record);
		break;
	case CTP_KIND_DESCRIPTOR_CLOSE:
		say(book, "close");
		say_handle(book, record->object);
		break;
	case CTP_KIND_DESCRIPTOR_ARM:
		say_arm(book, record);
		break;
	case CTP_KIND_DESCRIPTOR_READY:
		say(book, "ready");
		say_handle(book, record->object);
		say(book, " %x %llx", flags, (unsigned long long)record->coro);
		break;
	case CTP_KIND_DESCRIPTOR_IO:
		say_transfer(book, record);
		break;
	case CTP_KIND_DESCRIPTOR_SHUTDOWN:
		say(book, "shutdown");
		say_handle(book, record->object);
		say(book, " %u", argument);
		break;
	case CTP_KIND_DESCRIPTOR_DUP:
		say(book, "dup");
		say_opening(book, record);
		break;
	case CTP_KIND_DETAIL:
		say(book, argument == CTP_DETAIL_OTHER_END ? "to"
			  : argument == CTP_DETAIL_SENDER  ? "from"
							   : "of");
		say_handle(book, record->object);
		break;
	case CTP_KIND_DESCRIPTOR_TIMER:
		say(book, "timer");
		say_handle(book, record->object);
		say(book, " %s %u", record->coro ? "armed" : "off", flags);
		break;
	case CTP_KIND_BLOCK_BEGIN:
		say(book, "begin %u %lld", argument, (long long)record->object);
		break;
	case CTP_KIND_BLOCK_END:
		say(book, "end %u %lld", argument, (long long)record->object);
		break;
	case CTP_KIND_CRASH:
		say(book, "crash %u %llx %u", argument, (unsigned long long)record->object, flags);
		break;
	default:
		return;
	}
	say(book, "; ");
}

/* ------------------------------------------------------------ running */

static void start(struct tiny_run *run, const char *command, bool is_traced)
{
	char *arguments[] = {(char *)(uintptr_t)target, (char *)(uintptr_t)command, NULL};

	memset(run, 0, sizeof(*run));
	run->preload = ledger;
	run->without_engine = !is_traced;
	tiny_start(run, arguments);
}

static void finish_well(struct tiny_run *run, unsigned nr_segments)
{
	tiny_finish(run);
	CHECK(WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0);
	CHECK_EQUAL(run->nr_segments, nr_segments);
	CHECK_EQUAL(run->nr_lost, 0);
}

static void run_well(struct tiny_run *run, const char *command)
{
	start(run, command, true);
	finish_well(run, 1);
}

static const struct {
	const char *command;
	const char *book;
} scenarios[] = {
	{"early", "close a0; close b0; "},
	{"reuse", "open a1 socket; close a1; open a2 socket; close a2; open a3 socket; close a3; "
		  "open a4 socket; close a4; "},
	{"pair", "open a1 socket-pair; open b1 socket-pair other end; write a1 3; read b1 3; read "
		 "b1 -11; write b1 4; read a1 4; "
		 "shutdown a1 1; read b1 0; close a1; close b1; "},
	{"dup", "open a1 socket; dup b1 socket; of a1; close b1; dup b2 socket; of a1; dup c1 "
		"socket; of a1; dup d1 socket; of a1; "
		"close a1; close b2; close c1; close d1; "},
	{"epoll", "open a1 epoll; open b1 eventfd; add b1 c001 feedfacecafe; write b1 0; "
		  "begin 1 -1; ready - 1 feedfacecafe; end 1 1; read b1 0; "
		  "modify b1 5 feedfacecafe; begin 1 250; ready - 4 feedfacecafe; end 1 1; "
		  "delete b1 0 0; begin 1 1; end 1 0; begin 1 1; end 1 -9; close b1; close a1; "},
	{"poll", "open a1 pipe; open b1 pipe other end; write b1 1; begin 2 1000; ready a1 1 0; "
		 "ready b1 4 0; end 2 2; "
		 "begin 3 1000; ready a1 1 0; end 3 1; close a1; close b1; "},
	{"accept", "open a1 socket; open b1 socket; accept a1 -11; connect b1 0; open c1 "
		   "connection; to b1; accept a1 ok; "
		   "close c1; close b1; close a1; "},
	{"accept-path", "open a1 socket; open b1 socket; open c1 socket; connect b1 -2; "
			"connect c1 0; connect b1 0; "
			"open d1 connection; to c1; accept a1 ok; "
			"open e1 connection; to b1; accept a1 ok; "
			"close e1; close d1; close c1; close b1; close a1; "},
	{"datagrams", "open a1 datagram; open b1 datagram; write b1 1; write b1 1; "
		      "read a1 1; from b1; read a1 1; write a1 2; read b1 2; from -; "
		      "read a1 3; from -; write b1 1; read a1 1; close b1; close a1; "},
	{"timer",
		"open a1 timerfd; timer a1 armed 0; timer a1 armed 1; timer a1 off 0; close a1; "},
	{"received", "open a1 socket-pair; open b1 socket-pair other end; write a1 1; open c1 "
		     "not-told; read b1 1; close c1; close a1; "
		     "close b1; "},
	{"fork", "open a1 socket; close a1; "},
	{"types", "open a1 file; open b1 memory; open c1 signalfd; open d1 inotify; dup e1 "
		  "inotify; of d1; close e1; "
		  "close d1; close c1; close b1; close a1; "},
};

static void test_scenarios(void)
{
	size_t i, j;

	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct book book = {.length = 0};
		struct tiny_run run;

		run_well(&run, scenarios[i].command);
		for (j = 0; j < run.nr_events; j++)
			say_event(&book, &run.events[j].record);
		CHECK_TEXT(book.text, scenarios[i].book);
		tiny_fini(&run);
	}
}

/* Without an engine every scenario behaves the same, and nothing is written. */
static void test_not_attached(void)
{
	static const char *const commands[] = {"early", "reuse", "pair", "file", "dup", "epoll",
		"poll", "accept", "datagrams", "timer", "received", "errno", "fork", "vfork",
		"exec", "close-all", "threads", "cancel"};
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct tiny_run run;

		start(&run, commands[i], false);
		finish_well(&run, 0);
		tiny_fini(&run);
	}
}

/* --------------------------------------------------- checks that text cannot express */

static void test_sites(void)
{
	const struct tiny_event *closes[4];
	const struct ctp_site *site;
	struct tiny_run run;
	size_t index = 0;
	int i;

	run_well(&run, "reuse");
	for (i = 0; i < 4; i++)
		closes[i] = tiny_next(&run, &index, CTP_KIND_DESCRIPTOR_CLOSE);
	CHECK(closes[3] != NULL);
	if (closes[3]) {
		site = tiny_site(&run, closes[0]);
		CHECK(site && site->ready == CTP_SITE_ADDRESS && site->address != 0);
		CHECK(site == tiny_site(&run, closes[1]) && site == tiny_site(&run, closes[2]));
		CHECK(site != tiny_site(&run, closes[3]));
		CHECK_EQUAL(closes[0]->tid, run.pid);
	}
	tiny_fini(&run);
}

static void test_timer_expiry(void)
{
	const struct tiny_event *armed;
	struct tiny_run run;
	size_t index = 0;
	uint64_t begin;

	run_well(&run, "timer");
	begin = run.nr_segments ? run.segments[0]->clock_monotonic_ns : 0;
	armed = tiny_next(&run, &index, CTP_KIND_DESCRIPTOR_TIMER);
	CHECK(armed && armed->record.coro > begin + UINT64_C(99000000000) &&
		armed->record.coro < begin + UINT64_C(199000000000));
	armed = tiny_next(&run, &index, CTP_KIND_DESCRIPTOR_TIMER);
	CHECK(armed && armed->record.coro > begin + UINT64_C(199000000000));
	tiny_fini(&run);
}

static void test_files_leave_no_transfers(void)
{
	struct tiny_run run;

	run_well(&run, "file");
	CHECK(tiny_count(&run, CTP_KIND_DESCRIPTOR_OPEN) >= 1);
	CHECK_EQUAL(tiny_count(&run, CTP_KIND_DESCRIPTOR_IO), 0);
	tiny_fini(&run);
}

static void test_errno(void)
{
	struct tiny_run run;

	run_well(&run, "errno");
	tiny_fini(&run);
}

/* Every close is recorded or counted, including those that a handler made in the middle of another event. */
static void test_handler(void)
{
	struct tiny_run run;
	char output[32] = "";
	uint64_t closes;

	start(&run, "handler", true);
	tiny_finish(&run);
	CHECK(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 0);
	CHECK(read(run.output, output, sizeof(output) - 1) > 0);
	closes = strtoull(output, NULL, 10);
	CHECK(tiny_count(&run, CTP_KIND_DESCRIPTOR_CLOSE) >= closes - run.nr_lost);
	CHECK(tiny_count(&run, CTP_KIND_DESCRIPTOR_CLOSE) <= closes);
	/* a close, an open or dup, and a detail for each */
	CHECK(closes >= 300);
	tiny_fini(&run);
}

/* The child of vfork shares all memory with its parent, but its closes are its own. */
static void test_vfork(void)
{
	struct tiny_run run;
	struct book book = {.length = 0};
	size_t i;

	start(&run, "vfork", true);
	finish_well(&run, 2); /* the program that the child executes attaches as well */
	for (i = 0; i < run.nr_events; i++) {
		if (run.events[i].segment == 0)
			say_event(&book, &run.events[i].record);
	}
	CHECK_TEXT(book.text, "open a1 socket; close a1; ");
	tiny_fini(&run);
}

static void test_exec(void)
{
	struct tiny_run run;

	start(&run, "exec", true);
	finish_well(&run, 2);
	if (run.nr_segments == 2) {
		CHECK_EQUAL(run.segments[0]->pid, run.segments[1]->pid);
		CHECK(memcmp(run.segments[0]->identity, run.segments[1]->identity, 16) != 0);
	}
	CHECK_EQUAL(tiny_count(&run, CTP_KIND_DESCRIPTOR_CLOSE), 5);
	tiny_fini(&run);
}

/* A program that closes every descriptor also closes the ledger's; recording goes on. */
static void test_close_all(void)
{
	struct tiny_run run;
	struct book book = {.length = 0};
	size_t i;

	run_well(&run, "close-all");
	for (i = 0; i < run.nr_events; i++) {
		if (CTP_TAIL_KIND(run.events[i].record.tail) != CTP_KIND_DESCRIPTOR_CLOSE ||
			CTP_HANDLE_IDENTITY(run.events[i].record.object) >> 32 != 0)
			say_event(&book, &run.events[i].record);
	}
	CHECK_TEXT(book.text, "open a1 socket; close a1; open a2 socket; ");
	tiny_fini(&run);
}

static int compare_words(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* P-32. Four threads share few numbers: no generation is assigned twice, and each is closed once. */
static void test_threads(void)
{
	static uint64_t opened[8000], closed[8000];
	const struct tiny_event *event;
	struct tiny_run run;
	size_t index, i;

	run_well(&run, "threads");
	CHECK_EQUAL(tiny_count(&run, CTP_KIND_DESCRIPTOR_OPEN), 8000);
	CHECK_EQUAL(tiny_count(&run, CTP_KIND_DESCRIPTOR_CLOSE), 8000);
	for (i = index = 0; i < 8000; i++) {
		event = tiny_next(&run, &index, CTP_KIND_DESCRIPTOR_OPEN);
		opened[i] = event ? event->record.object : 0;
	}
	for (i = index = 0; i < 8000; i++) {
		event = tiny_next(&run, &index, CTP_KIND_DESCRIPTOR_CLOSE);
		closed[i] = event ? event->record.object : 0;
	}
	qsort(opened, 8000, sizeof(opened[0]), compare_words);
	qsort(closed, 8000, sizeof(closed[0]), compare_words);
	CHECK(memcmp(opened, closed, sizeof(opened)) == 0);
	for (i = 1; i < 8000; i++)
		CHECK(opened[i] != opened[i - 1]);
	tiny_fini(&run);
}

static void test_cancel(void)
{
	struct tiny_run run;

	run_well(&run, "cancel");
	tiny_fini(&run);
}

int main(int nr_arguments, char **arguments)
{
	if (nr_arguments != 3)
		return 2;
	target = arguments[1];
	ledger = arguments[2];
	test_scenarios();
	test_not_attached();
	test_sites();
	test_timer_expiry();
	test_files_leave_no_transfers();
	test_errno();
	test_handler();
	test_vfork();
	test_exec();
	test_close_all();
	test_threads();
	test_cancel();
	return check_result();
}
