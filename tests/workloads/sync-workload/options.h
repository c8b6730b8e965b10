/* SPDX-License-Identifier: MIT */
/* The options of the program. */
#ifndef EXAMPLE_SYNC_OPTIONS_H
#define EXAMPLE_SYNC_OPTIONS_H

#include <string>

struct Options {
	std::string scenario;
	char fault = '-'; /* the letter of the fault that is planted in this build */
	unsigned nr_workers = 4;
	std::string log_path; /* empty: no log */
	/* when there is no progress any more, keep waiting until a signal comes */
	bool holds = false;
};

/*
 * parse_options: `scenario` is the default scenario. Exits with status 2 and a sentence if the options are invalid, and
 * with 0 after --help and --list.
 */
Options parse_options(int argc, char **argv, const char *scenario);

#endif
