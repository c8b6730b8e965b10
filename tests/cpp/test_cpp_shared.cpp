/* SPDX-License-Identifier: MIT */
/*
 * A program and a shared library that both hold the header, compiled with -fvisibility=hidden, have
 * one probe: the library's coroutines are traced once the program has attached.
 */
#include "check.h"
#include "coroTracer.h"
#include "shared_unit.h"

int main()
{
	struct probe_state theirs = state_in_library();

	CHECK(theirs.gate == &ctp_gate_page);
	CHECK(theirs.orders == &ctp_orders_page);
	CHECK(theirs.process == &ctp_process_state);
	CHECK(theirs.thread == ctp_thread_self());
	return check_result();
}
