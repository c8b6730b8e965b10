/* SPDX-License-Identifier: MIT */
/* The guard of programs with planted faults: which frames are gone, and which are running. */
#include "resume_guard.h"

#include <unistd.h>

ResumeGuard &ResumeGuard::instance()
{
	static ResumeGuard *const guard = new ResumeGuard;

	return *guard;
}

void ResumeGuard::report_to(EventLog &log)
{
	std::lock_guard guard(mutex_);

	log_ = &log;
}

void ResumeGuard::keep(void *frame)
{
	std::lock_guard guard(mutex_);

	destroyed_.insert(frame);
}

bool ResumeGuard::is_destroyed(const void *frame)
{
	std::lock_guard guard(mutex_);

	return destroyed_.contains(frame);
}

void ResumeGuard::expect_twice(const Scheduled &task)
{
	std::lock_guard guard(mutex_);

	expected_.emplace(task.handle().address(), 0);
}

bool ResumeGuard::admits(const Scheduled &task)
{
	std::lock_guard guard(mutex_);
	auto expected = expected_.find(task.handle().address());

	if (destroyed_.contains(task.handle().address())) {
		refuse(task, "destroyed");
		return false;
	}
	if (expected == expected_.end() || expected->second++ == 0)
		return true;
	expected_.erase(expected);
	refuse(task, "running");
	return false;
}

void ResumeGuard::wait_for_refusal()
{
	std::unique_lock lock(mutex_);

	changed_.wait(lock, [this] { return nr_refused_ > 0; });
}

/*
 * The resume is written here because the coroutine, which writes it otherwise, does not run. What is
 * read of a destroyed promise lies in memory that is kept, and nobody has written to it since.
 */
void ResumeGuard::refuse(const Scheduled &task, const char *why)
{
	nr_refused_++;
	changed_.notify_all();
	ctp_resume(task.id(), CTP_POINT_AWAIT);
	if (log_ != nullptr)
		log_->say("refused", {{"coroutine", task.id()}, {"why", std::string(why)},
					     {"worker", static_cast<uint64_t>(gettid())}});
}
