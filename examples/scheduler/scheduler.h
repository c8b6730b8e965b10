/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: M tasks on N worker threads.
 *
 * Each worker takes tasks from its slot for the next one, else from its own queue, else from the common
 * queue, else steals half of another worker's queue or what lies in its slot, else lies down
 * (idle_workers.h). The idle worker that polls runs the reactor. A task that is resumed runs on the
 * worker's stack until it suspends; the scheduler never interrupts one, and never destroys one that is
 * suspended.
 */
#ifndef EXAMPLE_SCHEDULER_H
#define EXAMPLE_SCHEDULER_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "event_log.h"
#include "idle_workers.h"
#include "reactor.h"
#include "run_queue.h"
#include "task.h"

class Scheduler
{
      public:
	/* At least one worker; none runs before start(). The reactor must outlive the scheduler. */
	Scheduler(unsigned nr_workers, Reactor &reactor);
	Scheduler(const Scheduler &) = delete;
	Scheduler &operator=(const Scheduler &) = delete;

	void start();

	/* spawn: lets the task run on any worker. Any thread, until stop() is called. */
	void spawn(Task task);

	/*
	 * make_ready: puts a suspended coroutine where a worker will find it. The caller has told the
	 * tracer of the wake, and touches the coroutine no more: it may run, end and be gone at once. Any
	 * thread.
	 */
	void make_ready(Scheduled *task);

	/*
	 * make_next: make_ready for a task to which the running one has just given something: this
	 * worker runs it next, while its data is warm. For threads that are no workers, just make_ready.
	 */
	void make_next(Scheduled *task);

	/*
	 * wait_until_quiet: blocks until no coroutine runs or is ready to. None will, unless a thread that
	 * is no worker makes one ready, or an event arrives. Not for workers.
	 */
	void wait_until_quiet();

	/*
	 * stop: ends every wait with -ECANCELED, lets the tasks that can still run do so until each has
	 * ended or is suspended for good, and joins the workers. Does nothing where none run. For the
	 * thread that called start(), before the scheduler is destroyed.
	 */
	void stop();

	/* nr_live: how many tasks were spawned and have not ended. Any thread. */
	size_t nr_live() const;

	/* nr_steps: how often a task was resumed; it stands still when nothing goes on. Any thread. */
	uint64_t nr_steps() const;

	/* current_id: the tracer's number of the task that runs on this thread; 0 for none. */
	static uint64_t current_id();

	/*
	 * enter: the running coroutine passes its thread on to that one, without the scheduler's help:
	 * a call of a subroutine, or the return from one.
	 */
	static void enter(Scheduled *task);

	/* worker_index: which worker this thread is; -1: none. */
	static int worker_index();

      private:
	struct Worker {
		LocalQueue queue;
		std::atomic<Scheduled *> next{nullptr}; /* the slot; see make_next */
		unsigned nr_from_slot = 0;              /* taken from it one after the other */
		unsigned index = 0;
		uint64_t random = 0;
		Scheduled *current = nullptr;
		std::atomic<uint64_t> nr_steps{0}; /* written by the worker alone */
		Reactor::Batch batch;
		std::vector<Scheduled *> ready;
		std::thread thread;
	};

	static Worker *&this_worker();

	void work(Worker &self);
	void run(Worker &self, Scheduled *task);
	Scheduled *next(Worker &self);
	static uint64_t slot_of(const Worker &worker);
	static Scheduled *take_own(Worker &self);
	static Scheduled *take_slot(Worker &worker);
	static bool is_slot_empty(const Worker &worker);
	Scheduled *steal(Worker &self);
	Scheduled *steal_next(Worker &self);
	void look_around(Worker &self);
	void idle(Worker &self);
	void deliver(Worker &self);
	void enqueue(Scheduled *task);
	bool are_queues_empty() const;
	bool has_work() const;

	Reactor &reactor_;
	const unsigned nr_workers_;
	std::unique_ptr<Worker[]> workers_;
	InjectionQueue injected_;
	IdleWorkers idle_workers_;
	std::atomic<size_t> nr_live_{0};
	std::atomic<bool> is_stopped_{false};
};

#endif
