/* SPDX-License-Identifier: MIT */
/*
 * The mutex's queue. With FAULT_D, a waiter that is destroyed stays in the queue, and the mutex is handed over to a
 * destroyed coroutine, which never unlocks it.
 */
#include "mutex.h"

#include <algorithm>

#include "runtime.h"

#ifdef FAULT_D
#include "resume_guard.h"
#endif

Mutex::Lock::~Lock()
{
#ifndef FAULT_D
	mutex_.forget(*this);
#endif
}

bool Mutex::try_lock()
{
	std::lock_guard guard(mutex_);

	if (is_held_)
		return false;
	is_held_ = true;
	corotracer::acquire(Scheduler::current_id(), corotracer::lock(this));
	return true;
}

/* False: it was unlocked since it was tried, and is ours. */
bool Mutex::add(Lock &waiter)
{
	std::lock_guard guard(mutex_);

	if (!is_held_) {
		is_held_ = true;
		corotracer::acquire(waiter.coroutine_->id(), corotracer::lock(this));
		return false;
	}
	waiter.is_queued_ = true;
	waiters_.push_back(&waiter);
	return true;
}

void Mutex::forget(Lock &waiter)
{
	std::lock_guard guard(mutex_);

	if (waiter.is_queued_)
		waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
}

void Mutex::unlock()
{
	const uint64_t holder = Scheduler::current_id();
	Scheduled *heir;

	{
		std::lock_guard guard(mutex_);

		if (waiters_.empty()) {
			corotracer::release(holder, corotracer::lock(this));
			is_held_ = false;
			return;
		}
		waiters_.front()->is_queued_ = false;
		heir = waiters_.front()->coroutine_;
		waiters_.pop_front();
		corotracer::hand_over(holder, corotracer::lock(this), heir->id());
	}
#ifdef FAULT_D
	/* The runtime knows its coroutines, and finds none there. The mutex has been given away. */
	if (ResumeGuard::instance().is_destroyed(heir->handle().address())) {
		const auto where = corotracer::location::current();

		corotracer::wake_by(holder, heir->handle(), corotracer::outcome::no_target, where);
		runtime_.say_cause(PlantedFault::DEAD_WAITER, heir->id(), holder, where);
		return;
	}
#endif
	runtime_.wake(*heir);
}
