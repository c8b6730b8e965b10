/* SPDX-License-Identifier: MIT */
/*
 * Events in signal handlers: written, or counted as nested, never torn; and a thread whose event was
 * abandoned by siglongjmp goes on recording. Protocol rules P-27 and P-28.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#define TEST_KIND CTP_KIND_COUNTER

static void emit_numbered(uint64_t number)
{
	ctp_emit(number, ~number, CTP_TAIL((uint32_t)number, TEST_KIND, number, number >> 8));
}

static bool is_whole(struct ctp_record record)
{
	uint64_t number = record.coro;

	return record.object == ~number &&
	       record.tail == CTP_TAIL((uint32_t)number, TEST_KIND, number, number >> 8);
}

#define FROM_HANDLER (UINT64_C(1) << 60)
#define FROM_INNER_HANDLER (UINT64_C(1) << 61)

struct tally {
	uint64_t numbered;
	uint64_t handled;
	uint64_t torn;
	uint64_t out_of_order; /* among those of the thread itself */
	uint64_t next;
	uint64_t lost_told;
};

static void tally_record(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	struct tally *tally = context;

	(void)ring;
	(void)position;
	if (CTP_TAIL_KIND(record.tail) == CTP_KIND_LOST)
		tally->lost_told += record.object;
	if (CTP_TAIL_KIND(record.tail) != TEST_KIND)
		return;
	tally->numbered++;
	tally->torn += !is_whole(record);
	if (record.coro >= FROM_HANDLER) {
		tally->handled++;
		return;
	}
	tally->out_of_order += record.coro < tally->next;
	tally->next = record.coro + 1;
}

/* The handlers have two levels, so that handlers interrupt handlers. */
static uint64_t handler_events;
static uint64_t inner_handler_events;
static uint64_t handler_ids;

static void on_signal(int number)
{
	int saved_errno = errno;

	(void)number;
	errno = 7;
	emit_numbered(FROM_HANDLER + handler_events++);
	ctp_site_use(&(struct ctp_site_here){0, {CTP_SITE_NAME, 0, 0, 0, NULL, NULL, "x", 0}});
	handler_ids += ctp_coro_new() != 0;
	emit_numbered(FROM_HANDLER + handler_events++);
	if (errno != 7)
		abort();
	errno = saved_errno;
}

static void on_inner_signal(int number)
{
	(void)number;
	emit_numbered(FROM_INNER_HANDLER + inner_handler_events++);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&action.sa_mask);
	CHECK(sigaction(number, &action, NULL) == 0);
}

/* A timer that signals this process, whose only thread is the one that emits. */
static timer_t timer_of(int number)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
	timer_t timer;

	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	return timer;
}

static void timer_start(timer_t timer, long first_ns, long period_ns)
{
	struct itimerspec times = {{0, period_ns}, {0, first_ns}};

	CHECK(timer_settime(timer, 0, &times, NULL) == 0);
}

/* The test has tried enough: handlers of both levels ran, and met events half written. */
static bool is_stormy(const struct ctp_ring *ring)
{
	return handler_events > 400 && inner_handler_events > 200 && ring->nested > 200;
}

/* With a sanitizer handling a signal takes longer than the time until the next one. */
#define STORM_ROUNDS (IS_SANITIZED ? 20000 : 200000)

/*
 * A thread that does nothing but emit, under signals every few microseconds. Every so often the thread drains its own
 * ring: the counts must balance to the last event.
 */
static void storm_with(int handler_flags, uint64_t rounds)
{
	struct tally tally = {0};
	struct reader reader;
	struct ctp_ring *ring;
	uint64_t i, ids = 0;
	sigset_t both;

	CHECK(ctp_attach() && reader_take(&reader));
	ring = reader_ring(&reader, 0);
	handle(SIGUSR1, on_signal, handler_flags);
	handle(SIGUSR2, on_inner_signal, handler_flags);
	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGUSR2);
	timer_start(timer_of(SIGUSR1), 10000, 23000);
	timer_start(timer_of(SIGUSR2), 10000, 37000);
	for (i = 0; i < rounds || !is_stormy(ring); i++) {
		emit_numbered(i);
		ids += ctp_coro_new() != 0;
		if (i % 5000 == 0) {
			pthread_sigmask(SIG_BLOCK, &both, NULL);
			reader_drain_all(&reader, tally_record, &tally);
			pthread_sigmask(SIG_UNBLOCK, &both, NULL);
		}
	}
	pthread_sigmask(SIG_BLOCK, &both, NULL);
	emit_numbered(i++);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(ids, i - 1);
	CHECK_EQUAL(handler_ids, handler_events / 2);
	CHECK_EQUAL(tally.torn, 0);
	CHECK_EQUAL(tally.out_of_order, 0);
	CHECK_EQUAL(tally.numbered + ring->nested + ring->dropped + reader.header->untraced_events,
		i + handler_events + inner_handler_events);
	CHECK_EQUAL(tally.lost_told, ring->dropped);
	fprintf(stderr, "storm: %" PRIu64 " events, %" PRIu64 " in handlers, %" PRIu64 " nested\n",
		tally.numbered, tally.handled, (uint64_t)ring->nested);
}

static void storm_on_thread_stack(void)
{
	storm_with(SA_RESTART, STORM_ROUNDS);
}

static void use_signal_stack(void)
{
	stack_t stack = {.ss_size = 1 << 16};

	stack.ss_sp = mmap(
		NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack.ss_sp != MAP_FAILED && sigaltstack(&stack, NULL) == 0);
}

