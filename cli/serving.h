/* SPDX-License-Identifier: MIT */
/*
 * The server of `serve`, and the server of a recording: starts it, prints its address, and opens the browser.
 */
#ifndef CLI_SERVING_H
#define CLI_SERVING_H

#include <stdbool.h>

#include "corotracer/ct.h"
#include "options.h"

struct serving {
	bool is_wanted;
	bool until_exit; /* the server ends with the program */
	bool opens_browser;
	const char *listen; /* NULL: the default */
};

/* serving_read: reads the options --listen and --open; the caller sets whether a server is wanted. */
struct serving serving_read(const struct arguments *arguments);

/*
 * serving_start: starts the server, prints its address, and opens the browser if that was requested. `options->listen`
 * is filled in. After success the caller calls ct_serve_close.
 */
enum ct_status serving_start(const struct serving *serving, struct ct_serve_options *options,
	struct ct_serve **ret_serve, struct ct_error *reterr);

#endif
