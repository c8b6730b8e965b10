/* SPDX-License-Identifier: MIT */
/* The two constants that differ between builds, apart from the fault itself. */
#include "build.h"

#ifndef FAULT_LETTER
#define FAULT_LETTER '-'
#define FAULT_SCENARIO "producer-consumer"
#endif

const char build_fault = FAULT_LETTER;
const char *const build_scenario = FAULT_SCENARIO;
