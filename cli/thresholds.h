/* SPDX-License-Identifier: MIT */
/*
 * Thresholds on the command line: --threshold, --thresholds and --allow-site, and the table as help.
 */
#ifndef CLI_THRESHOLDS_H
#define CLI_THRESHOLDS_H

#include "corotracer/ct.h"
#include "options.h"

/*
 * thresholds_read: reads the options in the order given, so that the last one holds. NULL in *ret_thresholds
 * where they ask for nothing; else the caller frees it. Returns 0, or the exit status after saying what is wrong.
 */
int thresholds_read(const struct arguments *arguments, struct ct_thresholds **ret_thresholds);

/* thresholds_are_given: do the options ask for anything? */
bool thresholds_are_given(const struct arguments *arguments);

/* thresholds_help: the table, as help on a terminal. */
void thresholds_help(void);

#endif
