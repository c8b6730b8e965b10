/* SPDX-License-Identifier: MIT */
/* The scheduler's workers: how they find tasks, run them, and rest. */
#include "scheduler.h"

#include <string>

#include <pthread.h>

#ifdef GUARDS_RESUME
#include "resume_guard.h"
#endif

namespace
{

constexpr int forever = -1;

/*
 * A worker that is never idle looks into the common queue and the reactor once in so many tasks, so
 * that a few tasks that keep each other ready cannot shut out all others. A prime, so that it does
 * not beat with the tasks' own periods.
 */
constexpr uint64_t steps_between_looks = 61;

/* So often in a row a worker takes its next task from the slot, while others wait in its queue. */
constexpr unsigned slot_turns = 16;

/* xorshift64: good enough to choose a victim, and it shares no state. */
uint64_t next_random(uint64_t &state)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

} // namespace

Scheduler::Scheduler(unsigned nr_workers, Reactor &reactor)
    : reactor_(reactor), nr_workers_(nr_workers), workers_(std::make_unique<Worker[]>(nr_workers)),
      idle_workers_(nr_workers, reactor)
{
	for (unsigned i = 0; i < nr_workers; i++) {
		workers_[i].index = i;
		workers_[i].random = i + 1;
	}
}

void Scheduler::start()
{
	for (unsigned i = 0; i < nr_workers_; i++)
		workers_[i].thread = std::thread([this, i] { work(workers_[i]); });
}

void Scheduler::spawn(Task task)
{
	Task::promise_type *promise = task.release();

	promise->nr_live = &nr_live_;
	nr_live_.fetch_add(1, std::memory_order_relaxed);
	corotracer::wake(promise->handle(), corotracer::outcome::queued);
	make_ready(promise);
}

void Scheduler::stop()
{
	std::vector<Scheduled *> cancelled;

	if (!workers_[0].thread.joinable())
		return;
	reactor_.cancel_all(cancelled);
	for (Scheduled *task : cancelled)
		make_ready(task);
	/* What can still come to an end does so now: no task can begin a wait any more. */
	wait_until_quiet();
	is_stopped_.store(true, std::memory_order_release);
	idle_workers_.wake_all();
	for (unsigned i = 0; i < nr_workers_; i++)
		workers_[i].thread.join();
}

void Scheduler::wait_until_quiet()
{
	idle_workers_.wait_until_quiet([this] { return are_queues_empty(); });
}

size_t Scheduler::nr_live() const
{
	return nr_live_.load(std::memory_order_acquire);
}

uint64_t Scheduler::nr_steps() const
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < nr_workers_; i++)
		sum += workers_[i].nr_steps.load(std::memory_order_relaxed);
	return sum;
}

/*
 * Never inlined: a coroutine is resumed on other threads than it was suspended on, and compilers may
 * compute the address of a thread-local once per function, before the suspension.
 */
[[gnu::noinline]] Scheduler::Worker *&Scheduler::this_worker()
{
	static thread_local Worker *worker = nullptr;

	return worker;
}

[[gnu::noinline]] uint64_t Scheduler::current_id()
{
	Worker *self = this_worker();

	return self != nullptr && self->current != nullptr ? self->current->id() : 0;
}

[[gnu::noinline]] void Scheduler::enter(Scheduled *task)
{
	Worker *self = this_worker();

	if (self != nullptr)
		self->current = task;
}

[[gnu::noinline]] int Scheduler::worker_index()
{
	Worker *self = this_worker();

	return self != nullptr ? static_cast<int>(self->index) : -1;
}

void Scheduler::work(Worker &self)
{
	std::string name = "worker " + std::to_string(self.index);

	pthread_setname_np(pthread_self(), name.c_str());
	this_worker() = &self;
	while (Scheduled *task = next(self))
		run(self, task);
}

void Scheduler::run(Worker &self, Scheduled *task)
{
	uint64_t nr_steps = self.nr_steps.load(std::memory_order_relaxed);

#ifdef GUARDS_RESUME
	if (!ResumeGuard::instance().admits(*task))
		return;
#endif
	self.current = task;
	task->handle().resume();
	/* The task may have ended, or run elsewhere by now: only forget it. */
	self.current = nullptr;
	self.nr_steps.store(nr_steps + 1, std::memory_order_relaxed);
}

/* Null: the scheduler has stopped. */
Scheduled *Scheduler::next(Worker &self)
{
	while (!is_stopped_.load(std::memory_order_acquire)) {
		if (self.nr_steps.load(std::memory_order_relaxed) % steps_between_looks == 0)
			look_around(self);
		if (Scheduled *task = take_own(self))
			return task;
		if (Scheduled *task = injected_.pop())
			return task;
		if (Scheduled *task = steal(self))
			return task;
		idle(self);
	}
	return nullptr;
}

/* The tracer's name of a worker's slot. */
uint64_t Scheduler::slot_of(const Worker &worker)
{
	return corotracer::queue(worker.index + 1);
}

