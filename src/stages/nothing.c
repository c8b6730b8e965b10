/* SPDX-License-Identifier: MIT */
/* A sink that takes everything and keeps nothing. */
#include "stages/nothing.h"

static enum ct_status nothing_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	(void)sink, (void)batch, (void)reterr;
	return CT_OK;
}

static enum ct_status nothing_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	(void)sink, (void)definition, (void)reterr;
	return CT_OK;
}

static enum ct_status nothing_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	(void)sink, (void)reterr;
	return CT_OK;
}

static enum ct_status nothing_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	(void)sink, (void)is_wanted, (void)reterr;
	return CT_OK;
}

struct ct_sink *nothing_sink(void)
{
	static const struct ct_sink_ops ops = {
		.put = nothing_put,
		.define = nothing_define,
		.flush = nothing_flush,
		.close = nothing_close,
	};
	static struct ct_sink sink = {.ops = &ops};

	return &sink;
}
