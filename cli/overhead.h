/* SPDX-License-Identifier: MIT */
/*
 * One run of a command, traced or untraced, and what it cost.
 */
#ifndef CLI_OVERHEAD_H
#define CLI_OVERHEAD_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

/* The figures of a run that are compared. */
enum overhead_figure {
	OVERHEAD_WALL,       /* seconds, from its start to its end */
	OVERHEAD_CPU,        /* seconds of the command and its children */
	OVERHEAD_THROUGHPUT, /* as the command prints it */
	OVERHEAD_LATENCY,    /* likewise */
	NR_OVERHEAD_FIGURES,
};

struct overhead_run {
	double figures[NR_OVERHEAD_FIGURES];
	int exit_status; /* 128 and the signal's number where one ended it */
	/* A traced run has these, too: */
	double engine_cpu;
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_bytes; /* of the trace */
	bool has_probe;
};

struct overhead_command {
	char **words;
	const regex_t
		*patterns[NR_OVERHEAD_FIGURES]; /* of the two that it prints; NULL: not asked for */
	const char *trace;                      /* is written anew by each traced run */
};

/*
 * overhead_measure: runs the command once; its standard output is shown to nobody, and kept where there is a pattern.
 * 0, or an exit status after saying what went wrong: it could not be started, or does not print what a pattern looks
 * for.
 */
int overhead_measure(
	const struct overhead_command *command, bool is_traced, struct overhead_run *ret_run);

/* overhead_watch_signals: from here on INT, TERM and HUP are passed on, and overhead_was_interrupted tells of them. */
void overhead_watch_signals(void);
int overhead_was_interrupted(void);

#endif
