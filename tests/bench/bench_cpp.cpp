/* SPDX-License-Identifier: MIT */
/*
 * What the C++ probe costs, including look-ups of site, frame and id, compared with the machine's floor; prints JSON on
 * standard output.
 *
 *	bench_cpp [--reader] [ROUNDS]
 *
 * Each operation of a coroutine is measured twice, untraced and traced; the difference is the cost. The floor is the
 * least that a tracer with time-stamps and records needs: one reading of the counter, one 32-byte record, one release
 * store of a head. Each round runs a short batch of every case, in an order that changes, and a ratio is the median of
 * the rounds' own ratios. Between batches, untimed, the ring is drained by this program itself; with --reader a thread
 * copies what is written every millisecond instead, as the engine does.
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <time.h>
#include <vector>

#include "recording.h"

constexpr unsigned batch = 2048;
constexpr unsigned floor_records = 4096;

/* The same coroutine in three forms: untraced, with the base class, with the wrapper. */
struct parts {
	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
	std::suspend_always final_suspend() noexcept
	{
		return {};
	}
	void return_void() noexcept
	{
	}
	void unhandled_exception() noexcept
	{
		std::abort();
	}

	/* Frames come from a free list, so that the allocator is not measured. */
	static void *operator new(std::size_t size)
	{
		if (spare == nullptr)
			return ::operator new(size < frame_bytes ? frame_bytes : size);
		return std::exchange(spare, *static_cast<void **>(spare));
	}
	static void operator delete(void *memory)
	{
		*static_cast<void **>(memory) = spare;
		spare = memory;
	}
	static constexpr std::size_t frame_bytes = 512;
	static inline void *spare = nullptr;
};

template <class Promise> struct task {
	using promise_type = Promise;
	std::coroutine_handle<> handle;
};
struct untraced : parts {
	task<untraced> get_return_object() noexcept
	{
		return {std::coroutine_handle<untraced>::from_promise(*this)};
	}
};
struct with_base : parts, corotracer::PromiseMixin {
	task<with_base> get_return_object() noexcept
	{
		return {std::coroutine_handle<with_base>::from_promise(*this)};
	}
};
struct inner : parts {
	task<corotracer::traced<inner>> get_return_object() noexcept
	{
		return {std::coroutine_handle<inner>::from_promise(*this)};
	}
};
using with_wrapper = corotracer::traced<inner>;

/* Like an asynchronous read: it knows its descriptor. */
struct read_awaiter {
	int fd;
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>) const noexcept
	{
	}
	int await_resume() const noexcept
	{
		return fd;
	}
	std::uint64_t corotracer_resource() const noexcept
	{
		return corotracer::descriptor(fd);
	}
};

template <class Promise> __attribute__((noinline)) static task<Promise> reads_forever()
{
	for (int fd = 3;; fd++)
		co_await read_awaiter{fd};
}

template <class Promise> __attribute__((noinline)) static task<Promise> does_nothing()
{
	co_return;
}

