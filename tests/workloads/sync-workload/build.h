/* SPDX-License-Identifier: MIT */
/* What tells one build of this program from another. */
#ifndef EXAMPLE_SYNC_BUILD_H
#define EXAMPLE_SYNC_BUILD_H

/* The letter of the fault that is planted in it; '-': it is correct. */
extern const char build_fault;

/* The scenario that is played where none is named: the one in which the fault shows. */
extern const char *const build_scenario;

#endif
