/* SPDX-License-Identifier: MIT */
/*
 * The ring's two queues of waiters. With FAULT_C, a pop that has found nothing begins to wait without looking again: a
 * push in between has woken no coroutine, and the pop waits although there is an item.
 */
#include "ring_buffer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime.h"

namespace
{

template <typename Waiter> void erase_from(std::deque<Waiter *> &waiters, const Waiter *waiter)
{
	auto at = std::find(waiters.begin(), waiters.end(), waiter);

	if (at != waiters.end())
		waiters.erase(at);
}

} // namespace

/* ---- below, down to the next line of this kind, the caller holds the lock ---- */

/* To a waiter, or into the buffer. False: there is no room. */
bool RingBuffer::give_now(uint64_t number)
{
	const uint64_t giver = Scheduler::current_id();
	Pop *popper;

	if (poppers_.empty()) {
		if (numbers_.size() == capacity_)
			return false;
		numbers_.push_back(number);
		last_pusher_ = giver;
		corotracer::notify(giver, corotracer::channel(this), 0);
		return true;
	}
	popper = poppers_.front();
	poppers_.pop_front();
	popper->number_ = number;
	corotracer::notify(giver, corotracer::channel(this), 1);
	runtime_.wake_next(*popper->coroutine_);
	return true;
}

/* From the buffer, whose room goes to the pusher that has waited longest. */
bool RingBuffer::take_now(Pop &pop)
{
	Push *pusher;

	if (numbers_.empty())
		return false;
	pop.number_ = numbers_.front();
	numbers_.pop_front();
	if (pushers_.empty())
		return true;
	pusher = pushers_.front();
	pushers_.pop_front();
	numbers_.push_back(pusher->number_);
	pusher->is_taken_ = true;
	corotracer::notify(Scheduler::current_id(), corotracer::channel(this), 1);
	runtime_.wake(*pusher->coroutine_);
	return true;
}

/* ------------------------------------------------------------------------------ */

bool RingBuffer::try_push(Push &push)
{
	std::lock_guard guard(mutex_);

	push.is_taken_ = !is_closed_ && give_now(push.number_);
	return push.is_taken_ || is_closed_;
}

bool RingBuffer::add(Push &push)
{
	std::lock_guard guard(mutex_);

	push.is_taken_ = !is_closed_ && give_now(push.number_);
	if (push.is_taken_ || is_closed_)
		return false;
	pushers_.push_back(&push);
	return true;
}

bool RingBuffer::try_pop(Pop &pop)
{
	std::lock_guard guard(mutex_);

	return take_now(pop) || is_closed_;
}

bool RingBuffer::add(Pop &pop)
{
	pause();

	std::lock_guard guard(mutex_);

#ifdef FAULT_C
	if (!numbers_.empty())
		runtime_.say_cause(PlantedFault::MISSED_NOTIFY, pop.coroutine_->id(), last_pusher_);
#else
	/* Once more, under the lock that also puts us into the queue. */
	if (take_now(pop) || is_closed_)
		return false;
#endif
	poppers_.push_back(&pop);
	return true;
}

void RingBuffer::rehearse(Rehearsal &rehearsal)
{
	std::lock_guard guard(mutex_);

	rehearsal_ = &rehearsal;
}

void RingBuffer::pause()
{
	Rehearsal *rehearsal;

	{
		std::lock_guard guard(mutex_);

		rehearsal = std::exchange(rehearsal_, nullptr);
	}
	if (rehearsal != nullptr)
		rehearsal->pause();
}

void RingBuffer::forget(Push &push)
{
	std::lock_guard guard(mutex_);

	erase_from(pushers_, &push);
}

void RingBuffer::forget(Pop &pop)
{
	std::lock_guard guard(mutex_);

	erase_from(poppers_, &pop);
}

void RingBuffer::close()
{
	std::vector<Scheduled *> waiters;
	std::lock_guard guard(mutex_);

	is_closed_ = true;
	for (Push *push : pushers_)
		waiters.push_back(push->coroutine_);
	for (Pop *pop : poppers_)
		waiters.push_back(pop->coroutine_);
	pushers_.clear();
	poppers_.clear();
	corotracer::notify(Scheduler::current_id(), corotracer::channel(this), waiters.size());
	for (Scheduled *waiter : waiters)
		runtime_.wake(*waiter);
}
