/* SPDX-License-Identifier: MIT */
/*
 * A coroutine's life as the base class and the wrapper record it: identity, creation, frame, and its state when it was
 * destroyed; and nothing at all is written while the program is not attached.
 */
#include <cerrno>
#include <map>

#include "recording.h"
#include "tasks.h"

template <class Task> static Task waits(int times)
{
	for (int i = 0; i < times; i++)
		co_await std::suspend_always{};
}

/* Starts suspended, with the base class and with the wrapper. */
template <bool is_wrapped> struct lazy;
template <bool is_wrapped> struct lazy_promise;
template <> struct lazy_promise<false> : promise_parts, corotracer::PromiseMixin {
	lazy<false> get_return_object();
	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
};
template <> struct lazy_promise<true> : promise_parts {
	lazy<true> get_return_object();
	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
};
template <bool is_wrapped>
using lazy_promise_type =
	std::conditional_t<is_wrapped, corotracer::traced<lazy_promise<true>>, lazy_promise<false>>;
template <bool is_wrapped> struct lazy : owned<lazy_promise_type<is_wrapped>> {
	using promise_type = lazy_promise_type<is_wrapped>;
	using owned<promise_type>::owned;
};
lazy<false> lazy_promise<false>::get_return_object()
{
	return lazy<false>(std::coroutine_handle<lazy_promise<false>>::from_promise(*this));
}
lazy<true> lazy_promise<true>::get_return_object()
{
	using whole = lazy_promise_type<true>;

	return lazy<true>(std::coroutine_handle<whole>::from_promise(static_cast<whole &>(*this)));
}

static_assert(sizeof(corotracer::PromiseMixin) == 16);
static_assert(!std::is_polymorphic_v<corotracer::PromiseMixin>);

/* Runs the coroutine `resumes` times, destroys it, and returns the recorded events. */
template <class Task> static std::string life(Task t, int resumes, unsigned *ret_end)
{
	std::vector<event> events;

	for (int i = 0; i < resumes; i++)
		t.resume();
	t.destroy();
	events = recording::take_coroutines();
	*ret_end = nth(events, CTP_KIND_DESTROY).argument;
	return kinds(events);
}

static void test_base_class()
{
	unsigned end;

	CHECK_STRING(life(waits<task>(0), 0, &end), "create destroy");
	CHECK_EQUAL(end, CTP_LIFE_UNSEEN);
	CHECK_STRING(life(waits<task>(1), 0, &end), "create frame suspend destroy");
	CHECK_EQUAL(end, CTP_LIFE_SUSPENDED);
	CHECK_STRING(life(waits<task>(1), 1, &end), "create frame suspend resume destroy");
	CHECK_EQUAL(end, CTP_LIFE_DONE);
	CHECK_STRING(life(waits<lazy<false>>(1), 0, &end), "create destroy");
	CHECK_EQUAL(end, CTP_LIFE_UNSEEN);
	CHECK_STRING(life(waits<lazy<false>>(2), 2, &end),
		"create frame suspend resume suspend destroy");
	CHECK_EQUAL(end, CTP_LIFE_SUSPENDED);
}

static void test_wrapper()
{
	unsigned end;

	CHECK_STRING(
		life(waits<wrapped>(0), 0, &end), "create resume return frame suspend destroy");
	CHECK_EQUAL(end, CTP_LIFE_DONE);
	CHECK_STRING(life(waits<wrapped>(1), 0, &end), "create resume frame suspend destroy");
	CHECK_EQUAL(end, CTP_LIFE_SUSPENDED);
	CHECK_STRING(life(waits<lazy<true>>(1), 0, &end), "create frame suspend destroy");
	CHECK_EQUAL(end, CTP_LIFE_UNSEEN);
	CHECK_STRING(life(waits<lazy<true>>(1), 2, &end),
		"create frame suspend resume suspend resume return suspend destroy");
	CHECK_EQUAL(end, CTP_LIFE_DONE);
}

