/* SPDX-License-Identifier: MIT */
/*
 * Resumable tasks of oneTBB: each job is suspended in a task again and again, and resumed by a thread outside of all
 * arenas, or by the previous job in a circle. Traced around tbb::task::suspend. The program is correct: it ends by
 * itself.
 *
 * usage: truth-tbb-suspend [ROUNDS]
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#define TBB_PREVIEW_RESUMABLE_TASKS 1
#include <tbb/global_control.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "coroTracer.h"

namespace
{

constexpr int nr_threads = 4;
constexpr int nr_jobs = 12;

/* A waiting job: the thread or job that takes it from its place resumes it. */
struct Waiting {
	std::uint64_t id;
	tbb::task::suspend_point point;
};

void wake(std::uint64_t waker, const Waiting &waiting)
{
	ctp_wake(waker, CTP_HANDLE(CTP_RESOURCE_COROUTINE, waiting.id), CTP_SITE("resume"),
		CTP_OUTCOME_QUEUED);
	tbb::task::resume(waiting.point);
}

/* A thread outside all arenas, which resumes the jobs that it is given. */
class Reviver
{
      public:
	Reviver() : thread_([this] { work(); })
	{
	}
	~Reviver()
	{
		{
			std::lock_guard lock(mutex_);
			is_over_ = true;
		}
		filled_.notify_one();
		thread_.join();
	}
	void put(const Waiting &waiting)
	{
		{
			std::lock_guard lock(mutex_);
			queue_.push(waiting);
		}
		filled_.notify_one();
	}

      private:
	void work()
	{
		std::unique_lock lock(mutex_);

		for (;;) {
			filled_.wait(lock, [this] { return is_over_ || !queue_.empty(); });
			if (queue_.empty())
				return;
			Waiting waiting = queue_.front();

			queue_.pop();
			lock.unlock();
			wake(0, waiting);
			lock.lock();
		}
	}

	std::mutex mutex_;
	std::condition_variable filled_;
	std::queue<Waiting> queue_;
	bool is_over_ = false;
	std::thread thread_;
};

/* A place for a waiting job, or for a wake that came first. */
class Slot
{
      public:
	/* await: the job `id` waits here until pass is called. */
	void await(std::uint64_t id)
	{
		tbb::task::suspend([this, id](tbb::task::suspend_point point) {
			ctp_suspend(id,
				CTP_HANDLE(
					CTP_RESOURCE_EVENT, reinterpret_cast<std::uintptr_t>(this)),
				CTP_SITE("slot"), CTP_POINT_AWAIT);
			settle({id, point});
		});
		ctp_resume(id, CTP_POINT_AWAIT);
	}
	/* pass: lets the waiting job go on; if there is none, the next job does not wait. */
	void pass(std::uint64_t by)
	{
		Waiting waiting;
		{
			std::lock_guard lock(mutex_);
			if (!is_taken_) {
				nr_passes_++;
				return;
			}
			waiting = waiting_;
			is_taken_ = false;
		}
		wake(by, waiting);
	}

      private:
	void settle(const Waiting &waiting)
	{
		{
			std::lock_guard lock(mutex_);
			if (nr_passes_ == 0) {
				waiting_ = waiting;
				is_taken_ = true;
				return;
			}
			nr_passes_--;
		}
		wake(waiting.id, waiting);
	}

	std::mutex mutex_;
	Waiting waiting_{};
	bool is_taken_ = false;
	long nr_passes_ = 0;
};

void job(std::vector<Slot> &ring, std::size_t index, Reviver &reviver, long nr_rounds)
{
	std::uint64_t id = ctp_coro_new();

	ctp_create(id, 0, CTP_SITE("job"));
	ctp_resume(id, CTP_POINT_INITIAL);
	for (long i = 0; i < nr_rounds; i++) {
		if (i % 3 == 0) {
			tbb::task::suspend([&reviver, id](tbb::task::suspend_point point) {
				ctp_suspend(id, 0, CTP_SITE("revived"), CTP_POINT_AWAIT);
				reviver.put({id, point});
			});
			ctp_resume(id, CTP_POINT_AWAIT);
		}
		ring[(index + 1) % ring.size()].pass(id);
		ring[index].await(id);
	}
	ctp_return(id);
	ctp_destroy(id, CTP_LIFE_DONE);
}

} /* namespace */

int main(int argc, char **argv)
{
	long nr_rounds = argc > 1 ? std::atol(argv[1]) : 500;
	std::atomic<int> nr_done = 0;

	corotracer::InitTracer();
	{
		tbb::global_control limit(tbb::global_control::max_allowed_parallelism, nr_threads);
		tbb::task_arena arena(nr_threads);
		std::vector<Slot> ring(nr_jobs);
		Reviver reviver;
		tbb::task_group group;

		arena.execute([&] {
			for (std::size_t i = 0; i < nr_jobs; i++)
				group.run([&ring, i, &reviver, nr_rounds, &nr_done] {
					job(ring, i, reviver, nr_rounds);
					nr_done++;
				});
		});
		arena.execute([&group] { group.wait(); });
	}
	std::printf("%d done\n", nr_done.load());
	return nr_done == nr_jobs ? EXIT_SUCCESS : EXIT_FAILURE;
}
