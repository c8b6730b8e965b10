/* SPDX-License-Identifier: MIT */
/*
 * What a program's own locks, conditions, children and queues record, and what an awaiter records about its wait: each
 * event, with its words and its line.
 */
#include "recording.h"
#include "tasks.h"

namespace
{

constexpr std::uint64_t holder = 5;
constexpr std::uint64_t other_one = 6;
constexpr std::uint64_t deadline_ns = 123456789;

/* A wait that ends by itself, as the awaiter declares. */
struct sleeps {
	std::uint64_t corotracer_resource() const noexcept
	{
		return corotracer::timer(3);
	}
	std::uint64_t corotracer_deadline() const noexcept
	{
		return deadline_ns;
	}
	bool await_ready() const noexcept
	{
		return false;
	}
	bool await_suspend(std::coroutine_handle<>) const noexcept
	{
		return is_suspended;
	}
	void await_resume() const noexcept
	{
	}

	bool is_suspended = true;
};

/* The same two, declared from outside. */
struct plain_sleep : std::suspend_always {
};
struct plain_yield : std::suspend_always {
};

struct gives_way : std::suspend_always {
	static constexpr bool corotracer_yields = true;
};

} // namespace

template <> struct corotracer::wait_traits<plain_sleep> {
	static std::uint64_t deadline(const plain_sleep &) noexcept
	{
		return deadline_ns + 1;
	}
};
template <> struct corotracer::wait_traits<plain_yield> {
	static constexpr bool yields = true;
};

namespace
{

void check_event(const event &e, unsigned kind, std::uint64_t coro, std::uint64_t object)
{
	CHECK_EQUAL(e.kind, kind);
	CHECK_EQUAL(e.coro, coro);
	CHECK_EQUAL(e.object, object);
}

void test_resources()
{
	const std::uint64_t lock = corotracer::lock(&deadline_ns);
	const unsigned first_line = __LINE__ + 2;

	corotracer::acquire(holder, lock);
	corotracer::hand_over(holder, lock, other_one);
	corotracer::release(other_one, lock);
	corotracer::notify(holder, lock, 0);
	corotracer::notify(holder, lock, 1000);

	std::vector<event> events = recording::take_coroutines();

	CHECK_STRING(kinds(events), "acquire hand-over detail release notify notify");
	check_event(events[0], CTP_KIND_ACQUIRE, holder, lock);
	check_event(events[1], CTP_KIND_HAND_OVER, holder, lock);
	CHECK_EQUAL(events[2].object, other_one);
	CHECK_EQUAL(events[2].argument, CTP_DETAIL_RECEIVER);
	check_event(events[3], CTP_KIND_RELEASE, other_one, lock);
	check_event(events[4], CTP_KIND_NOTIFY, holder, lock);
	CHECK_EQUAL(events[4].argument, 0);
	CHECK_EQUAL(events[5].argument, 255);
	CHECK_EQUAL(events[0].line, first_line);
	CHECK_EQUAL(events[1].line, first_line + 1);
	CHECK_EQUAL(events[3].line, first_line + 2);
	CHECK_EQUAL(events[4].line, first_line + 3);
}

void test_children_and_queues()
{
	int frame = 0;
	auto handle = std::coroutine_handle<>::from_address(&frame);

	corotracer::await_child(holder, other_one);
	corotracer::await_child_done(holder, other_one);
	corotracer::enqueue(holder, corotracer::queue(4));
	corotracer::dequeue(holder, corotracer::queue(4));
	corotracer::wake_by(holder, handle, corotracer::outcome::target_running);

	std::vector<event> events = recording::take_coroutines();

	CHECK_STRING(kinds(events), "await await-done enqueue dequeue wake");
	check_event(events[0], CTP_KIND_AWAIT, holder, other_one);
	check_event(events[1], CTP_KIND_AWAIT_DONE, holder, other_one);
	check_event(events[2], CTP_KIND_ENQUEUE, holder, corotracer::queue(4));
	check_event(events[3], CTP_KIND_DEQUEUE, holder, corotracer::queue(4));
	check_event(events[4], CTP_KIND_WAKE, holder, corotracer::frame(&frame));
	CHECK_EQUAL(events[4].argument, CTP_OUTCOME_TARGET_RUNNING);
}

template <class Task> Task sleep_twice()
{
	co_await sleeps{};
	co_await sleeps{false};
	co_await plain_sleep{};
}

template <class Task> void test_deadline()
{
	Task t = sleep_twice<Task>();
	std::vector<event> events;

	t.resume();
	t.destroy();
	events = recording::take_coroutines();
	check_event(nth(events, CTP_KIND_SUSPEND), CTP_KIND_SUSPEND,
		nth(events, CTP_KIND_CREATE).coro, corotracer::timer(3));
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQUAL(nth(events, CTP_KIND_DETAIL, i).object, deadline_ns);
	CHECK_EQUAL(nth(events, CTP_KIND_DETAIL, 2).object, deadline_ns + 1);
	CHECK_EQUAL(nth(events, CTP_KIND_DETAIL).argument, CTP_DETAIL_DEADLINE);
	nth(events, CTP_KIND_CANCEL);
	CHECK_EQUAL(nth(events, CTP_KIND_DESTROY).argument, CTP_LIFE_SUSPENDED);
}

template <class Task> Task give_way()
{
	co_await gives_way{};
	co_await plain_yield{};
	co_await std::suspend_always{};
}

template <class Task> void test_yields()
{
	Task t = give_way<Task>();
	std::vector<event> events;

	t.resume();
	t.resume();
	t.resume();
	t.destroy();
	events = recording::take_coroutines();
	std::erase_if(events, [](const event &e) {
		return e.argument == CTP_POINT_INITIAL || e.argument == CTP_POINT_FINAL;
	});
	for (unsigned i = 0; i < 3; i++) {
		unsigned expected = i < 2 ? CTP_POINT_YIELD : CTP_POINT_AWAIT;

		CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, i).argument, expected);
		CHECK_EQUAL(nth(events, CTP_KIND_RESUME, i).argument, expected);
	}
}

/* While nothing is recorded, nothing is written. */
void test_detached()
{
	ctp_detach();
	corotracer::acquire(holder, corotracer::lock(&deadline_ns));
	corotracer::notify(holder, corotracer::lock(&deadline_ns), 1);
	corotracer::await_child(holder, other_one);
	corotracer::enqueue(holder, corotracer::queue(4));
	CHECK_STRING(kinds(recording::take_coroutines()), "");
}

} // namespace

int main()
{
	recording::attach();
	test_resources();
	test_children_and_queues();
	test_deadline<task>();
	test_deadline<wrapped>();
	test_yields<task>();
	test_yields<wrapped>();
	test_detached();
	CHECK_EQUAL(recording::lost(), 0);
	return check_result();
}
