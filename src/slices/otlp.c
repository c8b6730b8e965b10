/* SPDX-License-Identifier: MIT */
/*
 * Tasks and regions as spans of OpenTelemetry: OTLP in its JSON encoding, https://opentelemetry.io/docs/specs/otlp.
 *
 * A task is an OpenTelemetry trace of its own, with a span for itself. A region is a span in the trace of the task that
 * its coroutine worked for when the region ended, or else in a trace of its own. Ids are derived from the run's id, so
 * spans that are sent twice have the same ids. Each request has a thousand spans and is a line of a file, or a message
 * to a collector.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/failure.h"
#include "base/io.h"
#include "base/json_write.h"
#include "slices/otlp.h"
#include "slices/slices.h"

#define SPANS_OF_REQUEST 1000u
#define SPAN_KIND_INTERNAL 1

struct otlp {
	struct ct_view *view;
	const struct ct_tables *tables;
	struct io_output *output;   /* a file, or NULL */
	struct otlp_sender *sender; /* a collector, or NULL */
	struct text page;           /* the present request */
	struct json json;
	uint32_t process; /* the process whose spans the request has; 0: there is no request yet */
	uint32_t nr_spans;
};

/* ---------------------------------------------------------------- ids */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 29) * UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 32;
}

/* Half of an id, derived from the run, a kind of thing, and two numbers. Never 0, which means no id. */
static uint64_t id_of(
	const struct otlp *otlp, uint64_t kind, uint32_t process, uint64_t a, uint64_t b)
{
	uint64_t hash = kind;
	size_t i;

	for (i = 0; i < sizeof(otlp->tables->run_id); i++)
		hash = mix(hash, otlp->tables->run_id[i]);
	hash = mix(mix(mix(hash, process), a), b);
	return hash ? hash : 1;
}

enum id_kind {
	ID_TRACE_OF_TASK = 1,
	ID_TASK,
	ID_TRACE_OF_REGION,
	ID_REGION,
};

static void put_id(struct otlp *otlp, const char *key, const uint64_t *halves, size_t count)
{
	char digits[33];
	size_t i;

	for (i = 0; i < count; i++)
		snprintf(digits + 16 * i, 17, "%016" PRIx64, halves[i]);
	json_key_text(&otlp->json, key, digits);
}

static void put_trace_id(
	struct otlp *otlp, enum id_kind kind, uint32_t process, uint64_t a, uint64_t b)
{
	const uint64_t halves[] = {
		id_of(otlp, kind, process, a, b), id_of(otlp, (uint64_t)kind << 32, process, a, b)};

	put_id(otlp, "traceId", halves, 2);
}

static void put_span_id(struct otlp *otlp, const char *key, uint64_t id)
{
	put_id(otlp, key, &id, 1);
}

/* ---------------------------------------------------------------- values */

/* 64-bit numbers are strings in this encoding. */
static void put_number(struct otlp *otlp, const char *key, int64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, number);
	json_key_text(&otlp->json, key, digits);
}

static void begin_attribute(struct otlp *otlp, const char *key)
{
	json_open(&otlp->json, '{');
	json_key_text(&otlp->json, "key", key);
	json_key_open(&otlp->json, "value", '{');
}

static void end_attribute(struct otlp *otlp)
{
	json_close(&otlp->json, '}');
	json_close(&otlp->json, '}');
}

static void put_text_attribute(struct otlp *otlp, const char *key, const char *value)
{
	if (!*value)
		return;
	begin_attribute(otlp, key);
	json_key_text(&otlp->json, "stringValue", value);
	end_attribute(otlp);
}

static void put_number_attribute(struct otlp *otlp, const char *key, int64_t number)
{
	if (!number)
		return;
	begin_attribute(otlp, key);
	put_number(otlp, "intValue", number);
	end_attribute(otlp);
}

/* ---------------------------------------------------------------- requests */

static void put_resource(struct otlp *otlp, uint32_t process)
{
	const struct ct_process *of = &otlp->tables->processes[process];
	const char *slash = strrchr(of->program, '/');

	json_key_open(&otlp->json, "resource", '{');
	json_key_open(&otlp->json, "attributes", '[');
	put_text_attribute(otlp, "service.name", slash ? slash + 1 : of->program);
	put_number_attribute(otlp, "process.pid", (int64_t)of->pid);
	put_text_attribute(otlp, "process.executable.path", of->program);
	put_text_attribute(otlp, "process.command_line", of->command_line);
	put_text_attribute(otlp, "host.name", otlp->tables->host);
	json_close(&otlp->json, ']');
	json_close(&otlp->json, '}');
}

