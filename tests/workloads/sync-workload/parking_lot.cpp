/* SPDX-License-Identifier: MIT */
/*
 * The parking lot's list. A notification takes its waiters out first and wakes them without the lock. With FAULT_E, it
 * takes all waiters out, sorts them later, and puts back those that it is not for: another notification in between
 * finds no waiter.
 */
#include "parking_lot.h"

#include <utility>

#include "runtime.h"

void ParkingLot::add(const void *condition, Scheduled &coroutine)
{
	std::lock_guard guard(mutex_);

	waiters_.push_back({condition, &coroutine});
}

ParkingLot::List ParkingLot::take([[maybe_unused]] const void *condition)
{
	List taken;
	std::lock_guard guard(mutex_);

#ifdef FAULT_E
	taken.swap(waiters_);
#else
	for (auto at = waiters_.begin(); at != waiters_.end();) {
		auto here = at++;

		if (here->condition == condition)
			taken.splice(taken.end(), waiters_, here);
	}
#endif
	return taken;
}

size_t ParkingLot::notify_all(const void *condition)
{
	const uint64_t notifier = Scheduler::current_id();
	List taken = take(condition);
	size_t nr_woken = 0;

	pause();
	for (const Waiter &waiter : taken)
		nr_woken += waiter.condition == condition ? 1 : 0;
	corotracer::notify(notifier, corotracer::condition(condition), nr_woken);
	for (auto at = taken.begin(); at != taken.end();) {
		auto here = at++;

		if (here->condition != condition)
			continue;
		runtime_.wake(*here->coroutine);
		taken.erase(here);
	}

	if (nr_woken == 0 || !taken.empty())
		put_back(taken, condition, notifier);
	return nr_woken;
}

/* The others wait again, in the order in which they came. */
void ParkingLot::put_back(
	List &waiters, [[maybe_unused]] const void *condition, [[maybe_unused]] uint64_t notifier)
{
	std::lock_guard guard(mutex_);

#ifdef FAULT_E
	if (waiters.empty())
		missed_.push_back({condition, notifier});
	for (const Waiter &waiter : waiters)
		for (const Missed &missed : missed_)
			if (missed.condition == waiter.condition)
				runtime_.say_cause(PlantedFault::PRIVATE_LIST,
					waiter.coroutine->id(), missed.notifier);
#endif
	waiters_.splice(waiters_.begin(), waiters);
}

void ParkingLot::rehearse(Rehearsal &rehearsal)
{
	std::lock_guard guard(mutex_);

	rehearsal_ = &rehearsal;
}

void ParkingLot::pause()
{
	Rehearsal *rehearsal;

	{
		std::lock_guard guard(mutex_);

		rehearsal = std::exchange(rehearsal_, nullptr);
	}
	if (rehearsal != nullptr)
		rehearsal->pause();
}
