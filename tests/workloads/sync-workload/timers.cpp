/* SPDX-License-Identifier: MIT */
/*
 * The timers' order and their single descriptor. With FAULT_G, a sleeper that is destroyed stays in the order: when its
 * time comes, a destroyed coroutine is resumed.
 */
#include "timers.h"

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <sys/timerfd.h>
#include <unistd.h>

#include "descriptor_wait.h"
#include "runtime.h"

#ifdef FAULT_G
#include "resume_guard.h"
#endif

uint64_t Timers::next_number()
{
	std::lock_guard guard(mutex_);

	return ++numbers_used_;
}

Timers::Sleep::~Sleep()
{
#ifndef FAULT_G
	timers_.forget(*this);
#endif
}

/* False: nobody will wake the sleeper any more. */
bool Timers::add(Sleep &sleep)
{
	std::lock_guard guard(mutex_);

	if (is_stopped_) {
		sleep.is_cancelled_ = true;
		return false;
	}
	if (descriptor_.fd < 0)
		open();
	sleep.is_linked_ = true;
	sleepers_.emplace(sleep.key_, &sleep);
	if (sleepers_.begin()->second == &sleep)
		arm_first();
	return true;
}

void Timers::forget(Sleep &sleep)
{
	std::lock_guard guard(mutex_);

	if (!sleep.is_linked_)
		return;
	sleep.is_linked_ = false;
	sleepers_.erase(sleep.key_);
	arm_first();
}

bool Timers::cancel(uint64_t number)
{
	Scheduled *sleeper = nullptr;

	{
		std::lock_guard guard(mutex_);

		for (auto at = sleepers_.begin(); at != sleepers_.end(); ++at) {
			if (at->first.second != number)
				continue;
			sleeper = at->second->sleeper_;
			at->second->is_linked_ = false;
			at->second->is_cancelled_ = true;
			sleepers_.erase(at);
			arm_first();
			break;
		}
	}
	if (sleeper != nullptr)
		runtime_.wake(*sleeper);
	return sleeper != nullptr;
}

/* Called with the lock held, as are the next two. */
void Timers::open()
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0)
		throw std::system_error(errno, std::generic_category(), "timerfd_create");
	descriptor_ = runtime_.reactor().open(fd);
	serve().detach_daemon(runtime_);
}

/* The descriptor's clock and ours are the same; a time that is past fires at once. */
void Timers::arm_first()
{
	itimerspec setting{};

	if (!sleepers_.empty()) {
		auto since = sleepers_.begin()->first.first.time_since_epoch();
		auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);

		setting.it_value.tv_sec = seconds.count();
		setting.it_value.tv_nsec =
			std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds)
				.count();
	}
	timerfd_settime(descriptor_.fd, TFD_TIMER_ABSTIME, &setting, nullptr);
}

std::vector<Scheduled *> Timers::take_expired(bool takes_all)
{
	std::vector<Scheduled *> expired;
	std::lock_guard guard(mutex_);
	Clock::time_point now = Clock::now();

	is_stopped_ = takes_all;
	while (!sleepers_.empty()) {
		auto first = sleepers_.begin();

		if (!takes_all && first->first.first > now)
			break;
		first->second->is_linked_ = false;
		first->second->is_cancelled_ = takes_all;
		expired.push_back(first->second->sleeper_);
		sleepers_.erase(first);
	}
	if (!takes_all)
		arm_first();
	return expired;
}

void Timers::wake(Scheduled &sleeper)
{
	const auto where = corotracer::location::current();

#ifdef FAULT_G
	if (ResumeGuard::instance().is_destroyed(sleeper.handle().address()))
		runtime_.say_cause(
			PlantedFault::GHOST_RESUME, sleeper.id(), Scheduler::current_id(), where);
#endif
	runtime_.wake(sleeper, where);
}

/* Ends when the reactor does, and then ends every sleep. */
Job Timers::serve()
{
	bool is_over = false;

	while (!is_over) {
		int error = co_await UntilReadable(runtime_.reactor(), descriptor_);
		uint64_t nr_expired;

		is_over = error < 0;
		if (!is_over && read(descriptor_.fd, &nr_expired, sizeof(nr_expired)) < 0)
			continue;
		for (Scheduled *sleeper : take_expired(is_over)) {
			runtime_.census().note_progress();
			wake(*sleeper);
		}
	}
	runtime_.reactor().close(descriptor_);
}