static void begin_request(struct otlp *otlp, uint32_t process)
{
	json_init(&otlp->json, &otlp->page, false);
	json_open(&otlp->json, '{');
	json_key_open(&otlp->json, "resourceSpans", '[');
	json_open(&otlp->json, '{');
	put_resource(otlp, process);
	json_key_open(&otlp->json, "scopeSpans", '[');
	json_open(&otlp->json, '{');
	json_key_open(&otlp->json, "scope", '{');
	json_key_text(&otlp->json, "name", "corotracer");
	json_close(&otlp->json, '}');
	json_key_open(&otlp->json, "spans", '[');
	otlp->process = process;
}

static enum ct_status send(struct otlp *otlp, struct ct_error *reterr)
{
	enum ct_status status = text_status(&otlp->page, reterr);

	if (status)
		return status;
	if (otlp->sender)
		return slices_otlp_post(otlp->sender, &otlp->page, reterr);
	text_char(&otlp->page, '\n');
	return io_output_write(otlp->output, text_peek(&otlp->page), otlp->page.length, reterr);
}

static enum ct_status end_request(struct otlp *otlp, struct ct_error *reterr)
{
	enum ct_status status;

	if (!otlp->nr_spans)
		return CT_OK;
	json_close(&otlp->json, ']');
	json_close(&otlp->json, '}');
	json_close(&otlp->json, ']');
	json_close(&otlp->json, '}');
	json_close(&otlp->json, ']');
	json_close(&otlp->json, '}');
	status = send(otlp, reterr);
	text_clear(&otlp->page);
	otlp->nr_spans = otlp->process = 0;
	return status;
}

/* Makes room for a span of this process. */
static enum ct_status make_room(struct otlp *otlp, uint32_t process, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (process >= otlp->tables->nr_processes)
		process = 0;
	if (otlp->nr_spans && (otlp->process != process || otlp->nr_spans == SPANS_OF_REQUEST))
		status = end_request(otlp, reterr);
	if (status == CT_OK && !otlp->nr_spans)
		begin_request(otlp, process);
	otlp->nr_spans++;
	return status;
}

/* ---------------------------------------------------------------- spans */

/* Writes a time since 1970, as spans require. */
static void put_time(struct otlp *otlp, const char *key, ct_time time)
{
	int64_t ns;

	if (__builtin_add_overflow(time, otlp->tables->epoch_realtime_ns, &ns) || ns < 0)
		ns = 0;
	put_number(otlp, key, ns);
}

static void put_span(struct otlp *otlp, const char *name, ct_time from, ct_time until)
{
	json_key_text(&otlp->json, "name", *name ? name : "(no name)");
	json_key_number(&otlp->json, "kind", SPAN_KIND_INTERNAL);
	put_time(otlp, "startTimeUnixNano", from);
	put_time(otlp, "endTimeUnixNano", until);
}

static void put_task(struct otlp *otlp, const int64_t *row)
{
	uint32_t process = (uint32_t)row[CT_VIEW_TASKS_PROCESS];
	uint64_t task = (uint64_t)row[CT_VIEW_TASKS_TASK];

	json_open(&otlp->json, '{');
	put_trace_id(otlp, ID_TRACE_OF_TASK, process, task, 0);
	put_span_id(otlp, "spanId", id_of(otlp, ID_TASK, process, task, 0));
	put_span(otlp, ct_view_text(otlp->view, row[CT_VIEW_TASKS_NAME]), row[CT_VIEW_TASKS_FROM],
		row[CT_VIEW_TASKS_UNTIL]);
	json_key_open(&otlp->json, "attributes", '[');
	put_number_attribute(otlp, "corotracer.task", (int64_t)task);
	put_number_attribute(otlp, "corotracer.is_open", row[CT_VIEW_TASKS_IS_OPEN]);
	put_number_attribute(otlp, "corotracer.unseen_ns", row[CT_VIEW_TASKS_UNSEEN]);
	put_number_attribute(otlp, "corotracer.ready_ns", row[CT_VIEW_TASKS_READY]);
	put_number_attribute(otlp, "corotracer.running_ns", row[CT_VIEW_TASKS_RUNNING]);
	put_number_attribute(otlp, "corotracer.waiting_ns", row[CT_VIEW_TASKS_WAITING]);
	json_close(&otlp->json, ']');
	json_close(&otlp->json, '}');
}

