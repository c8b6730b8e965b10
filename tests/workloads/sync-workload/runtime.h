/* SPDX-License-Identifier: MIT */
/*
 * What every scenario works with: the scheduler and its parts, the program's own log, and the watchdog.
 */
#ifndef EXAMPLE_RUNTIME_H
#define EXAMPLE_RUNTIME_H

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "census.h"
#include "event_log.h"
#include "job.h"
#include "options.h"
#include "planted_fault.h"
#include "reactor.h"
#include "scheduler.h"
#include "timers.h"

class Runtime
{
      public:
	/* The workers run from here on. Throws std::system_error. */
	explicit Runtime(const Options &options);
	Runtime(const Runtime &) = delete;
	Runtime &operator=(const Runtime &) = delete;
	/* Stops the workers; coroutines that are still suspended stay so. */
	~Runtime();

	/*
	 * wake: makes a suspended coroutine ready, and records that the running coroutine did so. wake_next: the same
	 * for a coroutine that was given something by the running one, and shall run next. After the call, the
	 * coroutine must not be accessed.
	 */
	void wake(Scheduled &coroutine,
		const corotracer::location &where = corotracer::location::current());
	void wake_next(Scheduled &coroutine,
		const corotracer::location &where = corotracer::location::current());

	/*
	 * wait_for_end: blocks the main thread until every job has ended. If there is no progress any more, prints
	 * which jobs are stuck and ends the process with status 0, without destroying them, because a program that
	 * hangs does not tidy up either.
	 */
	void wait_for_end();

	/* wait_for: blocks the main thread until that job has ended. */
	void wait_for(const Job &job);

	/*
	 * The lines of the program's log, with which other programs compare a report. ID is the tracer's number of a
	 * coroutine, 0 for a thread:
	 *
	 *	scenario name=NAME fault=LETTER workers=N      first of all; - in a correct build
	 *	destroyed coroutine=ID                         it was destroyed while it waited
	 *	cause what=FAULT coroutine=ID by=ID thread=TID site=PLACE
	 *	                                               here it went wrong, for this coroutine, by that
	 *	refused coroutine=ID why=WHY worker=TID        see resume_guard.h
	 *	stuck coroutine=ID                             at the end it had not ended
	 *	end stuck=N                                    last of all
	 */
	void say_cause(PlantedFault fault, uint64_t coroutine, uint64_t by,
		const corotracer::location &where = corotracer::location::current());
	void say_destroyed(const Job &job);
	void say_end(const std::vector<uint64_t> &stuck);

	/* must_be: a scenario's own check of its result; ends the process with status 1 if it fails. */
	void must_be(bool condition, const char *what) const;

	/* wait_until_quiet: waits until no coroutine runs or is ready: see Scheduler. For the main thread. */
	void wait_until_quiet();

	/* stop: ends all waits for descriptors and timers, and the workers. */
	void stop();

	const Options &options() const
	{
		return options_;
	}
	Scheduler &scheduler()
	{
		return scheduler_;
	}
	Reactor &reactor()
	{
		return reactor_;
	}
	Timers &timers()
	{
		return timers_;
	}
	Census &census()
	{
		return census_;
	}
	EventLog &log()
	{
		return log_;
	}

      private:
	[[noreturn]] void leave(const std::vector<uint64_t> &stuck);

	const Options &options_;
	EventLog log_;
	Census census_;
	Reactor reactor_;
	Scheduler scheduler_;
	Timers timers_;
};

#endif
