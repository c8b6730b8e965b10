/* SPDX-License-Identifier: MIT */
/*
 * The last words of `run`: anything unusual, a sentence each, and one line that sums up.
 */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "recording.h"

/* summary_before_close: what the statistics say, while their texts are valid. */
void summary_before_close(const struct recording *recording, const struct ct_record_stats *stats);

/*
 * summary_after_close: the last line, made from the trace where it can be read, and the report where it
 * was asked for. `error`: why the output is not complete, or NULL. `look`: what the kernel told of the process, or
 * NULL.
 */
void summary_after_close(const struct recording *recording, const struct ct_record_stats *stats,
	const struct ct_error *error, const struct ct_process_look *look);

#endif
