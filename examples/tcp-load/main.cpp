/* SPDX-License-Identifier: MIT */
/*
 * example-tcp-load: connections, requests, resets and half-closes for example-tcp-server. Exits with
 * status 0 when every connection that it did not reset was answered completely.
 */
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <getopt.h>
#include <sys/resource.h>

#include "benchmark.h"
#include "command_line.h"
#include "scenario.h"

namespace
{

constexpr char usage[] =
	"usage: %s --port PORT [options]\n"
	"\n"
	"  --connections N     open so many connections (1)\n"
	"  --requests N        make so many requests on each (5)\n"
	"  --resets N          end so many of them with a reset (0)\n"
	"  --half-closes N     end so many by closing the sending half, and read to the end; the "
	"rest\n"
	"                      are simply closed (all that are not reset)\n"
	"  --hold              keep those that are not reset open until a signal comes\n"
	"  --duration SECONDS  instead of all that: request for so long, and print figures as "
	"JSON\n";

const option long_options[] = {
	{"port", required_argument, nullptr, 'p'},
	{"connections", required_argument, nullptr, 'c'},
	{"requests", required_argument, nullptr, 'q'},
	{"resets", required_argument, nullptr, 'r'},
	{"half-closes", required_argument, nullptr, 'f'},
	{"hold", no_argument, nullptr, 'o'},
	{"duration", required_argument, nullptr, 'd'},
	{"help", no_argument, nullptr, 'h'},
	{},
};

constexpr unsigned most_connections = 1000000;

struct Options {
	Scenario scenario;
	unsigned nr_half_closes = most_connections;
	double duration_seconds = 0; /* 0: the scenario */
};

void parse_one(int option, std::string_view value, Options &options)
{
	Scenario &scenario = options.scenario;

	switch (option) {
	case 'p':
		scenario.port = parse_number<uint16_t>("port", value, 1, UINT16_MAX);
		break;
	case 'c':
		scenario.nr_connections = parse_number("connections", value, 1u, most_connections);
		break;
	case 'q':
		scenario.nr_requests = parse_number("requests", value, 0u, 1000000000u);
		break;
	case 'r':
		scenario.nr_resets = parse_number("resets", value, 0u, most_connections);
		break;
	case 'f':
		options.nr_half_closes = parse_number("half-closes", value, 0u, most_connections);
		break;
	case 'o':
		scenario.holds = true;
		break;
	case 'd':
		options.duration_seconds = parse_number("duration", value, 0.001, 1000000.0);
		break;
	default:
		std::exit(2);
	}
}

[[noreturn]] void refuse(const char *sentence)
{
	std::fprintf(stderr, "example-tcp-load: %s\n", sentence);
	std::exit(2);
}

/* What the options say together. */
void settle(Options &options)
{
	Scenario &scenario = options.scenario;

	if (scenario.port == 0)
		refuse("--port is missing");
	if (scenario.nr_resets > scenario.nr_connections)
		refuse("more resets than connections");

	unsigned rest = scenario.nr_connections - scenario.nr_resets;

	scenario.nr_half_closes = options.nr_half_closes < rest ? options.nr_half_closes : rest;
}

Options parse_options(int argc, char **argv)
{
	Options options;
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, nullptr)) != -1) {
		if (option == 'h') {
			std::printf(usage, argv[0]);
			std::exit(0);
		}
		parse_one(option, optarg != nullptr ? optarg : "", options);
	}
	if (optind < argc)
		refuse("there are no arguments but options");
	settle(options);
	return options;
}

void raise_descriptor_limit()
{
	rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

int main(int argc, char **argv)
{
	Options options = parse_options(argc, argv);
	const Scenario &scenario = options.scenario;

	raise_descriptor_limit();
	try {
		if (options.duration_seconds > 0)
			run_benchmark(
				scenario.port, scenario.nr_connections, options.duration_seconds);
		else
			run_scenario(scenario);
		return 0;
	} catch (const std::exception &error) {
		std::fprintf(stderr, "example-tcp-load: %s\n", error.what());
		return 1;
	}
}