static void test_points()
{
	std::vector<event> events;
	lazy<true> t = waits<lazy<true>>(1);

	t.resume();
	t.resume();
	events = recording::take_coroutines();
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 0).argument, CTP_POINT_INITIAL);
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 1).argument, CTP_POINT_AWAIT);
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 2).argument, CTP_POINT_FINAL);
	CHECK_EQUAL(nth(events, CTP_KIND_RESUME, 0).argument, CTP_POINT_INITIAL);
	CHECK_EQUAL(nth(events, CTP_KIND_RESUME, 1).argument, CTP_POINT_AWAIT);
	t.destroy();
	recording::take();
}

/* Addresses: that of the mixin at creation; that of the frame once, from which the handle can be computed. */
static void test_addresses()
{
	std::vector<event> events;
	task t = waits<task>(3);
	const corotracer::PromiseMixin *mixin = &t.handle.promise();
	void *frame = t.handle.address();
	const void *resume_function = *static_cast<void **>(frame);

	t.resume();
	t.resume();
	events = recording::take_coroutines();
	CHECK_STRING(kinds(events), "create frame suspend resume suspend resume suspend");
	CHECK_EQUAL(nth(events, CTP_KIND_CREATE).object, reinterpret_cast<std::uintptr_t>(mixin));
	CHECK_EQUAL(nth(events, CTP_KIND_CREATE).site_kind, CTP_SITE_CALLER);
	CHECK_EQUAL(nth(events, CTP_KIND_FRAME).object, reinterpret_cast<std::uintptr_t>(frame));
	CHECK_EQUAL(nth(events, CTP_KIND_FRAME).site_kind, CTP_SITE_FUNCTION);
	CHECK_EQUAL(nth(events, CTP_KIND_FRAME).address,
		reinterpret_cast<std::uintptr_t>(resume_function));
	t.destroy();
	recording::take();
}

/* At final suspend, word 0 is null, so the destroyer names the function. */
static void test_frame_at_the_end()
{
	std::vector<event> events;
	wrapped t = waits<wrapped>(0);
	void **words = static_cast<void **>(t.handle.address());

	CHECK(words[0] == nullptr);
	events = recording::take_coroutines();
	CHECK_EQUAL(
		nth(events, CTP_KIND_FRAME).address, reinterpret_cast<std::uintptr_t>(words[1]));
	t.destroy();
	recording::take();
}

static void test_identities()
{
	std::map<std::uint64_t, int> seen;

	for (int i = 0; i < 5000; i++) {
		task t = waits<task>(1);
		seen[t.handle.promise().corotracer_id()]++;
	}
	CHECK_EQUAL(seen.size(), 5000);
	CHECK_EQUAL(seen.count(0), 0);
	recording::take();
}

/* A copy of a promise is not the coroutine. */
static void test_copy()
{
	task t = waits<task>(1);
	std::uint64_t id = t.handle.promise().corotracer_id();

	recording::take();
	{
		task_promise copy = t.handle.promise();
		task_promise other;

		CHECK_EQUAL(copy.corotracer_id(), 0);
		other = t.handle.promise();
		CHECK(other.corotracer_id() != id);
		t.handle.promise() = copy;
		CHECK_EQUAL(t.handle.promise().corotracer_id(), id);
	}
	/* Only `other` was created separately, so only it has a life. */
	CHECK_STRING(kinds(recording::take_coroutines()), "create destroy");
	t.destroy();
	CHECK_STRING(kinds(recording::take_coroutines(), id), "destroy");
}

/* errno is the program's. */
static task sets_errno(int *seen)
{
	errno = EPIPE;
	co_await std::suspend_always{};
	*seen = errno;
}