template <class Type> static void keep(Type value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

static struct {
	alignas(64) std::uint64_t head;
	alignas(64) struct ctp_record records[floor_records];
} floor_ring;

static void case_floor()
{
	for (unsigned i = 0; i < batch; i++) {
		std::uint64_t head = floor_ring.head;
		struct ctp_record *record = &floor_ring.records[head % floor_records];

		record->time = ctp_time(CTP_CLOCK_COUNTER);
		record->coro = i;
		record->object = i;
		record->tail = CTP_TAIL(i, CTP_KIND_SUSPEND, 0, 0);
		ctp_store_release(&floor_ring.head, head + 1);
	}
}

/* One suspend and one resume; both include the loop in the coroutine. */
template <class Promise> static std::coroutine_handle<> reader;
template <class Promise> static void case_pair()
{
	for (unsigned i = 0; i < batch; i++)
		reader<Promise>.resume();
}

/* Created and destroyed, never run: the events are create and destroy, and no suspend for the base class. */
template <class Promise> static void case_create()
{
	for (unsigned i = 0; i < batch; i++)
		does_nothing<Promise>().handle.destroy();
}

/* A whole short life, with its frame: create, frame, suspend, destroy. */
template <class Promise> static void case_life()
{
	for (unsigned i = 0; i < batch; i++) {
		std::coroutine_handle<> handle = reads_forever<Promise>().handle;

		handle.resume();
		handle.destroy();
	}
}

static void case_wake()
{
	for (unsigned i = 0; i < batch; i++)
		corotracer::wake(reader<with_base>);
}

static void case_empty()
{
	for (unsigned i = 0; i < batch; i++)
		keep(i);
}

/* Like an untraced program: no event is wanted during the batch. */
template <void (*run)()> static void case_closed()
{
	std::uint32_t *wanted = &ctp_orders_page.orders.wanted;
	std::uint32_t by = ctp_load_relaxed(wanted);

	ctp_store_relaxed(wanted, 0);
	run();
	ctp_store_relaxed(wanted, by);
}

enum case_index {
	FLOOR,
	EMPTY,
	PAIR_UNTRACED,
	PAIR,
	PAIR_WRAPPER,
	PAIR_CLOSED,
	CREATE_UNTRACED,
	CREATE,
	CREATE_CLOSED,
	LIFE_UNTRACED,
	LIFE,
	WAKE,
	WAKE_CLOSED,
	NR_CASES,
};

static void (*const cases[NR_CASES])() = {
	case_floor,
	case_empty,
	case_pair<untraced>,
	case_pair<with_base>,
	case_pair<with_wrapper>,
	case_closed<case_pair<with_base>>,
	case_create<untraced>,
	case_create<with_base>,
	case_closed<case_create<with_base>>,
	case_life<untraced>,
	case_life<with_base>,
	case_wake,
	case_closed<case_wake>,
};

static unsigned nr_rounds = 1501;
static std::vector<double> results[NR_CASES]; /* nanoseconds per operation, by round */

static double run_case(case_index index)
{
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	cases[index]();
	clock_gettime(CLOCK_MONOTONIC, &after);
	return (static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
		       static_cast<double>(after.tv_nsec - before.tv_nsec)) /
	       batch;
}

static void run_rounds(bool has_reader)
{
	for (unsigned round = 0; round < nr_rounds; round++) {
		for (unsigned i = 0; i < NR_CASES; i++) {
			unsigned index = (i + round) % NR_CASES;

			results[index].push_back(run_case(static_cast<case_index>(index)));
			if (!has_reader)
				recording::discard();
		}
	}
}

/* The median over the rounds of the cost of `index` beyond that of `beyond`, in units of `unit`. */
static double median(case_index index, case_index beyond = NR_CASES, case_index unit = NR_CASES)
{
	std::vector<double> values;

	for (unsigned i = 0; i < nr_rounds; i++) {
		double value = results[index][i];

		if (beyond != NR_CASES)
			value -= results[beyond][i];
		if (unit != NR_CASES)
			value /= results[unit][i];
		values.push_back(value);
	}
	std::nth_element(values.begin(), values.begin() + nr_rounds / 2, values.end());
	return values[nr_rounds / 2];
}

static void print_event(const char *name, unsigned events, case_index index, case_index beyond)
{
	std::printf("    \"%s\": {\"events\": %u, \"ns\": %.2f, \"ratio_to_floor\": %.3f, "
		    "\"ratio_to_floor_per_event\": %.3f}",
		name, events, median(index, beyond), median(index, beyond, FLOOR),
		median(index, beyond, FLOOR) / events);
}

static void print_all(bool has_reader)
{
	std::printf("{\n  \"benchmark\": \"cpp\",\n  \"rounds\": %u,\n  \"batch\": %u,\n",
		nr_rounds, batch);
	std::printf("  \"drained\": \"%s\",\n",
		has_reader ? "by a thread, every millisecond" : "between batches, not timed");
	std::printf("  \"dropped\": %llu,\n", static_cast<unsigned long long>(recording::lost()));
	std::printf("  \"promise_mixin_bytes\": %zu,\n", sizeof(corotracer::PromiseMixin));
	std::printf("  \"floor_ns\": %.2f,\n", median(FLOOR));
	std::printf("  \"events\": {\n");
	print_event("suspend_and_resume", 2, PAIR, PAIR_UNTRACED);
	std::printf(",\n");
	print_event("suspend_and_resume_wrapper", 2, PAIR_WRAPPER, PAIR_UNTRACED);
	std::printf(",\n");
	print_event("create_and_destroy", 2, CREATE, CREATE_UNTRACED);
	std::printf(",\n");
	print_event("create_frame_suspend_destroy", 4, LIFE, LIFE_UNTRACED);
	std::printf(",\n");
	print_event("wake", 1, WAKE, EMPTY);
	std::printf("\n  },\n  \"not_attached\": {\n");
	std::printf("    \"suspend_and_resume\": {\"ns\": %.2f},\n",
		median(PAIR_CLOSED, PAIR_UNTRACED));
	std::printf("    \"create_and_destroy\": {\"ns\": %.2f},\n",
		median(CREATE_CLOSED, CREATE_UNTRACED));
	std::printf("    \"wake\": {\"ns\": %.2f}\n  }\n}\n", median(WAKE_CLOSED, EMPTY));
}

int main(int argc, char **argv)
{
	bool has_reader = argc > 1 && std::strcmp(argv[1], "--reader") == 0;
	const char *count = argc > 1 + has_reader ? argv[1 + has_reader] : "";
	unsigned long rounds = std::strtoul(count, nullptr, 10);
	std::atomic<bool> is_over{false};
	std::thread thread;

	if (rounds > 0 && rounds <= 100000)
		nr_rounds = static_cast<unsigned>(rounds);
	recording::attach();
	if (CTP_PASS_CLOCK(ctp_gate_page.pass) != CTP_CLOCK_COUNTER) {
		std::fprintf(stderr, "bench_cpp: no counter to measure with\n");
		return 77;
	}
	reader<untraced> = reads_forever<untraced>().handle;
	reader<with_base> = reads_forever<with_base>().handle;
	reader<with_wrapper> = reads_forever<with_wrapper>().handle;
	if (has_reader)
		thread = std::thread([&is_over] {
			while (!is_over.load(std::memory_order_acquire)) {
				recording::copy();
				std::this_thread::sleep_for(std::chrono::milliseconds(1));
			}
		});
	run_rounds(has_reader);
	is_over.store(true, std::memory_order_release);
	if (thread.joinable())
		thread.join();
	print_all(has_reader);
	reader<untraced>.destroy();
	reader<with_base>.destroy();
	reader<with_wrapper>.destroy();
	return 0;
}
