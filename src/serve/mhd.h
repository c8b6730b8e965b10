/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd, which is opened with the first server (base/loaded.h): mhd.start_daemon is MHD_start_daemon.
 */
#ifndef SERVE_MHD_H
#define SERVE_MHD_H

#include <microhttpd.h>

#include "base/loaded.h"

/* clang-format off */
#define MHD_CALLS(USE) \
	USE(MHD_, add_response_header) USE(MHD_, create_response_from_buffer) \
	USE(MHD_, create_response_from_callback) USE(MHD_, create_response_from_fd64) \
	USE(MHD_, destroy_response) USE(MHD_, get_connection_info) \
	USE(MHD_, get_connection_values) USE(MHD_, lookup_connection_value) \
	USE(MHD_, queue_response) USE(MHD_, resume_connection) USE(MHD_, start_daemon) \
	USE(MHD_, stop_daemon) USE(MHD_, suspend_connection)
/* clang-format on */

LOADED_TABLE(mhd, MHD_CALLS);
extern struct mhd mhd;

/* serve_load: opens the library, as loaded_open does. */
enum ct_status serve_load(struct ct_error *reterr);

#endif
