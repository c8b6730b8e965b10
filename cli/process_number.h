/* SPDX-License-Identifier: MIT */
/*
 * The number of a process, as `attach`, `why` and `report` take it; and judging one that runs.
 */
#ifndef CLI_PROCESS_NUMBER_H
#define CLI_PROCESS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "judge.h"

/* process_read: the number, as ps and pidof print it; 0: it is none. */
int64_t process_read(const char *text);

/* process_is_meant: only digits: a process. A file of such a name has a folder before it: ./4711. */
bool process_is_meant(const char *operand);

/*
 * process_judge: records the process for `duration` (NULL: 1 s) and judges that, as judgement_open_live does. Ctrl-C
 * ends the recording early, and what was seen until then is told. 0, or the exit status, and why was said.
 */
int process_judge(const char *command, const char *operand, const char *duration, bool no_symbols,
	const struct ct_analyze_options *options, struct judgement *ret_judgement);

#endif
