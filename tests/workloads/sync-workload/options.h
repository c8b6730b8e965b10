/* SPDX-License-Identifier: MIT */
/* What the program is asked to do. */
#ifndef EXAMPLE_SYNC_OPTIONS_H
#define EXAMPLE_SYNC_OPTIONS_H

#include <string>

struct Options {
	std::string scenario;
	char fault = '-'; /* the letter of the one that is planted in this build */
	unsigned nr_workers = 4;
	std::string log_path; /* empty: no log */
	bool holds = false;   /* where nothing goes on any more, stay so until a signal comes */
};

/*
 * parse_options: `scenario` is what is played where none is named. Exits with status 2 and a sentence
 * where the options make no sense, with 0 after --help and --list.
 */
Options parse_options(int argc, char **argv, const char *scenario);

#endif
