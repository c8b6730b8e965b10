/* SPDX-License-Identifier: MIT */
/*
 * example-sync: plays one scenario. A build with a planted fault plays the scenario in which the fault shows.
 */
#include <cstdio>
#include <exception>

#include "build.h"
#include "coroTracer.h"
#include "options.h"
#include "runtime.h"
#include "scenarios.h"

int main(int argc, char **argv)
{
	corotracer::InitTracer();

	Options options = parse_options(argc, argv, build_scenario);

	options.fault = build_fault;
	try {
		const Scenario &scenario = *find_scenario(options.scenario);

		if (scenario.nr_workers > 0)
			options.nr_workers = scenario.nr_workers;

		Runtime runtime(options);

		scenario.play(runtime);
		runtime.say_end({});
	} catch (const std::exception &error) {
		std::fprintf(stderr, "example-sync: %s\n", error.what());
		return 1;
	}
	std::fprintf(stderr, "%s: all coroutines have ended\n", options.scenario.c_str());
	return 0;
}
