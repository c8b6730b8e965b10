/* SPDX-License-Identifier: MIT */
/* Passing everything on twice. The second sink is an addition: the first sink never misses anything because of it. */
#include <stdlib.h>

#include "base/failure.h"
#include "stages/tee.h"

struct tee {
	struct ct_sink sink;
	struct ct_sink *first;
	struct ct_sink *beside;
	bool has_failed; /* `beside` has failed */
};

static enum ct_status tee_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct tee *tee = (struct tee *)sink;

	tee->has_failed = tee->has_failed || sink_put(tee->beside, batch, NULL) != CT_OK;
	return sink_put(tee->first, batch, reterr);
}

static enum ct_status tee_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct tee *tee = (struct tee *)sink;

	tee->has_failed = tee->has_failed || sink_define(tee->beside, definition, NULL) != CT_OK;
	return sink_define(tee->first, definition, reterr);
}

static enum ct_status tee_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	return sink_flush(((struct tee *)sink)->first, reterr);
}

static enum ct_status tee_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	struct tee *tee = (struct tee *)sink;
	enum ct_status status;

	sink_close(tee->beside, is_wanted && !tee->has_failed, NULL);
	status = sink_close(tee->first, is_wanted, reterr);
	free(tee);
	return status;
}

static const struct ct_sink_ops tee_ops = {
	.put = tee_put,
	.define = tee_define,
	.flush = tee_flush,
	.close = tee_close,
};

enum ct_status tee_open(struct ct_sink *first, struct ct_sink *beside, struct ct_sink **ret_sink,
	struct ct_error *reterr)
{
	struct tee *tee = calloc(1, sizeof(*tee));

	if (!tee)
		return ct_fail_memory(reterr);
	*tee = (struct tee){.sink = {&tee_ops}, .first = first, .beside = beside};
	*ret_sink = &tee->sink;
	return CT_OK;
}