/* The slot first, but not for ever: two tasks that make each other ready would starve the queue. */
Scheduled *Scheduler::take_own(Worker &self)
{
	Scheduled *task = nullptr;

	if (self.nr_from_slot < slot_turns)
		task = take_slot(self);
	if (task != nullptr) {
		self.nr_from_slot++;
		return task;
	}
	self.nr_from_slot = 0;
	task = self.queue.pop();
	return task != nullptr ? task : take_slot(self);
}

/* What lies in a worker's slot, which is empty then; null: nothing did. */
Scheduled *Scheduler::take_slot(Worker &worker)
{
	Scheduled *task = nullptr;

	if (worker.next.load(std::memory_order_relaxed) != nullptr)
		task = worker.next.exchange(nullptr, std::memory_order_acq_rel);
	if (task != nullptr)
		corotracer::dequeue(task->id(), slot_of(worker));
	return task;
}

/* Begins at a random victim, so that thieves do not all go to the same one. */
Scheduled *Scheduler::steal(Worker &self)
{
	uint64_t first = next_random(self.random) % nr_workers_;

	for (unsigned i = 0; i < nr_workers_; i++) {
		Worker &victim = workers_[(first + i) % nr_workers_];

		if (&victim == &self)
			continue;
		if (Scheduled *task = victim.queue.steal_into(self.queue))
			return task;
	}
	return steal_next(self);
}

/*
 * The slots come last: what lies there is about to be run by its own worker, unless that one is busy for
 * long, or blocks. Built with FAULT_J, nobody else may take it: the planted fault.
 */
Scheduled *Scheduler::steal_next([[maybe_unused]] Worker &self)
{
#ifndef FAULT_J
	for (unsigned i = 0; i < nr_workers_; i++) {
		if (i == self.index)
			continue;
		if (Scheduled *task = take_slot(workers_[i]))
			return task;
	}
#endif
	return nullptr;
}

/* What a worker that never gets idle owes to the others. */
void Scheduler::look_around(Worker &self)
{
	if (Scheduled *task = injected_.pop())
		enqueue(task);
	/* Where an idle worker polls, there is nothing to do. */
	if (!idle_workers_.claim_poll(self.index))
		return;
	reactor_.wait(self.batch, 0);
	deliver(self);
}

void Scheduler::idle(Worker &self)
{
	bool polls = idle_workers_.lie_down(self.index) == IdleWorkers::Role::poll;

	/* Once more: a task queued before we lay down has woken nobody. */
	if (!has_work()) {
		corotracer::park();
		if (!polls)
			polls = idle_workers_.sleep(self.index);
		if (polls)
			reactor_.wait(self.batch, forever);
		corotracer::unpark();
	}
	/* Busy before any waiter is taken out of the reactor: stop() waits for busy workers. */
	idle_workers_.get_up(self.index);
	deliver(self);
}

/*
 * Queues what the events of this worker's batch make ready, and leaves the poll to another worker. The
 * first task needs no wake: this worker runs it next.
 */
void Scheduler::deliver(Worker &self)
{
	reactor_.take(self.batch, self.ready);
	for (Scheduled *task : self.ready)
		enqueue(task);
	for (size_t i = 1; i < self.ready.size(); i++)
		idle_workers_.wake_one();
	self.ready.clear();
	idle_workers_.leave_poll(self.index);
}

void Scheduler::make_ready(Scheduled *task)
{
	enqueue(task);
	idle_workers_.wake_one();
}

void Scheduler::make_next(Scheduled *task)
{
	Worker *self = this_worker();
	Scheduled *earlier;

	if (self == nullptr) {
		make_ready(task);
		return;
	}
	corotracer::enqueue(task->id(), slot_of(*self));
	earlier = self->next.exchange(task, std::memory_order_acq_rel);
	if (earlier != nullptr) {
		corotracer::dequeue(earlier->id(), slot_of(*self));
		enqueue(earlier);
	}
	/* This worker may be about to block. */
	idle_workers_.wake_one();
}

/* The task may run, end and be gone as soon as it is queued. */
void Scheduler::enqueue(Scheduled *task)
{
	Worker *self = this_worker();

	if (self == nullptr || !self->queue.push(task))
		injected_.push(task);
}

/* Empty as far as others are concerned: a worker looks into its own before it lies down. */
bool Scheduler::is_slot_empty([[maybe_unused]] const Worker &worker)
{
#ifdef FAULT_J
	return true;
#else
	return worker.next.load(std::memory_order_acquire) == nullptr;
#endif
}

bool Scheduler::are_queues_empty() const
{
	for (unsigned i = 0; i < nr_workers_; i++)
		if (!workers_[i].queue.is_empty() || !is_slot_empty(workers_[i]))
			return false;
	return injected_.is_empty();
}

bool Scheduler::has_work() const
{
	return is_stopped_.load(std::memory_order_acquire) || !are_queues_empty();
}
