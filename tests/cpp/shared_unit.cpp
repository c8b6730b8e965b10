/* SPDX-License-Identifier: MIT */
/*
 * A shared library compiled with hidden visibility; it says where its copy of the header keeps the probe's state. Must
 * never attach.
 */
#include "coroTracer.h"
#include "shared_unit.h"

struct probe_state state_in_library()
{
	return {&ctp_gate_page, &ctp_orders_page, &ctp_process_state, ctp_thread_self()};
}