static void storm_on_signal_stack(void)
{
	use_signal_stack();
	storm_with(SA_RESTART | SA_ONSTACK, STORM_ROUNDS);
}

/* The signal stack lies above the interrupted frame, where only the kernel knows that it is a signal stack. */
static void storm_on_higher_stack(void)
{
	char room[1 << 17];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};

	CHECK(sigaltstack(&stack, NULL) == 0);
	storm_with(SA_RESTART | SA_ONSTACK, STORM_ROUNDS);
}

static sigjmp_buf escape;
static uint64_t escapes;

static void on_alarm(int number)
{
	(void)number;
	escapes++;
	siglongjmp(escape, 1);
}

static uint64_t escape_number;
static uint64_t escape_completed;

/* Emits until a handler jumps out, mostly out of the middle of an event. */
__attribute__((noinline)) static void emit_until_escape(
	timer_t timer, struct reader *reader, struct tally *tally)
{
	sigset_t alarm;
	unsigned i;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	if (sigsetjmp(escape, 1) == 0) {
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
		timer_start(timer, 2000 + (long)(escapes * 37 % 9000), 0);
		for (;;) {
			emit_numbered(escape_number++);
			escape_completed++;
		}
	}
	/*
	 * The signal is blocked again by siglongjmp, which restored the mask, so all of these events must be written.
	 */
	for (i = 0; i < 10; i++) {
		emit_numbered(escape_number++);
		escape_completed++;
	}
	reader_drain_all(reader, tally_record, tally);
}

static void jump_out_with(int handler_flags)
{
	timer_t timer = timer_of(SIGALRM);
	struct tally tally = {0};
	struct reader reader;
	struct ctp_ring *ring;
	unsigned round, rounds = IS_SANITIZED ? 300 : 5000;
	uint64_t given_up;
	sigset_t alarm;

	CHECK(ctp_attach() && reader_take(&reader));
	ring = reader_ring(&reader, 0);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	handle(SIGALRM, on_alarm, handler_flags);
	for (round = 0; round < rounds; round++)
		emit_until_escape(timer, &reader, &tally);
	given_up = ring->nested + ring->dropped + reader.header->untraced_events;
	CHECK_EQUAL(escapes, rounds);
	CHECK_EQUAL(tally.torn, 0);
	CHECK_EQUAL(tally.out_of_order, 0);
	/*
	 * Every event whose call returned was written, but for those dropped in a full ring. At each jump one more
	 * event may have been published, or be counted as given up, or both.
	 */
	CHECK(tally.numbered + ring->dropped >= escape_completed);
	CHECK(tally.numbered + ring->dropped <= escape_completed + rounds);
	CHECK(given_up <= ring->dropped + rounds);
	fprintf(stderr, "jumps: %" PRIu64 ", %" PRIu64 " events given up\n", escapes,
		given_up - ring->dropped);
	CHECK(IS_SANITIZED || ring->nested > 0);
}

static void jump_out(void)
{
	jump_out_with(0);
}

static void jump_out_of_signal_stack(void)
{
	use_signal_stack();
	jump_out_with(SA_ONSTACK);
}

/*
 * After a jump the probe takes events from far below on the stack for nested ones; the next event from above mends
 * that.
 */
__attribute__((noinline)) static void emit_far_below(uint64_t number)
{
	char room[8192];

	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	emit_numbered(number);
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void abandoned_above(void)
{
	struct tally tally = {0};
	struct reader reader;

	CHECK(ctp_attach() && reader_take(&reader));
	emit_numbered(0);
	ctp_thread_self()->busy = ctp_stack_pointer() - 4096;
	emit_far_below(1);
	CHECK_EQUAL(reader_ring(&reader, 0)->nested, 1);
	emit_numbered(2); /* tells that 1's neighbour was abandoned, too */
	CHECK_EQUAL(reader_ring(&reader, 0)->nested, 2);
	emit_far_below(3);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, 3);
	CHECK_EQUAL(tally.torn, 0);
	CHECK_EQUAL(reader_ring(&reader, 0)->nested, 2);
}

/* An event is abandoned half written, after each of its steps: the slot is used again. */
static void abandoned_between_stores(void)
{
	struct tally tally = {0};
	struct reader reader;
	unsigned step;

	CHECK(ctp_attach() && reader_take(&reader));
	emit_numbered(0);
	for (step = 0; step < 3 * CTP_CHUNK_RECORDS; step++) {
		struct ctp_thread *thread = ctp_thread_self();

		thread->busy = ctp_stack_pointer() - 4096;
		if (step % 3 >= 1 && (uintptr_t)thread->cursor % CTP_CHUNK_BYTES != 0)
			*thread->cursor++ = (struct ctp_record){1, 2, 3, 4};
		if (step % 3 >= 2)
			thread->head++;
		emit_numbered(step + 1);
		reader_drain_all(&reader, tally_record, &tally);
	}
	CHECK_EQUAL(tally.numbered, 3 * CTP_CHUNK_RECORDS + 1);
	CHECK_EQUAL(tally.torn + tally.out_of_order, 0);
	CHECK_EQUAL(reader_ring(&reader, 0)->nested, 3 * CTP_CHUNK_RECORDS);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(storm_on_thread_stack), 0);
	CHECK_EQUAL(in_child(storm_on_signal_stack), 0);
	CHECK_EQUAL(in_child(storm_on_higher_stack), 0);
	CHECK_EQUAL(in_child(jump_out), 0);
	CHECK_EQUAL(in_child(jump_out_of_signal_stack), 0);
	CHECK_EQUAL(in_child(abandoned_above), 0);
	CHECK_EQUAL(in_child(abandoned_between_stores), 0);
	return check_result();
}
