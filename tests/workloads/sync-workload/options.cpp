/* SPDX-License-Identifier: MIT */
/* The options: their help, and their parser. */
#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <getopt.h>

#include "command_line.h"
#include "scenarios.h"

namespace
{

constexpr char usage[] =
	"usage: %s [options]\n"
	"Plays a small scene with coroutines that wait for each other, and ends.\n"
	"\n"
	"  --scenario NAME  which one; --list names them\n"
	"  --workers N      so many worker threads (4)\n"
	"  --log FILE       write down what the program itself knows of its coroutines\n"
	"  --hold           where nothing goes on any more, stay so until a signal comes\n"
	"  --list           name the scenarios, and what each shows\n"
	"\n"
	"Where coroutines wait and nothing goes on any more, the program says how many, and "
	"ends, unless it is to hold.\n";

const option long_options[] = {
	{"scenario", required_argument, nullptr, 's'},
	{"workers", required_argument, nullptr, 'w'},
	{"log", required_argument, nullptr, 'l'},
	{"hold", no_argument, nullptr, 'o'},
	{"list", no_argument, nullptr, 'i'},
	{"help", no_argument, nullptr, 'h'},
	{},
};

[[noreturn]] void list()
{
	for (const Scenario &scenario : scenarios())
		std::printf("%-20s %s\n", scenario.name, scenario.shows);
	std::exit(0);
}

void parse_one(int option, std::string_view value, Options &options)
{
	switch (option) {
	case 's':
		if (find_scenario(value) == nullptr)
			usage_error("scenario", value);
		options.scenario = value;
		break;
	case 'w':
		options.nr_workers = parse_number("workers", value, 2u, 64u);
		break;
	case 'l':
		options.log_path = value;
		break;
	case 'o':
		options.holds = true;
		break;
	case 'i':
		list();
	default:
		std::exit(2);
	}
}

} // namespace

Options parse_options(int argc, char **argv, const char *scenario)
{
	Options options;
	int option;

	options.scenario = scenario;
	while ((option = getopt_long(argc, argv, "", long_options, nullptr)) != -1) {
		if (option == 'h') {
			std::printf(usage, argv[0]);
			std::exit(0);
		}
		parse_one(option, optarg != nullptr ? optarg : "", options);
	}
	if (optind < argc) {
		std::fprintf(stderr, "%s: '%s' is not an option\n", argv[0], argv[optind]);
		std::exit(2);
	}
	return options;
}
