/* SPDX-License-Identifier: MIT */
/* Idle workers: who sleeps, who polls, who is woken. */
#include "idle_workers.h"

#include "reactor.h"

IdleWorkers::IdleWorkers(unsigned nr_workers, Reactor &reactor)
    : reactor_(reactor), nr_workers_(nr_workers), seats_(std::make_unique<Seat[]>(nr_workers))
{
}

IdleWorkers::Role IdleWorkers::lie_down(unsigned worker)
{
	std::lock_guard guard(mutex_);
	bool polls = poller_ == nobody;

	if (polls)
		poller_ = worker;
	seats_[worker].state = polls ? State::polling : State::asleep;
	/* Acquire: sees the task of a producer that looked before; release: is seen by later ones. */
	if (nr_idle_.fetch_add(1, std::memory_order_acq_rel) + 1 == nr_workers_)
		all_idle_.notify_all();
	return polls ? Role::poll : Role::sleep;
}

bool IdleWorkers::sleep(unsigned worker)
{
	std::unique_lock lock(mutex_);
	Seat &seat = seats_[worker];

	seat.changed.wait(lock, [&] { return seat.state != State::asleep; });
	return seat.state == State::polling;
}

void IdleWorkers::get_up(unsigned worker)
{
	std::lock_guard guard(mutex_);

	set_busy(seats_[worker]);
}

bool IdleWorkers::claim_poll(unsigned worker)
{
	std::lock_guard guard(mutex_);

	if (poller_ != nobody)
		return false;
	poller_ = worker;
	return true;
}

void IdleWorkers::leave_poll(unsigned worker)
{
	std::lock_guard guard(mutex_);
	unsigned heir;

	if (poller_ != worker)
		return;
	heir = find(State::asleep);
	poller_ = heir;
	if (heir == nobody)
		return;
	seats_[heir].state = State::polling;
	seats_[heir].changed.notify_one();
}

void IdleWorkers::wake_one()
{
	unsigned worker;

	/* A read that writes, for the reason given at the top of idle_workers.h. */
	if (nr_idle_.fetch_add(0, std::memory_order_acq_rel) == 0)
		return;

	std::lock_guard guard(mutex_);

	/* Rather a sleeper than the poller: then somebody still polls. */
	worker = find(State::asleep);
	if (worker == nobody)
		worker = find(State::polling);
	if (worker != nobody)
		wake(worker);
}

void IdleWorkers::wake_all()
{
	std::lock_guard guard(mutex_);

	for (unsigned worker = 0; worker < nr_workers_; worker++)
		wake(worker);
}

unsigned IdleWorkers::count_idle() const
{
	return nr_idle_.load(std::memory_order_relaxed);
}

unsigned IdleWorkers::find(State state) const
{
	for (unsigned worker = 0; worker < nr_workers_; worker++)
		if (seats_[worker].state == state)
			return worker;
	return nobody;
}

void IdleWorkers::set_busy(Seat &seat)
{
	if (seat.state == State::busy)
		return;
	seat.state = State::busy;
	nr_idle_.fetch_sub(1, std::memory_order_acq_rel);
}

/*
 * The woken worker counts as busy at once, so that the next task wakes another one. The poller keeps
 * the poll until it has returned from the reactor: the interruption is meant for it, and must not
 * be consumed by a successor.
 */
void IdleWorkers::wake(unsigned worker)
{
	Seat &seat = seats_[worker];
	State was = seat.state;

	set_busy(seat);
	if (was == State::asleep)
		seat.changed.notify_one();
	if (was == State::polling)
		reactor_.interrupt();
}
