/* SPDX-License-Identifier: MIT */
/*
 * The order around a suspension: await_suspend passes the handle to another thread, which resumes the coroutine to its
 * end, so the frame is gone before await_suspend returns. If the first thread touches the frame then, the sanitizers
 * under which this test also runs report it; and the events must be in their true order.
 */
#include <atomic>
#include <map>
#include <thread>

#include "recording.h"
#include "tasks.h"

constexpr int rounds = 2000;

/* A worker that resumes the coroutine in its only slot, and signals when it has done so. */
class worker
{
      public:
	worker() : thread_([this] { run(); })
	{
	}
	~worker()
	{
		is_over_.store(true, std::memory_order_release);
		thread_.join();
	}

	/*
	 * Returns when the coroutine has suspended again or is gone. Does not access the coroutine after that.
	 */
	void run_elsewhere(std::coroutine_handle<> handle) noexcept
	{
		int before = done_.load(std::memory_order_relaxed);

		slot_.store(handle.address(), std::memory_order_release);
		while (done_.load(std::memory_order_acquire) == before)
			std::this_thread::yield();
	}

	/* Does not wait. */
	void post(std::coroutine_handle<> handle) noexcept
	{
		corotracer::wake(handle);
		slot_.store(handle.address(), std::memory_order_release);
	}

      private:
	void run()
	{
		while (!is_over_.load(std::memory_order_acquire)) {
			void *address = slot_.exchange(nullptr, std::memory_order_acquire);

			if (address == nullptr) {
				std::this_thread::yield();
				continue;
			}
			std::coroutine_handle<>::from_address(address).resume();
			done_.fetch_add(1, std::memory_order_release);
		}
	}

	std::atomic<void *> slot_{nullptr};
	std::atomic<int> done_{0};
	std::atomic<bool> is_over_{false};
	std::thread thread_;
};

/* Ends by itself: its frame is freed on the thread that ran it last. */
struct detached {
};
template <bool is_wrapped> struct detached_task : detached {
	struct promise;
	using promise_type = std::conditional_t<is_wrapped, corotracer::traced<promise>, promise>;
};
template <bool is_wrapped>
struct detached_task<is_wrapped>::promise
    : std::conditional_t<is_wrapped, detached, corotracer::PromiseMixin> {
	detached_task get_return_object() noexcept
	{
		return {};
	}
	std::suspend_never initial_suspend() noexcept
	{
		return {};
	}
	std::suspend_never final_suspend() noexcept
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
};

/* The three forms; each has lost its own memory by the time it returns. */
struct hop {
	worker *to;
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_resume() const noexcept
	{
	}
};
struct hop_void : hop {
	void await_suspend(std::coroutine_handle<> handle) const
	{
		to->run_elsewhere(handle);
	}
};
struct hop_bool : hop {
	bool await_suspend(std::coroutine_handle<> handle) const
	{
		to->run_elsewhere(handle);
		return true;
	}
};
struct hop_transfer : hop {
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> handle) const
	{
		to->run_elsewhere(handle);
		return std::noop_coroutine();
	}
};

static std::atomic<int> finished;

template <class Hop, bool is_wrapped> static detached_task<is_wrapped> hops(worker *to)
{
	co_await Hop{{to}};
	finished.fetch_add(1, std::memory_order_relaxed);
}

/*
 * P-30. Each coroutine is suspended on one thread, then resumed and destroyed on the other. Only the order within a
 * thread is checked, because time-stamps of two processors have no exact order.
 */
static void check_stories(const std::vector<event> &events, const std::string &expected, int count)
{
	std::map<std::uint64_t, std::vector<event>> stories;

	for (const event &e : events) {
		if (e.coro != 0)
			stories[e.coro].push_back(e);
	}
	CHECK_EQUAL(stories.size(), count);
	for (auto &[id, story] : stories) {
		std::uint32_t first = nth(story, CTP_KIND_CREATE).ring;

		std::stable_partition(story.begin(), story.end(),
			[first](const event &e) { return e.ring == first; });
		if (kinds(story) != expected) {
			CHECK_STRING(kinds(story), expected);
			break;
		}
		CHECK_EQUAL(nth(story, CTP_KIND_SUSPEND).ring, first);
		CHECK(nth(story, CTP_KIND_DESTROY).ring != first);
		CHECK_EQUAL(nth(story, CTP_KIND_DESTROY).argument, CTP_LIFE_DONE);
	}
}

template <class Hop, bool is_wrapped> static void test_hop(worker *to, const char *expected)
{
	finished = 0;
	for (int i = 0; i < rounds; i++)
		hops<Hop, is_wrapped>(to);
	CHECK_EQUAL(finished, rounds);
	check_stories(recording::take_coroutines(), expected, rounds);
}

/*
 * The same without waiting for the worker, so that the return of await_suspend and the resume race.
 */
struct hop_at_once : hop {
	bool await_suspend(std::coroutine_handle<> handle) const noexcept
	{
		to->post(handle);
		return true;
	}
};

static detached_task<true> hops_between(worker *first, worker *second, int times)
{
	for (int i = 0; i < times; i++) {
		co_await hop_at_once{{first}};
		co_await hop_at_once{{second}};
	}
	finished.store(1, std::memory_order_release);
}

static long count(const std::vector<event> &events, unsigned kind)
{
	return std::count_if(
		events.begin(), events.end(), [kind](const event &e) { return e.kind == kind; });
}

/* P-30. On each thread: resumed, suspended, and only then passed on by a wake. */
static void check_turns(const std::vector<event> &events)
{
	std::map<std::uint32_t, unsigned> last;

	for (const event &e : events) {
		unsigned before = CTP_KIND_WAKE;

		if (last.contains(e.ring))
			before = last[e.ring];
		if (e.kind == CTP_KIND_RESUME)
			CHECK_EQUAL(before, CTP_KIND_WAKE);
		else if (e.kind == CTP_KIND_SUSPEND)
			CHECK_EQUAL(before, CTP_KIND_RESUME);
		else if (e.kind == CTP_KIND_WAKE)
			CHECK_EQUAL(before, CTP_KIND_SUSPEND);
		else
			continue;
		last[e.ring] = e.kind;
	}
}

static void test_migration(worker *first, worker *second)
{
	std::vector<event> events;

	finished = 0;
	hops_between(first, second, rounds);
	while (finished.load(std::memory_order_acquire) == 0)
		std::this_thread::yield();
	while (count(events, CTP_KIND_DESTROY) == 0) {
		std::vector<event> more = recording::take_coroutines();
		events.insert(events.end(), more.begin(), more.end());
	}
	CHECK_EQUAL(count(events, CTP_KIND_SUSPEND), 2 * rounds);
	CHECK_EQUAL(count(events, CTP_KIND_WAKE), 2 * rounds);
	CHECK_EQUAL(count(events, CTP_KIND_RESUME), 2 * rounds + 1);
	check_turns(events);
}

int main()
{
	recording::attach();
	{
		worker one;
		worker two;

		test_hop<hop_void, false>(&one, "create frame suspend resume destroy");
		test_hop<hop_bool, false>(&one, "create frame suspend resume destroy");
		test_hop<hop_transfer, false>(&one, "create frame suspend resume destroy");
		test_hop<hop_void, true>(&one, "create resume frame suspend resume return destroy");
		test_hop<hop_bool, true>(&two, "create resume frame suspend resume return destroy");
		test_hop<hop_transfer, true>(
			&two, "create resume frame suspend resume return destroy");
		test_migration(&one, &two);
	}
	CHECK_EQUAL(recording::lost(), 0);
	return check_result();
}
