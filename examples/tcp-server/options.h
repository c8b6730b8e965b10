/* SPDX-License-Identifier: MIT */
/* The server's options. */
#ifndef EXAMPLE_OPTIONS_H
#define EXAMPLE_OPTIONS_H

#include <cstdint>
#include <string>

struct Options {
	uint16_t port = 0; /* 0: the kernel chooses */
	unsigned nr_workers = 2;
	std::string log_path;          /* empty: no log */
	int idle_ms = -1;              /* --exit-after-idle; -1: never */
	uint64_t nr_connections = 0;   /* --connections; 0: as many as come */
	unsigned load_connections = 0; /* --self-load CONNECTIONS:RESETS; 0: no load */
	unsigned load_resets = 0;
};

/* parse_options: exits with status 2 and a sentence where they make no sense, with 0 after --help. */
Options parse_options(int argc, char **argv);

#endif
