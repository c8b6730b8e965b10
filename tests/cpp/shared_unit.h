/* SPDX-License-Identifier: MIT */
/*
 * What the library of test_cpp_shared.cpp returns.
 */
#ifndef TESTS_CPP_SHARED_UNIT_H
#define TESTS_CPP_SHARED_UNIT_H

struct probe_state {
	const void *gate;
	const void *orders;
	const void *process;
	const void *thread;
};

__attribute__((visibility("default"))) struct probe_state state_in_library();

#endif
