/* SPDX-License-Identifier: MIT */
/*
 * Coroutines on three loops of libuv, each with a thread of its own. Coroutines hop from loop to loop, sleep on timers,
 * and share a lock that is passed from one to the next; all of this is recorded. The program is correct: it ends by
 * itself.
 *
 * usage: truth-uv-loops [ROUNDS]
 */
#include <array>
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <uv.h>

#include "coroTracer.h"

namespace
{

constexpr std::size_t nr_loops = 3;
constexpr int nr_walkers = 12;

class Loop
{
      public:
	Loop()
	{
		uv_loop_init(&loop_);
		uv_async_init(&loop_, &async_,
			[](uv_async_t *async) { static_cast<Loop *>(async->data)->run_ready(); });
		uv_prepare_init(&loop_, &prepare_);
		uv_check_init(&loop_, &check_);
		async_.data = this;
		uv_prepare_start(&prepare_, [](uv_prepare_t *) { corotracer::park(); });
		uv_check_start(&check_, [](uv_check_t *) { corotracer::unpark(); });
	}
	/* post: continues the coroutine on this loop; may be called on any thread. */
	void post(std::coroutine_handle<> handle)
	{
		corotracer::wake(handle);
		{
			std::lock_guard lock(mutex_);
			ready_.push_back(handle);
		}
		uv_async_send(&async_);
	}
	void run()
	{
		uv_run(&loop_, UV_RUN_DEFAULT);
		uv_loop_close(&loop_);
	}
	/* stop: makes run return; may be called on any thread. */
	void stop()
	{
		is_over_ = true;
		uv_async_send(&async_);
	}
	uv_loop_t *get()
	{
		return &loop_;
	}

      private:
	void run_ready()
	{
		std::deque<std::coroutine_handle<>> ready;
		{
			std::lock_guard lock(mutex_);
			ready.swap(ready_);
		}
		for (std::coroutine_handle<> handle : ready)
			handle.resume();
		if (is_over_)
			close();
	}
	void close()
	{
		for (uv_handle_t *handle : {reinterpret_cast<uv_handle_t *>(&async_),
			     reinterpret_cast<uv_handle_t *>(&prepare_),
			     reinterpret_cast<uv_handle_t *>(&check_)})
			if (!uv_is_closing(handle))
				uv_close(handle, nullptr);
	}

	uv_loop_t loop_;
	uv_async_t async_;
	uv_prepare_t prepare_;
	uv_check_t check_;
	std::mutex mutex_;
	std::deque<std::coroutine_handle<>> ready_;
	std::atomic<bool> is_over_ = false;
};

struct Walk {
	struct promise : corotracer::PromiseMixin {
		Walk get_return_object()
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
		[[noreturn]] void unhandled_exception()
		{
			std::terminate();
		}
	};
	using promise_type = corotracer::traced<promise>;
};

struct Hop {
	explicit Hop(Loop &loop) : to(loop)
	{
	}
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		to.post(handle);
	}
	void await_resume() const noexcept
	{
	}

	Loop &to;
};

struct Sleep {
	Sleep(Loop &loop, std::uint64_t milliseconds) : on(loop), length(milliseconds)
	{
	}
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		auto *timer = new uv_timer_t;

		uv_timer_init(on.get(), timer);
		timer->data = handle.address();
		uv_timer_start(timer, fired, length, 0);
	}
	void await_resume() const noexcept
	{
	}
	static void fired(uv_timer_t *timer)
	{
		auto handle = std::coroutine_handle<>::from_address(timer->data);

		uv_close(reinterpret_cast<uv_handle_t *>(timer),
			[](uv_handle_t *closed) { delete reinterpret_cast<uv_timer_t *>(closed); });
		corotracer::wake(handle, corotracer::outcome::resumed);
		handle.resume();
	}
	std::uint64_t corotracer_deadline() const noexcept
	{
		return uv_hrtime() + length * 1000000;
	}

	Loop &on;
	std::uint64_t length;
};

/* A lock that is never free while a coroutine waits: unlocking hands it over, and posts the next coroutine. */
class Lock
{
      public:
	struct Enter {
		Enter(Lock &wanted, Loop &loop) : lock(wanted), home(loop)
		{
		}
		bool await_ready() const noexcept
		{
			return false;
		}
		template <class Promise> bool await_suspend(std::coroutine_handle<Promise> handle)
		{
			id = handle.promise().corotracer_id();
			waiting = handle;
			return lock.wait_or_take(this);
		}
		std::uint64_t await_resume() const noexcept
		{
			return id;
		}
		std::uint64_t corotracer_resource() const noexcept
		{
			return corotracer::lock(&lock);
		}

		Lock &lock;
		Loop &home;
		std::uint64_t id = 0;
		std::coroutine_handle<> waiting;
	};

	void leave(std::uint64_t id)
	{
		Enter *next;
		{
			std::lock_guard guard(mutex_);
			if (waiters_.empty()) {
				corotracer::release(id, corotracer::lock(this));
				is_held_ = false;
				return;
			}
			next = waiters_.front();
			waiters_.pop_front();
			corotracer::hand_over(id, corotracer::lock(this), next->id);
		}
		next->home.post(next->waiting);
	}

      private:
	bool wait_or_take(Enter *enter)
	{
		std::lock_guard guard(mutex_);

		if (is_held_) {
			waiters_.push_back(enter);
			return true;
		}
		is_held_ = true;
		corotracer::acquire(enter->id, corotracer::lock(this));
		return false;
	}

	std::mutex mutex_;
	std::deque<Enter *> waiters_;
	bool is_held_ = false;
};

struct World {
	std::array<Loop, nr_loops> loops;
	Lock lock;
	long counted = 0;
	std::atomic<int> nr_left = nr_walkers;
};

Walk walk(World &world, std::size_t start, long nr_rounds)
{
	for (long i = 0; i < nr_rounds; i++) {
		Loop &loop = world.loops[(start + static_cast<std::size_t>(i)) % nr_loops];

		co_await Hop(loop);
		std::uint64_t id = co_await Lock::Enter(world.lock, loop);

		world.counted++;
		world.lock.leave(id);
		if (i % 100 == 99)
			co_await Sleep(loop, 1);
	}
	if (--world.nr_left == 0)
		for (Loop &loop : world.loops)
			loop.stop();
}

} /* namespace */

int main(int argc, char **argv)
{
	long nr_rounds = argc > 1 ? std::atol(argv[1]) : 1000;
	std::vector<std::thread> threads;

	corotracer::InitTracer();
	World world;
	for (std::size_t i = 0; i < nr_walkers; i++)
		walk(world, i, nr_rounds);
	for (Loop &loop : world.loops)
		threads.emplace_back([&loop] { loop.run(); });
	for (std::thread &thread : threads)
		thread.join();
	std::printf("%ld counted\n", world.counted);
	return world.counted == nr_walkers * nr_rounds ? EXIT_SUCCESS : EXIT_FAILURE;
}
