/* SPDX-License-Identifier: MIT */
/* The server's options: their text, and how they are read. */
#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <getopt.h>

#include "command_line.h"

namespace
{

constexpr char usage[] =
	"usage: %s [options]\n"
	"Answers each line that it gets on 127.0.0.1 with the same line in capital letters.\n"
	"\n"
	"  --port PORT                     listen there; 0, the default: any free port\n"
	"  --workers N                     so many worker threads (2)\n"
	"  --log FILE                      write a line for each thing that happens to a "
	"connection\n"
	"  --connections N                 exit when N connections were accepted and have ended\n"
	"  --self-load CONNECTIONS:RESETS  start example-tcp-load against this server; exit when "
	"it\n"
	"                                  has ended and its connections have, too\n"
	"  --exit-after-idle SECONDS       exit also when connections are left that make no "
	"progress\n"
	"                                  for so long; alone: when nothing goes on for so long\n"
	"\n"
	"The first line on standard output names the address. SIGTERM and SIGINT end the server.\n";

const option long_options[] = {
	{"port", required_argument, nullptr, 'p'},
	{"workers", required_argument, nullptr, 'w'},
	{"log", required_argument, nullptr, 'l'},
	{"connections", required_argument, nullptr, 'c'},
	{"self-load", required_argument, nullptr, 's'},
	{"exit-after-idle", required_argument, nullptr, 'i'},
	{"help", no_argument, nullptr, 'h'},
	{},
};

void parse_self_load(std::string_view text, Options &options)
{
	size_t colon = text.find(':');

	if (colon == std::string_view::npos)
		usage_error("self-load", text);
	options.load_connections = parse_number("self-load", text.substr(0, colon), 1u, 1000000u);
	options.load_resets =
		parse_number("self-load", text.substr(colon + 1), 0u, options.load_connections);
}

void parse_one(int option, std::string_view value, Options &options)
{
	switch (option) {
	case 'p':
		options.port = parse_number<uint16_t>("port", value, 0, UINT16_MAX);
		break;
	case 'w':
		options.nr_workers = parse_number("workers", value, 1u, 1024u);
		break;
	case 'l':
		options.log_path = value;
		break;
	case 'c':
		options.nr_connections =
			parse_number<uint64_t>("connections", value, 1, UINT64_MAX);
		break;
	case 's':
		parse_self_load(value, options);
		break;
	case 'i':
		options.idle_ms = static_cast<int>(
			1000 * parse_number("exit-after-idle", value, 0.001, 1000000.0));
		break;
	default:
		std::exit(2);
	}
}

} // namespace

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
	if (optind < argc) {
		std::fprintf(stderr, "%s: '%s' is not an option\n", argv[0], argv[optind]);
		std::exit(2);
	}
	return options;
}
