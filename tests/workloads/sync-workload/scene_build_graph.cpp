/* SPDX-License-Identifier: MIT */
/*
 * Jobs wait for the jobs that they depend on, like the targets of a build.
 *
 * With fault (i), a library needs generated code, whose generator needs that library: three jobs wait for
 * each other in a circle, and two more for them.
 */
#include <vector>

#include "runtime.h"
#include "scenarios.h"

namespace
{

enum Target { program, tests, library, code, generator, nr_targets };

const std::vector<Target> needs[nr_targets] = {
	{library},
	{program, library},
	{code},
	{generator},
#ifdef FAULT_I
	{library},
#else
	{},
#endif
};

Job build(Runtime &runtime, const std::vector<Job> &jobs, Target target)
{
	for (Target needed : needs[target]) {
#ifdef FAULT_I
		if (target >= library)
			runtime.say_cause(PlantedFault::AWAIT_CYCLE, Scheduler::current_id(),
				jobs[needed].id());
#endif
		co_await jobs[needed].join();
	}
	runtime.census().note_progress();
}

} // namespace

void play_build_graph(Runtime &runtime)
{
	std::vector<Job> jobs;

	for (int target = 0; target < nr_targets; target++)
		jobs.push_back(build(runtime, jobs, static_cast<Target>(target)));
	for (Job &job : jobs)
		job.start(runtime);
	runtime.wait_for_end();
}
