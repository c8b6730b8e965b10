/* SPDX-License-Identifier: MIT */
/* Assembles the parts with which every scenario works. */
#include "runtime.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "rehearsal.h"

#ifdef GUARDS_RESUME
#include "resume_guard.h"
#endif

namespace
{

constexpr unsigned max_descriptors = 1024;

/* So long may nothing go on before the watchdog says that something is stuck. */
constexpr std::chrono::milliseconds patience{1300};

/* "mutex.cpp:120" */
std::string place_of(const corotracer::location &where)
{
	std::string_view file = where.file_name();
	size_t slash = file.rfind('/');

	if (slash != std::string_view::npos)
		file.remove_prefix(slash + 1);
	return std::string(file) + ":" + std::to_string(where.line());
}

} // namespace

Runtime::Runtime(const Options &options)
    : options_(options), log_(options.log_path), reactor_(max_descriptors, log_),
      scheduler_(options.nr_workers, reactor_), timers_(*this)
{
#ifdef GUARDS_RESUME
	ResumeGuard::instance().report_to(log_);
#endif
	log_.say("scenario", {{"name", options.scenario}, {"fault", std::string(1, options.fault)},
				     {"workers", options.nr_workers}});
	scheduler_.start();
}

Runtime::~Runtime()
{
	stop();
}

void Runtime::stop()
{
	scheduler_.stop();
}

void Runtime::wake(Scheduled &coroutine, const corotracer::location &where)
{
	corotracer::wake_by(
		Scheduler::current_id(), coroutine.handle(), corotracer::outcome::queued, where);
	scheduler_.make_ready(&coroutine);
}

void Runtime::wake_next(Scheduled &coroutine, const corotracer::location &where)
{
	corotracer::wake_by(
		Scheduler::current_id(), coroutine.handle(), corotracer::outcome::queued, where);
	scheduler_.make_next(&coroutine);
}

void Runtime::wait_for_end()
{
	bool is_over;

	corotracer::park();
	is_over = census_.wait_until_over(patience);
	/* Parked all the while: a thread that went on might wake somebody. */
	while (!is_over && options_.holds)
		pause();
	corotracer::unpark();
	if (!is_over)
		leave(census_.live());
}

void Runtime::leave(const std::vector<uint64_t> &stuck)
{
	say_end(stuck);
	std::fprintf(stderr, "%s: nothing goes on; %zu coroutines are stuck\n",
		options_.scenario.c_str(), stuck.size());
	std::fflush(nullptr);
	std::_Exit(0);
}

namespace
{

Job report_end(const Job &job, Signal &has_ended)
{
	co_await job.join();
	has_ended.give();
}

} // namespace

void Runtime::wait_for(const Job &job)
{
	Signal has_ended;
	Job reporter = report_end(job, has_ended);

	reporter.start(*this);
	corotracer::park();
	has_ended.wait();
	/* The coroutine has given the signal, and is about to end. */
	scheduler_.wait_until_quiet();
	corotracer::unpark();
}

void Runtime::must_be(bool condition, const char *what) const
{
	if (condition)
		return;
	std::fprintf(stderr, "%s: not so: %s\n", options_.scenario.c_str(), what);
	std::fflush(nullptr);
	std::_Exit(1);
}

void Runtime::wait_until_quiet()
{
	corotracer::park();
	scheduler_.wait_until_quiet();
	corotracer::unpark();
}

void Runtime::say_cause(
	PlantedFault fault, uint64_t coroutine, uint64_t by, const corotracer::location &where)
{
	log_.say("cause",
		{{"what", std::string(name_of(fault))}, {"coroutine", coroutine}, {"by", by},
			{"thread", static_cast<uint64_t>(gettid())}, {"site", place_of(where)}});
}

void Runtime::say_destroyed(const Job &job)
{
	log_.say("destroyed", {{"coroutine", job.id()}});
}

void Runtime::say_end(const std::vector<uint64_t> &stuck)
{
	for (uint64_t id : stuck)
		log_.say("stuck", {{"coroutine", id}});
	log_.say("end", {{"stuck", stuck.size()}});
}
