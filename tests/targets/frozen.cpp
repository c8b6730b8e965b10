/* SPDX-License-Identifier: MIT */
/*
 * Programs that freeze within milliseconds, each for a different reason, and never go on.
 *
 *	frozen never|reply|reply-base|locks [exit|abort|assert|sleep|timed|join|key [SECONDS]]
 *
 * never: three coroutines wait for objects that are not recorded; they derive from the base class, and main ran them.
 * reply: a coroutine waits for a reply that came before its wait was recorded; with the base class, or the wrapper.
 * locks: two coroutines hold a lock each, and each wants the other's lock. All programs except the first have workers,
 * which main joins.
 *
 * exit, abort, assert: the program's own watchdog, a thread that sleeps for SECONDS (1), then ends the program in that
 * way. The other words say how main waits instead of joining the workers: for a time, or for a key; then the program
 * ends with status 0.
 */
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "coroTracer.h"

namespace
{
/* ---------------------------------------------------------------- a scheduler */

std::mutex queue_lock;
std::condition_variable queue_filled;
std::deque<std::coroutine_handle<>> queue;

void schedule(std::coroutine_handle<> handle)
{
	{
		std::lock_guard guard(queue_lock);
		queue.push_back(handle);
	}
	queue_filled.notify_one();
}

void work()
{
	for (;;) {
		std::unique_lock guard(queue_lock);

		queue_filled.wait(guard, [] { return !queue.empty(); });
		std::coroutine_handle<> handle = queue.front();
		queue.pop_front();
		guard.unlock();
		handle.resume();
	}
}

std::chrono::seconds a_while(1);

/* What main waits in meanwhile; the coroutines do not depend on it. */
void wait_in(const char *how)
{
	if (strcmp(how, "key") == 0) {
		getchar();
	} else if (strcmp(how, "join") == 0) {
		std::thread([] { std::this_thread::sleep_for(a_while); }).join();
	} else if (strcmp(how, "timed") == 0) {
		std::mutex lock;
		std::condition_variable nobody;
		std::unique_lock guard(lock);

		nobody.wait_for(guard, a_while, [] { return false; });
	} else {
		std::this_thread::sleep_for(a_while);
	}
}

const char *main_waits_in;

[[noreturn]] void run_workers()
{
	std::thread first(work), second(work);

	if (main_waits_in) {
		wait_in(main_waits_in);
		_exit(0);
	}
	first.join();
	second.join();
	std::abort();
}

/* Promises, with the base class and without. */
template <class Handle> struct plain {
	Handle get_return_object()
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
	void return_void()
	{
	}
	void unhandled_exception()
	{
		std::abort();
	}
};

struct base_task {
	struct promise_type : corotracer::PromiseMixin, plain<base_task> {
	};
};

struct task {
	using promise_type = corotracer::traced<plain<task>>;
};

struct moved_to_worker {
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		corotracer::wake(handle);
		schedule(handle);
	}
	void await_resume()
	{
	}
};

/* ---------------------------------------------------------------- never */

struct Never {
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	void await_resume()
	{
	}
};

base_task wait_for_nothing()
{
	co_await Never{};
}

[[noreturn]] void freeze_never()
{
	std::mutex lock;
	std::condition_variable nobody;
	std::unique_lock guard(lock);

	for (int i = 0; i < 3; i++)
		wait_for_nothing();
	nobody.wait(guard, [] { return false; });
	std::abort();
}

/* ---------------------------------------------------------------- reply */

struct Reply {
	std::mutex lock;
	std::condition_variable was_set;
	std::coroutine_handle<> waiter;
	bool is_there = false;

	struct Awaiter {
		Reply &reply;

		bool await_ready()
		{
			return false; /* the reply has not come yet */
		}
		void await_suspend(std::coroutine_handle<> handle)
		{
			std::unique_lock guard(reply.lock);

			/* The reply may come in between, and is not checked again. */
			reply.was_set.wait(guard, [this] { return reply.is_there; });
			reply.waiter = handle;
		}
		void await_resume()
		{
		}
		std::uint64_t corotracer_resource() const noexcept
		{
			return corotracer::event(&reply);
		}
	};
	Awaiter operator co_await()
	{
		return Awaiter{*this};
	}
	void set()
	{
		std::lock_guard guard(lock);

		is_there = true;
		corotracer::notify(0, corotracer::event(this), waiter ? 1 : 0);
		was_set.notify_one();
	}
};

template <class Task> Task client(Reply &reply)
{
	co_await moved_to_worker{};
	co_await reply;
}

template <class Task> Task backend(Reply &reply)
{
	co_await moved_to_worker{};
	reply.set();
}

template <class Task> [[noreturn]] void freeze_reply()
{
	static Reply reply;

	client<Task>(reply);
	backend<Task>(reply);
	run_workers();
}

/* ---------------------------------------------------------------- locks */

struct Lock {
	bool is_held = false;
	std::mutex mutex;

	struct Awaiter {
		Lock &lock;

		bool await_ready()
		{
			std::lock_guard guard(lock.mutex);
			bool is_free = !lock.is_held;

			lock.is_held = true;
			return is_free;
		}
		void await_suspend(std::coroutine_handle<>)
		{
		}
		void await_resume()
		{
		}
		std::uint64_t corotracer_resource() const noexcept
		{
			return corotracer::lock(&lock);
		}
	};
	Awaiter operator co_await()
	{
		return Awaiter{*this};
	}
};

struct own_id {
	std::uint64_t id = 0;

	bool await_ready()
	{
		return false;
	}
	template <class Promise> bool await_suspend(std::coroutine_handle<Promise> handle)
	{
		id = handle.promise().corotracer_id();
		return false;
	}
	std::uint64_t await_resume()
	{
		return id;
	}
};

task take_both(Lock &mine, Lock &other)
{
	std::uint64_t id = co_await own_id{};

	co_await mine;
	corotracer::acquire(id, corotracer::lock(&mine));
	co_await moved_to_worker{};
	co_await other;
}

[[noreturn]] void freeze_locks()
{
	static Lock left, right;

	take_both(left, right);
	take_both(right, left);
	run_workers();
}

/* ---------------------------------------------------------------- the watchdog */

[[noreturn]] void watch(const char *how)
{
	bool is_well = false;

	std::this_thread::sleep_for(a_while);
	if (strcmp(how, "exit") == 0)
		_exit(3);
	if (strcmp(how, "assert") == 0)
		assert(is_well);
	std::abort();
}
} // namespace

static bool is_one_of(const char *word, std::initializer_list<const char *> words)
{
	for (const char *each : words)
		if (strcmp(word, each) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const char *program = argc > 1 ? argv[1] : "never";

	corotracer::InitTracer();
	if (argc > 3)
		a_while = std::chrono::seconds(atoi(argv[3]));
	if (argc > 2 && is_one_of(argv[2], {"sleep", "timed", "join", "key"}))
		main_waits_in = argv[2];
	else if (argc > 2)
		std::thread(watch, argv[2]).detach();
	if (strcmp(program, "reply") == 0)
		freeze_reply<task>();
	if (strcmp(program, "reply-base") == 0)
		freeze_reply<base_task>();
	if (strcmp(program, "locks") == 0)
		freeze_locks();
	freeze_never();
}
