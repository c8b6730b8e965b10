/* SPDX-License-Identifier: MIT */
/*
 * Only for programs with planted faults: keeps them alive where a real program would corrupt its memory.
 *
 * A coroutine that is resumed twice at once, or after its destruction, is undefined behaviour: the program would crash,
 * or run on with broken data, now in one way and now in another. So that such a fault has the same effect each time,
 * the frames of destroyed coroutines are kept, and the scheduler asks before it resumes a coroutine. A resumption that
 * must not happen is recorded by the tracer as if it had happened, because up to there nothing distinguishes it from a
 * real one; the code behind it does not run.
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
	/* The only guard of the process; it is never destroyed, and keeps its frames. */
	static ResumeGuard &instance();

	/* report_to: from now on, `refused coroutine=ID why=WHY worker=TID` is written to this log. */
	void report_to(EventLog &log);

	/* keep: keeps the frame of a destroyed coroutine, so that its memory is not reused. */
	void keep(void *frame);

	/* is_destroyed: is that frame kept here? */
	bool is_destroyed(const void *frame);

	/* expect_twice: only the first of the next two resumptions of this coroutine shall happen. */
	void expect_twice(const Scheduled &task);

	/* admits: may the scheduler resume the coroutine now? */
	bool admits(const Scheduled &task);

	/* wait_for_refusal: blocks until a resumption was refused. */
	void wait_for_refusal();

      private:
	void refuse(const Scheduled &task, const char *why);

	std::mutex mutex_;
	std::condition_variable changed_;
	std::set<const void *> destroyed_;
	/* for announced coroutines: the resumptions so far */
	std::map<const void *, unsigned> expected_;
	uint64_t nr_refused_ = 0;
	EventLog *log_ = nullptr;
};

#endif
