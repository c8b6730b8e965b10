/* SPDX-License-Identifier: MIT */
/*
 * The destination of spans: a file with a line for each request, or a collector that takes requests over HTTP. Private
 * to otlp.c, otlp_http.c and otlp_http_none.c.
 */
#ifndef SLICES_OTLP_H
#define SLICES_OTLP_H

#include "base/text.h"

struct otlp_sender;

/*
 * slices_otlp_open: prepares a connection to a collector; the address is copied. CT_ERR_UNSUPPORTED: this build cannot
 * send. slices_otlp_post: sends one request and waits until the collector has taken it. CT_ERR_REFUSED: the collector
 * answered that it does not take the request; CT_ERR_SYSTEM: the collector was not reached. Error messages contain only
 * the host and port of the address. slices_otlp_close: NULL is allowed.
 */
enum ct_status slices_otlp_open(
	const char *address, struct otlp_sender **ret_sender, struct ct_error *reterr);
enum ct_status slices_otlp_post(
	struct otlp_sender *sender, const struct text *request, struct ct_error *reterr);
void slices_otlp_close(struct otlp_sender *sender);

#endif
