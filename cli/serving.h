/* SPDX-License-Identifier: MIT */
/*
 * The server of `serve`, and of a recording that is served: started, told of, and shown in a browser.
 */
#ifndef CLI_SERVING_H
#define CLI_SERVING_H

#include <stdbool.h>

#include "corotracer/ct.h"
#include "options.h"

struct serving {
	bool is_wanted;
	bool until_exit; /* it ends with the program */
	bool opens_browser;
	const char *listen; /* NULL: the default */
};

/* serving_read: what the options --listen and --open say; whether it is wanted is the caller's to know. */
struct serving serving_read(const struct arguments *arguments);

/*
 * serving_start: starts the server, says at which address, and has the browser open that where it was asked for.
 * `options->listen` is filled in. On success the caller ends with ct_serve_close.
 */
enum ct_status serving_start(const struct serving *serving, struct ct_serve_options *options,
	struct ct_serve **ret_serve, struct ct_error *reterr);

#endif
