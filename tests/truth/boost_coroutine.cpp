/* SPDX-License-Identifier: MIT */
/*
 * Coroutines of Boost.Coroutine2, run by a pool of four threads; any free thread takes the next. Each coroutine yields,
 * and is put back; now and then all wait at a gate until the last one has come. The program is correct: it ends by
 * itself.
 *
 * usage: truth-boost-coroutine [ROUNDS]
 */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <boost/coroutine2/all.hpp>

#include "coroTracer.h"

namespace
{

using coroutine = boost::coroutines2::coroutine<void>;

constexpr unsigned nr_threads = 4;
constexpr unsigned nr_jobs = 24;

/* What a job does next when it yields: continue later, or wait at the gate. */
enum class next_step { again, gate };

struct Job {
	std::uint64_t id = 0;
	next_step next = next_step::again;
	std::unique_ptr<coroutine::pull_type> body;
};

class Pool
{
      public:
	/* put: makes the job ready. */
	void put(Job *job, std::uint64_t by)
	{
		ctp_wake(by, CTP_HANDLE(CTP_RESOURCE_COROUTINE, job->id), CTP_SITE("put"),
			CTP_OUTCOME_QUEUED);
		{
			std::lock_guard lock(mutex_);
			ready_.push_back(job);
		}
		filled_.notify_one();
	}
	/* take: returns the next job; NULL: all have ended. */
	Job *take()
	{
		std::unique_lock lock(mutex_);

		if (ready_.empty() && nr_left_ > 0) {
			ctp_park(0, CTP_SITE("idle"));
			filled_.wait(lock, [this] { return !ready_.empty() || nr_left_ == 0; });
			ctp_unpark(0);
		}
		if (ready_.empty())
			return nullptr;
		Job *job = ready_.front();

		ready_.pop_front();
		return job;
	}
	/* end: counts a job that has ended; after the last one all threads end. */
	void end()
	{
		std::lock_guard lock(mutex_);

		if (--nr_left_ == 0)
			filled_.notify_all();
	}

      private:
	std::mutex mutex_;
	std::condition_variable filled_;
	std::deque<Job *> ready_;
	unsigned nr_left_ = nr_jobs;
};

/* Opens for all waiters, once the last one has come. */
class Gate
{
      public:
	void come(Job *job, Pool &pool)
	{
		std::vector<Job *> all;
		{
			std::lock_guard lock(mutex_);
			waiting_.push_back(job);
			if (waiting_.size() < nr_jobs)
				return;
			all.swap(waiting_);
		}
		ctp_notify(0, resource(), static_cast<unsigned>(all.size()), CTP_SITE("gate"));
		for (Job *other : all)
			pool.put(other, 0);
	}
	std::uint64_t resource() const
	{
		return CTP_HANDLE(CTP_RESOURCE_CONDITION, reinterpret_cast<std::uintptr_t>(this));
	}

      private:
	std::mutex mutex_;
	std::vector<Job *> waiting_;
};

void play(Job &job, coroutine::push_type &yield, long nr_rounds)
{
	for (long i = 1; i <= nr_rounds; i++) {
		job.next = i % 50 == 0 ? next_step::gate : next_step::again;
		yield();
	}
}

void make(Job &job, long nr_rounds)
{
	job.id = ctp_coro_new();
	ctp_create(job.id, reinterpret_cast<std::uintptr_t>(&job), CTP_SITE("job"));
	job.body = std::make_unique<coroutine::pull_type>(
		[&job, nr_rounds](coroutine::push_type &yield) {
			yield(); /* the first run is a worker's */
			play(job, yield, nr_rounds);
		});
}

void run(Job *job, Gate &gate, Pool &pool)
{
	ctp_resume(job->id, CTP_POINT_AWAIT);
	(*job->body)();
	if (!*job->body) {
		ctp_return(job->id);
		ctp_destroy(job->id, CTP_LIFE_DONE);
		pool.end();
	} else if (job->next == next_step::gate) {
		ctp_suspend(job->id, gate.resource(), CTP_SITE("gate"), CTP_POINT_AWAIT);
		gate.come(job, pool);
	} else {
		ctp_suspend(job->id, 0, CTP_SITE("yield"), CTP_POINT_YIELD);
		pool.put(job, 0);
	}
}

void work(Gate &gate, Pool &pool)
{
	while (Job *job = pool.take())
		run(job, gate, pool);
}

} /* namespace */

int main(int argc, char **argv)
{
	long nr_rounds = argc > 1 ? std::atol(argv[1]) : 1000;
	std::vector<Job> jobs(nr_jobs);
	std::vector<std::thread> threads;
	Gate gate;
	Pool pool;

	corotracer::InitTracer();
	for (Job &job : jobs) {
		make(job, nr_rounds);
		pool.put(&job, 0);
	}
	for (unsigned i = 0; i < nr_threads; i++)
		threads.emplace_back([&gate, &pool] { work(gate, pool); });
	for (std::thread &thread : threads)
		thread.join();
	std::puts("done");
	return EXIT_SUCCESS;
}
