/* SPDX-License-Identifier: MIT */
/*
 * For programs with planted faults only: what keeps them alive where the real thing would destroy its
 * own memory.
 *
 * A coroutine that is resumed twice at once, or after its destruction, is undefined behaviour: the
 * program would crash, or run on with broken data, now in one way and now in another. So that such a
 * fault ends the same way each time, the frames of destroyed coroutines are kept, and the scheduler asks
 * before it resumes one. A resumption that must not take place is told to the tracer as if it had taken
 * place, since up to there nothing distinguishes it from one; the code behind it does not run.
 */
#ifndef EXAMPLE_RESUME_GUARD_H
#define EXAMPLE_RESUME_GUARD_H

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "event_log.h"
#include "scheduled.h"

class ResumeGuard
{
      public:
	/* The one guard of the process; it is never destroyed, and keeps what it keeps. */
	static ResumeGuard &instance();

	/* report_to: `refused coroutine=ID why=WHY worker=TID` is written there from now on. */
	void report_to(EventLog &log);

	/* keep: a frame whose coroutine is destroyed; its memory is not used again. */
	void keep(void *frame);

	/* is_destroyed: whether that frame is kept here. */
	bool is_destroyed(const void *frame);

	/* expect_twice: of the next two resumptions of this coroutine only the first is to take place. */
	void expect_twice(const Scheduled &task);

	/* admits: whether the scheduler may resume the coroutine now. */
	bool admits(const Scheduled &task);

	/* wait_for_refusal: blocks until a resumption was refused. */
	void wait_for_refusal();

      private:
	void refuse(const Scheduled &task, const char *why);

	std::mutex mutex_;
	std::condition_variable changed_;
	std::set<const void *> destroyed_;
	std::map<const void *, unsigned> expected_; /* resumptions seen of those announced */
	uint64_t nr_refused_ = 0;
	EventLog *log_ = nullptr;
};

#endif
