/* SPDX-License-Identifier: MIT */
/*
 * Metrics of the newest judgement, together with those of earlier judgements for which metrics were requested.
 */
#include "base/clock.h"
#include "serve/api.h"
#include "serve/reply.h"

static void give_judged(struct metrics_given *given, const struct judged *judged)
{
	given->view = judged->view;
	given->report = judged->report;
	given->generation = judged->generation;
	given->is_growing = judged->is_growing;
	given->judged_ago_ns = clock_monotonic_ns() - judged->begun_ns;
	given->judging_took_ns = judged->took_ns;
}

enum MHD_Result serve_api_metrics(struct serve_call *call)
{
	enum ct_metrics_format format =
		metrics_accepted(serve_call_header(call, MHD_HTTP_HEADER_ACCEPT));
	struct ct_serve *serve = call->serve;
	const struct judged *judged = judging_borrow(serve->judging);
	struct metrics_given given = {.has_engine = true};
	struct ct_record_now now;
	struct text text = {0};
	struct ct_error error;
	enum ct_status status;

	if (serve_now(serve, &now))
		given.now = &now;
	/* Counters of a part would be too small. */
	if (judged && !judged->is_first_look)
		give_judged(&given, judged);
	status = metrics_write(serve->metrics, &given, format, &text, &error);
	if (judged)
		judging_return(serve->judging, judged);
	if (status == CT_OK)
		return serve_reply_text(call, MHD_HTTP_OK, metrics_type(format), &text);
	text_fini(&text);
	return serve_reply_failure(call, &error);
}
