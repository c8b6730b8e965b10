/* SPDX-License-Identifier: MIT */
/* Jobs: their beginning, their end, and the coroutines that wait for it. */
#include "job.h"

#include <new>

#include "runtime.h"

#ifdef GUARDS_RESUME
#include "resume_guard.h"
#endif

Job &Job::operator=(Job &&other) noexcept
{
	if (this != &other) {
		destroy();
		promise_ = std::exchange(other.promise_, nullptr);
	}
	return *this;
}

Job::~Job()
{
	destroy();
}

void Job::destroy()
{
	Promise *promise = std::exchange(promise_, nullptr);

	if (promise != nullptr)
		promise->handle().destroy();
}

void Job::start(Runtime &runtime)
{
	promise_->start(runtime);
}

void Job::detach(Runtime &runtime)
{
	Promise *promise = std::exchange(promise_, nullptr);

	promise->is_detached_ = true;
	promise->start(runtime);
}

void Job::detach_daemon(Runtime &runtime)
{
	Promise *promise = std::exchange(promise_, nullptr);

	promise->is_detached_ = true;
	corotracer::mark_daemon(*promise);
	runtime.wake(*promise);
}

uint64_t Job::id() const noexcept
{
	return promise_->id();
}

bool Job::has_ended() const
{
	std::lock_guard guard(promise_->mutex_);

	return promise_->has_ended_;
}

/* Programs with a planted fault may speak of a coroutine that is gone: its memory is not used again. */
void *Job::Promise::operator new(size_t size)
{
	return ::operator new(size);
}

void Job::Promise::operator delete(void *frame)
{
#ifdef GUARDS_RESUME
	ResumeGuard::instance().keep(frame);
#else
	::operator delete(frame);
#endif
}

Job::Promise::~Promise()
{
	if (runtime_ != nullptr)
		runtime_->census().count_out(counted_id_);
}

void Job::Promise::start(Runtime &runtime)
{
	runtime_ = &runtime;
	counted_id_ = id();
	runtime.census().count_in(counted_id_);
	runtime.wake(*this);
}

/*
 * As soon as the mutex is released, a joiner that comes now finds that the job has ended, and may destroy
 * it: nothing of it is touched after that.
 */
void Job::Promise::finish() noexcept
{
	Runtime *runtime = std::exchange(runtime_, nullptr);
	const uint64_t counted_id = counted_id_;
	std::vector<Scheduled *> joiners;

	{
		std::lock_guard guard(mutex_);

		has_ended_ = true;
		joiners.swap(joiners_);
	}
	for (Scheduled *joiner : joiners)
		runtime->wake(*joiner);
	runtime->census().count_out(counted_id);
}

bool Job::Join::await_ready()
{
	corotracer::await_child(Scheduler::current_id(), child_.id());

	std::lock_guard guard(child_.mutex_);

	return child_.has_ended_;
}

bool Job::Join::add(Scheduled &parent)
{
	std::lock_guard guard(child_.mutex_);

	if (child_.has_ended_)
		return false;
	child_.joiners_.push_back(&parent);
	return true;
}

void Job::Join::await_resume()
{
	corotracer::await_child_done(Scheduler::current_id(), child_.id());
}
