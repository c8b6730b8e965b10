/* SPDX-License-Identifier: MIT */
/*
 * The public function that makes a view of a trace; all other functions of a view are in src/view.
 */
#include "base/failure.h"
#include "base/known_options.h"
#include "lib/trace.h"
#include "view/view.h"

enum ct_status ct_view_open(struct ct_trace *trace, const struct ct_view_options *given,
	struct ct_view **ret_view, struct ct_error *reterr)
{
	struct ct_view_options options;

	known_options(&options, sizeof(options), given);
	*ret_view = view_open(trace->source, &trace->live, options.thresholds);
	return *ret_view ? CT_OK : ct_fail_memory(reterr);
}

void ct_view_close(struct ct_view *view)
{
	view_close(view);
}
