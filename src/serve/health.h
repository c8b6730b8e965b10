/* SPDX-License-Identifier: MIT */
/* A server of two texts, /healthz and /metrics, for a program that is watched by others and asked nothing else. */
#ifndef SERVE_HEALTH_H
#define SERVE_HEALTH_H

#include "base/failure.h"
#include "base/text.h"

struct serve_health;

struct serve_health_options {
	const char *listen; /* as ct_serve_options has it */
	/* Write the texts, on a thread of the server. `write_health` returns whether all is well (200, or 503). */
	bool (*write_health)(void *context, struct text *text);
	void (*write_metrics)(void *context, struct text *text);
	void *context;
};

/*
 * serve_health_open: begins to listen and to answer. CT_ERR_USAGE: this is no address; CT_ERR_SYSTEM: it is taken;
 * CT_ERR_UNSUPPORTED: this build is without libmicrohttpd.
 * serve_health_url: returns the server's address. serve_health_close: NULL is allowed.
 */
enum ct_status serve_health_open(const struct serve_health_options *options,
	struct serve_health **ret_health, struct ct_error *reterr);
const char *serve_health_url(const struct serve_health *health);
void serve_health_close(struct serve_health *health);

#endif
