/* SPDX-License-Identifier: MIT */
/*
 * Opening a trace and judging it, with a sign of life where that takes long.
 */
#include "judge.h"
#include "progress.h"

/* `opened`: how the opening of its trace went. */
static enum ct_status judge(enum ct_status opened, struct judgement *judgement,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr)
{
	enum ct_status status = opened;

	if (status == CT_OK)
		status = ct_analyze(judgement->trace, options, &judgement->report, reterr);
	progress_end();
	if (status)
		judgement_fini(judgement);
	else
		*ret_judgement = *judgement;
	return status;
}

enum ct_status judgement_open(const char *path, const struct ct_open_options *opening,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr)
{
	struct judgement judgement = {NULL, NULL};
	enum ct_status status;

	progress_begin("reading", path);
	status = ct_trace_open(path, opening, &judgement.trace, reterr);
	return judge(status, &judgement, options, ret_judgement, reterr);
}

enum ct_status judgement_open_live(const struct ct_live_options *live,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr)
{
	struct judgement judgement = {NULL, NULL};
	enum ct_status status;

	progress_begin("watching", "the process");
	status = ct_live_open(live, &judgement.trace, reterr);
	return judge(status, &judgement, options, ret_judgement, reterr);
}

void judgement_fini(struct judgement *judgement)
{
	ct_report_free(judgement->report);
	ct_trace_close(judgement->trace);
	*judgement = (struct judgement){NULL, NULL};
}