static void test_errno()
{
	int seen = 0;
	task t = sets_errno(&seen);

	CHECK_EQUAL(errno, EPIPE);
	errno = ENOTTY;
	t.resume();
	CHECK_EQUAL(seen, ENOTTY);
	errno = EDOM;
	corotracer::wake(t.handle);
	t.destroy();
	CHECK_EQUAL(errno, EDOM);
	recording::take();
}

static void test_marks()
{
	std::vector<event> events;
	task t = waits<task>(1);
	wrapped w = waits<wrapped>(1);

	corotracer::mark_daemon(t.handle);
	corotracer::mark_expect_idle(w.handle.promise());
	corotracer::park();
	corotracer::unpark();
	events = recording::take_coroutines();
	CHECK_EQUAL(nth(events, CTP_KIND_MARK).argument, CTP_MARK_DAEMON);
	CHECK_EQUAL(nth(events, CTP_KIND_MARK).coro, t.handle.promise().corotracer_id());
	CHECK_EQUAL(nth(events, CTP_KIND_MARK, 1).argument, CTP_MARK_EXPECT_IDLE);
	CHECK_EQUAL(nth(events, CTP_KIND_MARK, 1).coro, w.handle.promise().corotracer_id());
	CHECK_EQUAL(nth(events, CTP_KIND_PARK).coro, 0);
	CHECK_EQUAL(nth(events, CTP_KIND_UNPARK).coro, 0);
}

/* The end of a sleep records the time; a wake by id needs no handle. */
static void test_sleeps_and_ids()
{
	std::vector<event> events;
	task t = waits<task>(1);
	std::uint64_t id = t.handle.promise().corotracer_id();

	corotracer::park_until(4711, corotracer::timer(3));
	corotracer::unpark();
	corotracer::park_untimed();
	corotracer::unpark();
	corotracer::wake_id(7, 0);
	corotracer::wake_id(7, id, corotracer::outcome::already_queued);
	events = recording::take_coroutines();
	CHECK_EQUAL(nth(events, CTP_KIND_PARK).object, corotracer::timer(3));
	CHECK_EQUAL(nth(events, CTP_KIND_DETAIL).argument, CTP_DETAIL_DEADLINE);
	CHECK_EQUAL(nth(events, CTP_KIND_DETAIL).object, 4711);
	CHECK_EQUAL(nth(events, CTP_KIND_PARK, 1).object, 0);
	CHECK_EQUAL(nth(events, CTP_KIND_WAKE).coro, 7);
	CHECK_EQUAL(nth(events, CTP_KIND_WAKE).object, CTP_HANDLE(CTP_RESOURCE_COROUTINE, id));
	CHECK_EQUAL(nth(events, CTP_KIND_WAKE).argument, CTP_OUTCOME_ALREADY_QUEUED);
}

/*
 * Coroutines older than the attachment get an id with their first event, and no create event.
 */
struct early {
	task suspended = waits<task>(2);
	wrapped suspended_too = waits<wrapped>(2);
	lazy<true> not_started = waits<lazy<true>>(1);
	task never_resumed = waits<task>(1);
};

static void test_early(early &old)
{
	std::vector<event> events;

	CHECK_EQUAL(old.suspended.handle.promise().corotracer_id(), 0);
	CHECK_STRING(kinds(recording::take_coroutines()), "");
	old.suspended.resume();
	CHECK_STRING(kinds(recording::take_coroutines()), "frame suspend");
	CHECK(old.suspended.handle.promise().corotracer_id() != 0);
	old.suspended.resume();
	old.suspended.destroy();
	CHECK_STRING(kinds(recording::take_coroutines()), "resume destroy");
	old.suspended_too.resume();
	CHECK_STRING(kinds(recording::take_coroutines()), "frame suspend");
	old.not_started.resume();
	CHECK_STRING(kinds(recording::take_coroutines()), "resume frame suspend");
	old.never_resumed.destroy();
	CHECK_STRING(kinds(recording::take_coroutines()), "");
	old.suspended_too.destroy();
	old.not_started.destroy();
	recording::take();
}

