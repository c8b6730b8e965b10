/* SPDX-License-Identifier: MIT */
/* What distinguishes one build of this program from another. */
#ifndef EXAMPLE_SYNC_BUILD_H
#define EXAMPLE_SYNC_BUILD_H

/* The letter of the planted fault; '-': the build is correct. */
extern const char build_fault;

/* The default scenario: the one in which the fault shows. */
extern const char *const build_scenario;

#endif