static void put_region(struct otlp *otlp, const int64_t *row, uint64_t number)
{
	uint32_t process = (uint32_t)row[CT_VIEW_REGIONS_PROCESS];
	uint64_t coro = (uint64_t)row[CT_VIEW_REGIONS_COROUTINE];
	uint64_t task = (uint64_t)row[CT_VIEW_REGIONS_TASK];

	json_open(&otlp->json, '{');
	if (task)
		put_trace_id(otlp, ID_TRACE_OF_TASK, process, task, 0);
	else
		put_trace_id(otlp, ID_TRACE_OF_REGION, process, coro, number);
	put_span_id(otlp, "spanId", id_of(otlp, ID_REGION, process, coro, number));
	if (task)
		put_span_id(otlp, "parentSpanId", id_of(otlp, ID_TASK, process, task, 0));
	put_span(otlp, ct_view_text(otlp->view, row[CT_VIEW_REGIONS_NAME]),
		row[CT_VIEW_REGIONS_FROM], row[CT_VIEW_REGIONS_UNTIL]);
	json_key_open(&otlp->json, "attributes", '[');
	put_number_attribute(otlp, "corotracer.coroutine", (int64_t)coro);
	put_number_attribute(otlp, "corotracer.is_open", row[CT_VIEW_REGIONS_IS_OPEN]);
	json_close(&otlp->json, ']');
	json_close(&otlp->json, '}');
}

/* ---------------------------------------------------------------- reading */

typedef enum ct_status take_row(
	struct otlp *otlp, const int64_t *row, uint64_t number, struct ct_error *reterr);

static enum ct_status take_task(
	struct otlp *otlp, const int64_t *row, uint64_t number, struct ct_error *reterr)
{
	enum ct_status status = make_room(otlp, (uint32_t)row[CT_VIEW_TASKS_PROCESS], reterr);

	(void)number;
	if (status == CT_OK)
		put_task(otlp, row);
	return status;
}

static enum ct_status take_region(
	struct otlp *otlp, const int64_t *row, uint64_t number, struct ct_error *reterr)
{
	enum ct_status status = make_room(otlp, (uint32_t)row[CT_VIEW_REGIONS_PROCESS], reterr);

	if (status == CT_OK)
		put_region(otlp, row, number);
	return status;
}

static enum ct_status take_rows(
	struct otlp *otlp, const struct ct_view_rows *rows, take_row *take, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	int64_t row[COLUMN_MOST];
	uint64_t i;
	uint32_t k;

	for (i = 0; status == CT_OK && i < rows->nr_rows; i++) {
		for (k = 0; k < rows->nr_columns; k++)
			row[k] = rows->columns[k][i];
		status = take(otlp, row, rows->numbers[i], reterr);
	}
	return status;
}

static enum ct_status each(struct otlp *otlp, const struct ct_view_request *request, take_row *take,
	struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	enum ct_status status = ct_view_scan_open(otlp->view, request, &scan, reterr);

	if (status)
		return status;
	while (status == CT_OK) {
		status = ct_view_scan_next(scan, &rows, reterr);
		if (status == CT_OK)
			status = take_rows(otlp, rows, take, reterr);
	}
	ct_view_scan_close(scan);
	return status == CT_END ? CT_OK : status;
}

static enum ct_status write_spans(struct otlp *otlp, struct ct_error *reterr)
{
	const struct ct_view_request tasks = {.size = sizeof(tasks), .table = CT_VIEW_TASKS};
	const struct ct_view_request regions = {.size = sizeof(regions), .table = CT_VIEW_REGIONS};
	enum ct_status status = each(otlp, &tasks, take_task, reterr);

	if (status == CT_OK)
		status = each(otlp, &regions, take_region, reterr);
	return status == CT_OK ? end_request(otlp, reterr) : status;
}

/* ---------------------------------------------------------------- output */

/* Does the output name a collector rather than a file? */
static bool is_address(const char *output)
{
	return strncmp(output, "http://", strlen("http://")) == 0 ||
	       strncmp(output, "https://", strlen("https://")) == 0;
}

static enum ct_status to_file(struct otlp *otlp, const char *path, struct ct_error *reterr)
{
	struct io_output output;
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	otlp->output = &output;
	status = write_spans(otlp, reterr);
	return io_output_end(&output, status, reterr);
}

static enum ct_status to_collector(struct otlp *otlp, const char *address, struct ct_error *reterr)
{
	enum ct_status status = slices_otlp_open(address, &otlp->sender, reterr);

	if (status)
		return status;
	status = write_spans(otlp, reterr);
	slices_otlp_close(otlp->sender);
	return status;
}

enum ct_status slices_otlp(const struct export_job *job, struct ct_error *reterr)
{
	struct otlp otlp = {.view = job->view, .tables = ct_view_tables(job->view)};
	enum ct_status status = is_address(job->path) ? to_collector(&otlp, job->path, reterr)
						      : to_file(&otlp, job->path, reterr);

	text_fini(&otlp.page);
	return status;
}
