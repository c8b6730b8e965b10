/* SPDX-License-Identifier: MIT */
/*
 * JSON lines are read, judged, and exported in every format, with every allocation failing once: it ends with "out of
 * memory" or succeeds, and after a failure there is no output, not even a part. Linked with --wrap for the allocators.
 */
#include "corotracer/ct.h"
#include "failing_memory.h"
#include "made_trace.h"

#define TRACE "rows.jsonl"
#define OUTPUT "output"

/* Two runs, with times of 0, missing rows, successive resumes, and further keys. */
static void write_trace(void)
{
	FILE *file = fopen(TRACE, "w");
	unsigned run, seq;

	for (run = 1; file && run <= 2; run++) {
		for (seq = 1; seq <= 12; seq++)
			fprintf(file,
				"{\"probe_id\":%u,\"tid\":%u,\"addr\":\"0x%x\",\"seq\":%u,\"is_"
				"active\":%s,"
				"\"ts\":%u%s}\n",
				1 + seq % 2, 100 * run + seq % 2, seq % 4 ? 0 : 0x1000 * seq,
				1 + seq / 2 + (run == 2 && seq > 8), seq % 3 ? "true" : "false",
				seq == 5 ? 0 : 1000000000 * run + seq * 1000,
				run == 2 ? ",\"host\":\"a\"" : "");
	}
	CHECK(file && fclose(file) == 0);
}

static enum ct_status export_as(struct ct_trace *trace, int format, struct ct_error *reterr)
{
	struct ct_export_options options = {
		.size = sizeof(options), .format = (enum ct_export_format)format};

	return ct_export(trace, &options, OUTPUT, reterr);
}

static enum ct_status report_as(struct ct_trace *trace, int format, struct ct_error *reterr)
{
	struct ct_report_options options = {
		.size = sizeof(options), .format = (enum ct_report_format)format};
	const struct ct_report *report;
	enum ct_status status = ct_analyze(trace, NULL, &report, reterr);

	if (status)
		return status;
	status = ct_report_write(report, &options, OUTPUT, reterr);
	ct_report_free(report);
	return status;
}

static enum ct_status copy_as(struct ct_trace *trace, int format, struct ct_error *reterr)
{
	return ct_trace_copy(trace, (enum ct_format)format, OUTPUT, reterr);
}

struct work {
	enum ct_status (*write)(struct ct_trace *trace, int format, struct ct_error *reterr);
	int format;
};

static enum ct_status hand_on(const struct work *work, struct ct_error *reterr)
{
	struct ct_trace *trace;
	enum ct_status status = ct_trace_open(TRACE, NULL, &trace, reterr);

	if (status)
		return status;
	status = work->write(trace, work->format, reterr);
	ct_trace_close(trace);
	return status;
}

/* Repeats with the first, the second ... allocation failing, until there are no more. */
static void test_each_allocation(const struct work *work)
{
	struct ct_error error;
	enum ct_status status;
	unsigned n = 0;

	do {
		error = (struct ct_error){0};
		has_failed = false;
		fail_at = ++n;
		status = hand_on(work, &error);
		fail_at = 0;
		CHECK(status == CT_OK || status == CT_ERR_NO_MEMORY);
		CHECK(status == CT_OK || (has_failed && strstr(error.text, "out of memory")));
		CHECK(status == CT_OK || access(OUTPUT, F_OK) != 0);
		CHECK(access(OUTPUT ".partial", F_OK) != 0);
		unlink(OUTPUT);
	} while (has_failed && n < 20000);
	CHECK_EQUAL(status, CT_OK);
	CHECK(n > 20);
}

int main(void)
{
	static const struct work works[] = {
		{export_as, CT_EXPORT_CSV},
		{export_as, CT_EXPORT_DATAFRAME},
#if HAS_SQLITE
		{export_as, CT_EXPORT_SQLITE},
#endif
		{report_as, CT_REPORT_MARKDOWN},
		{report_as, CT_REPORT_HTML},
		{copy_as, CT_FORMAT_TEXT},
		{copy_as, CT_FORMAT_CTRACE},
	};
	size_t i;

	made_enter();
	write_trace();
	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		test_each_allocation(&works[i]);
	return check_result();
}