/* Must be the last test: after detaching, the same code writes nothing, even about coroutines that it had begun. */
static void test_detached()
{
	task t = waits<task>(2);

	recording::take();
	ctp_detach();
	t.resume();
	corotracer::wake(t.handle);
	corotracer::park();
	t.destroy();
	{
		wrapped w = waits<wrapped>(1);
		CHECK_EQUAL(w.handle.promise().corotracer_id(), 0);
		w.resume();
	}
	CHECK_STRING(kinds(recording::take_coroutines()), "");
}

struct sightings {
	std::uint64_t at_start = 0;
	std::uint64_t in_await = 0;
	std::uint64_t refused = 0;
	std::uint64_t behind_child = 0;
	std::uint64_t after_wait = 0;
};

/* An awaiter that asks which coroutine runs, and then suspends or does not. */
struct asks {
	std::uint64_t &current;
	bool suspends;

	bool await_ready() const noexcept
	{
		return false;
	}
	bool await_suspend(std::coroutine_handle<>) const noexcept
	{
		current = corotracer::current_id();
		return suspends;
	}
	void await_resume() const noexcept
	{
	}
};

/*
 * Asks which coroutine runs, as a mutex does that does not know its caller: at the beginning, after a child, during and
 * after a wait.
 */
template <class Task> static Task looks_around(sightings &seen)
{
	seen.at_start = corotracer::current_id();
	{
		Task child = waits<Task>(1);

		seen.behind_child = corotracer::current_id();
	}
	co_await asks{seen.in_await, true};
	seen.after_wait = corotracer::current_id();
	co_await asks{seen.refused, false};
	CHECK_EQUAL(corotracer::current_id(), seen.refused);
	co_await std::suspend_always{};
}

template <class Task> static sightings look_around(std::uint64_t *ret_id)
{
	sightings seen;
	Task t = looks_around<Task>(seen);

	CHECK_EQUAL(corotracer::current_id(), 0);
	*ret_id = t.handle.promise().corotracer_id();
	t.resume();
	CHECK_EQUAL(corotracer::current_id(), 0);
	return seen;
}

/* If the running coroutine is unknown, its id is 0, and never that of another one. */
static void test_current()
{
	std::uint64_t id;
	sightings seen = look_around<wrapped>(&id);

	CHECK_EQUAL(seen.at_start, id);
	CHECK_EQUAL(seen.behind_child, 0);
	CHECK_EQUAL(seen.in_await, id);
	CHECK_EQUAL(seen.after_wait, id);
	CHECK_EQUAL(seen.refused, id);
	seen = look_around<task>(&id);
	CHECK_EQUAL(seen.in_await, id);
	CHECK_EQUAL(seen.refused, id);
	CHECK_EQUAL(seen.at_start, 0);
	CHECK_EQUAL(seen.behind_child, 0);
	CHECK_EQUAL(seen.after_wait, id);
}

/* No engine listens: InitTracer says so, and the coroutines run. */
static void test_not_attached()
{
	task t = waits<task>(1);

	unsetenv(CTP_ENVIRONMENT);
	errno = ESPIPE;
	CHECK(!corotracer::InitTracer());
	CHECK_EQUAL(errno, ESPIPE);
	CHECK_EQUAL(t.handle.promise().corotracer_id(), 0);
	corotracer::wake(t.handle);
	corotracer::park();
	corotracer::mark_daemon(t.handle);
	t.resume();
	CHECK(t.handle.done());
}

int main()
{
	test_not_attached();
	{
		early old;

		recording::attach();
		test_early(old);
	}
	test_base_class();
	test_wrapper();
	test_points();
	test_addresses();
	test_frame_at_the_end();
	test_identities();
	test_copy();
	test_errno();
	test_marks();
	test_sleeps_and_ids();
	test_current();
	CHECK_EQUAL(recording::lost(), 0);
	test_detached();
	return check_result();
}
