/* SPDX-License-Identifier: MIT */
/*
 * One run of a command, traced or untraced, and what it cost.
 */
#ifndef CLI_OVERHEAD_H
#define CLI_OVERHEAD_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

/* The measured values of a run that are compared. */
enum overhead_figure {
	OVERHEAD_WALL,       /* seconds, from start to end */
	OVERHEAD_CPU,        /* seconds of the command and its children */
	OVERHEAD_THROUGHPUT, /* as printed by the command */
	OVERHEAD_LATENCY,    /* as printed by the command */
	NR_OVERHEAD_FIGURES,
};

struct overhead_run {
	double figures[NR_OVERHEAD_FIGURES];
	int exit_status; /* 128 plus the signal's number if a signal ended the command */
	/* Only for a traced run: */
	double engine_cpu;
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_bytes; /* of the trace */
	bool has_probe;
};

struct overhead_command {
	char **words;
	const regex_t
		*patterns[NR_OVERHEAD_FIGURES]; /* of the two printed values; NULL: not requested */
	const char *trace;                      /* each traced run writes this file */
};

/*
 * overhead_measure: runs the command once. Its standard output is not shown, and is kept only if there is a pattern.
 * Returns 0, or an exit status after printing what went wrong: the command could not be started, or its output does not
 * match a pattern.
 */
int overhead_measure(
	const struct overhead_command *command, bool is_traced, struct overhead_run *ret_run);

/*
 * overhead_watch_signals: from now on INT, TERM and HUP are passed on to the command, and overhead_was_interrupted
 * returns whether one came.
 */
void overhead_watch_signals(void);
int overhead_was_interrupted(void);

#endif
