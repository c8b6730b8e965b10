/* SPDX-License-Identifier: MIT */
/*
 * Programs that freeze within milliseconds, each for another reason, and never go on.
 *
 *	frozen never|reply|locks [exit|abort|assert]
 *
 * never: three coroutines wait for nothing that anybody tells of; they derive from the base class, and main ran them.
 * reply: a coroutine waits for a reply that was there before it was seen to wait. locks: two coroutines hold a lock
 * each, and want the other one's. The last two have workers, and the wrapper. With a second argument a watchdog of the
 * program's own, a thread that sleeps for a second, ends it then in that way.
 */
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
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

[[noreturn]] void run_workers()
{
	std::thread first(work), second(work);

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
			return false; /* it is not there yet */
		}
		void await_suspend(std::coroutine_handle<> handle)
		{
			std::unique_lock guard(reply.lock);

			/* It comes in between, and is not looked for again. */
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

task client(Reply &reply)
{
	co_await moved_to_worker{};
	co_await reply;
}

task backend(Reply &reply)
{
	co_await moved_to_worker{};
	reply.set();
}

[[noreturn]] void freeze_reply()
{
	static Reply reply;

	client(reply);
	backend(reply);
	run_workers();
}

/* ---------------------------------------------------------------- locks */

struct Lock {
	bool is_held = false;
	std::mutex guard;

	struct Awaiter {
		Lock &lock;

		bool await_ready()
		{
			std::lock_guard guard(lock.guard);
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

	std::this_thread::sleep_for(std::chrono::seconds(1));
	if (strcmp(how, "exit") == 0)
		_exit(3);
	if (strcmp(how, "assert") == 0)
		assert(is_well);
	std::abort();
}
} // namespace

int main(int argc, char **argv)
{
	corotracer::InitTracer();
	if (argc > 2)
		std::thread(watch, argv[2]).detach();
	if (argc > 1 && strcmp(argv[1], "reply") == 0)
		freeze_reply();
	if (argc > 1 && strcmp(argv[1], "locks") == 0)
		freeze_locks();
	freeze_never();
}
