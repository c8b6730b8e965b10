/* SPDX-License-Identifier: MIT */
/* The public functions, and what all threads of a sampling count and tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/json_write.h"
#include "base/known_options.h"
#include "base/text.h"
#include "sampling/program.h"

#define MOST_AT_ONCE 4u
#define SECONDS_AN_HOUR 3600u
#define NS_PER_S UINT64_C(1000000000)

const char *ct_sampling_event_name(enum ct_sampling_event_kind kind)
{
	switch (kind) {
#define X(NAME, word, is_trouble, meaning) \
	case CT_SAMPLING_##NAME:           \
		return word;
#include "corotracer/def/sampling_events.def"
#undef X
	}
	return "unknown";
}

/* Texts that do not apply are left out, and so are numbers that are 0. */
static void write_members(struct json *json, const struct ct_sampling_event *event)
{
	const struct {
		const char *key, *text;
		uint64_t number;
	} members[] = {
		{"service", event->service, 0},
		{"pid", NULL, event->pid > 0 ? (uint64_t)event->pid : 0},
		{"key", event->key, 0},
		{"bytes", NULL, event->nr_bytes},
		{"events", NULL, event->nr_events},
		{"lost", NULL, event->nr_lost},
		{"text", event->text, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!members[i].text && !members[i].number)
			continue;
		json_key(json, members[i].key);
		if (members[i].text)
			json_text(json, members[i].text);
		else
			json_unsigned(json, members[i].number);
	}
}

size_t ct_sampling_event_write(const struct ct_sampling_event *event, char *buffer, size_t nr_bytes)
{
	uint64_t now_ns = clock_realtime_ns();
	time_t seconds = (time_t)(now_ns / NS_PER_S);
	struct text text = {0};
	char moment[32], time[48];
	struct json json;
	struct tm parts;
	size_t length;

	gmtime_r(&seconds, &parts);
	strftime(moment, sizeof(moment), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(time, sizeof(time), "%s.%03uZ", moment, (unsigned)(now_ns % NS_PER_S / 1000000));
	json_init(&json, &text, false);
	json_open(&json, '{');
	json_key_text(&json, "time", time);
	json_key_text(&json, "event", ct_sampling_event_name(event->kind));
	write_members(&json, event);
	json_close(&json, '}');
	length = text.length;
	if (nr_bytes)
		snprintf(buffer, nr_bytes, "%s", text_peek(&text));
	text_fini(&text);
	return length;
}

/* ---------------------------------------------------------------- counting and telling */

void sampling_count(struct ct_sampling *sampling, uint64_t *member, uint64_t by)
{
	pthread_mutex_lock(&sampling->lock);
	*member += by;
	pthread_mutex_unlock(&sampling->lock);
}

void sampling_tell(struct ct_sampling *sampling, struct ct_sampling_event event)
{
	event.size = sizeof(event);
	if (!sampling->options.tell)
		return;
	pthread_mutex_lock(&sampling->telling);
	sampling->options.tell(sampling->options.context, &event);
	pthread_mutex_unlock(&sampling->telling);
}

static uint64_t processor_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

enum sampling_reason sampling_use(struct ct_sampling *sampling, uint64_t nr_bytes)
{
	uint64_t now_ns = clock_monotonic_ns(), used_ns = processor_ns();
	enum sampling_reason reason = SAMPLING_MAY;

	pthread_mutex_lock(&sampling->lock);
	ceiling_use(&sampling->bytes, now_ns, nr_bytes);
	if (used_ns > sampling->processor_seen_ns) {
		ceiling_use(&sampling->processor, now_ns, used_ns - sampling->processor_seen_ns);
		sampling->processor_seen_ns = used_ns;
	}
	if (!ceiling_left(&sampling->processor, now_ns))
		reason = SAMPLING_PROCESSOR;
	if (!ceiling_left(&sampling->bytes, now_ns))
		reason = SAMPLING_BYTES;
	pthread_mutex_unlock(&sampling->lock);
	return reason;
}

void sampling_skip(const struct program *program, enum sampling_reason reason)
{
	struct ct_sampling_counts *counts = &program->sampling->counts;
	struct {
		uint64_t *count;
		const char *text;
	} reasons[] = {
		[SAMPLING_MAY] = {NULL, ""},
		[SAMPLING_BYTES] = {&counts->nr_skipped_bytes, "the hour's bytes are used up"},
		[SAMPLING_PROCESSOR] = {&counts->nr_skipped_processor,
			"the hour's processor time is used up"},
		[SAMPLING_LOAD] = {&counts->nr_skipped_load, "the machine is busy"},
		[SAMPLING_LATE] = {&counts->nr_skipped_late, "other windows took too long"},
		[SAMPLING_BUSY] = {&counts->nr_skipped_busy, "another recording has the process"},
		[SAMPLING_PROBE] = {&counts->nr_skipped_probe,
			"the process has no probe that waits"},
	};

	sampling_count(program->sampling, reasons[reason].count, 1);
	sampling_tell(program->sampling, (struct ct_sampling_event){.kind = CT_SAMPLING_SKIPPED,
						 .service = program->service,
						 .pid = program->sampled.pid,
						 .text = reasons[reason].text});
}

bool sampling_is_loaded(const char *text, unsigned nr_processors, unsigned percent)
{
	return strtod(text, NULL) * 100 > (double)percent * nr_processors;
}

/* ---------------------------------------------------------------- what the spool and the store say */

static void hear_spool(void *context, enum spool_fate fate, const char *key, uint64_t nr_bytes)
{
	struct ct_sampling *sampling = context;
	struct {
		enum ct_sampling_event_kind kind;
		uint64_t *count;
	} fates[] = {
		[SPOOL_RECOVERED] = {CT_SAMPLING_RECOVERED, &sampling->counts.nr_recovered},
		[SPOOL_LOST] = {CT_SAMPLING_LOST, &sampling->counts.nr_lost},
		[SPOOL_DROPPED] = {CT_SAMPLING_DROPPED, &sampling->counts.nr_dropped},
	};

	sampling_count(sampling, fates[fate].count, 1);
	sampling_tell(
		sampling, (struct ct_sampling_event){
				  .kind = fates[fate].kind, .key = key, .nr_bytes = nr_bytes});
}

static void hear_upload(void *context, const struct spool_window *window, const char *trouble)
{
	struct ct_sampling *sampling = context;
	struct ct_sampling_counts *counts = &sampling->counts;

	sampling_count(sampling, trouble ? &counts->nr_refused : &counts->nr_stored, 1);
	sampling_tell(sampling,
		(struct ct_sampling_event){.kind = trouble ? CT_SAMPLING_WAITS : CT_SAMPLING_STORED,
			.key = window->key,
			.text = trouble,
			.nr_bytes = window->nr_bytes});
}

/* ---------------------------------------------------------------- opening and closing */

static void complete(struct ct_sampling_options *options)
{
	if (!options->spool_bytes)
		options->spool_bytes = CT_SAMPLING_SPOOL_BYTES;
	if (!options->bytes_an_hour)
		options->bytes_an_hour = CT_SAMPLING_BYTES_AN_HOUR;
	if (!options->processor_millionths)
		options->processor_millionths = CT_SAMPLING_PROCESSOR_MILLIONTHS;
	if (!options->load_percent)
		options->load_percent = CT_SAMPLING_LOAD_PERCENT;
	if (!options->most_at_once)
		options->most_at_once = MOST_AT_ONCE;
}

static void name_host(struct ct_sampling *sampling)
{
	char name[256] = "";

	if (!sampling->options.host)
		gethostname(name, sizeof(name) - 1);
	keys_name(sampling->options.host ? sampling->options.host : name, sampling->host);
}

static enum ct_status open_parts(struct ct_sampling *sampling, struct ct_error *reterr)
{
	struct spool_options spool = {
		.folder = sampling->spool_folder,
		.destination = sampling->store,
		.most_bytes = sampling->options.spool_bytes,
		.tell = hear_spool,
		.context = sampling,
	};
	struct upload_options upload = {
		.destination = sampling->store, .tell = hear_upload, .context = sampling};
	enum ct_status status = spool_open(&spool, &sampling->spool, reterr);

	if (status)
		return status;
	upload.spool = sampling->spool;
	return upload_open(&upload, &sampling->upload, reterr);
}

static void init_locks(struct ct_sampling *sampling)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&sampling->lock, NULL);
	pthread_mutex_init(&sampling->telling, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&sampling->turn, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

enum ct_status ct_sampling_open(const struct ct_sampling_options *options,
	struct ct_sampling **ret_sampling, struct ct_error *reterr)
{
	struct ct_sampling *sampling = calloc(1, sizeof(*sampling));
	enum ct_status status;

	if (!sampling)
		return ct_fail_memory(reterr);
	known_options(&sampling->options, sizeof(sampling->options), options);
	complete(&sampling->options);
	init_locks(sampling);
	name_host(sampling);
	sampling->options.host = NULL;
	sampling->bytes.most = sampling->options.bytes_an_hour;
	sampling->processor.most =
		sampling->options.processor_millionths * (NS_PER_S / 1000000) * SECONDS_AN_HOUR;
	sampling->processor_seen_ns = processor_ns();
	sampling->store = sampling->options.store ? strdup(sampling->options.store) : NULL;
	sampling->spool_folder = sampling->options.spool ? strdup(sampling->options.spool) : NULL;
	if (!sampling->options.store || !sampling->options.spool)
		status = ct_fail(reterr, CT_ERR_USAGE, "a sampling needs a store and a spool");
	else if (!sampling->store || !sampling->spool_folder)
		status = ct_fail_memory(reterr);
	else
		status = open_parts(sampling, reterr);
	if (status)
		ct_sampling_close(sampling);
	else
		*ret_sampling = sampling;
	return status;
}

/* All windows end at the same time, and then the threads are waited for. */
void ct_sampling_stop(struct ct_sampling *sampling)
{
	size_t i;

	for (i = 0; i < sampling->programs.count; i++)
		program_end(sampling->programs.at[i]);
	for (i = 0; i < sampling->programs.count; i++)
		program_close(sampling->programs.at[i]);
	vec_fini(&sampling->programs);
}

bool ct_sampling_settle(struct ct_sampling *sampling, int64_t longest_ns)
{
	return upload_settle(sampling->upload, longest_ns > 0 ? (uint64_t)longest_ns : 0);
}

void ct_sampling_close(struct ct_sampling *sampling)
{
	if (!sampling)
		return;
	ct_sampling_stop(sampling);
	upload_close(sampling->upload);
	spool_close(sampling->spool);
	pthread_cond_destroy(&sampling->turn);
	pthread_mutex_destroy(&sampling->telling);
	pthread_mutex_destroy(&sampling->lock);
	free(sampling->store);
	free(sampling->spool_folder);
	free(sampling);
}

/* ---------------------------------------------------------------- programs */

static bool is_over(struct ct_sampling *sampling, const struct program *program)
{
	bool is_over;

	pthread_mutex_lock(&sampling->lock);
	is_over = program->is_over;
	pthread_mutex_unlock(&sampling->lock);
	return is_over;
}

static void close_at(struct ct_sampling *sampling, size_t i)
{
	program_close(sampling->programs.at[i]);
	sampling->programs.at[i] = sampling->programs.at[--sampling->programs.count];
}

/* Frees the programs whose threads have ended. */
static void tidy(struct ct_sampling *sampling)
{
	size_t i = 0;

	while (i < sampling->programs.count) {
		if (is_over(sampling, sampling->programs.at[i]))
			close_at(sampling, i);
		else
			i++;
	}
}

static void count_programs(struct ct_sampling *sampling)
{
	pthread_mutex_lock(&sampling->lock);
	sampling->counts.nr_programs = sampling->programs.count;
	pthread_mutex_unlock(&sampling->lock);
}

enum ct_status ct_sampling_add(
	struct ct_sampling *sampling, const struct ct_sampled *sampled, struct ct_error *reterr)
{
	struct ct_sampled known;
	struct program *program;
	enum ct_status status;

	known_options(&known, sizeof(known), sampled);
	if (known.for_ns <= 0 || known.every_ns < known.for_ns)
		return ct_fail(reterr, CT_ERR_USAGE, "a window is longer than its period");
	if (known.pid <= 0 && !known.address)
		return ct_fail(reterr, CT_ERR_USAGE, "no program to sample");
	tidy(sampling);
	if (!vec_reserve(&sampling->programs, sampling->programs.count + 1))
		return ct_fail_memory(reterr);
	status = program_open(sampling, &known, &program, reterr);
	if (status == CT_OK)
		sampling->programs.at[sampling->programs.count++] = program;
	count_programs(sampling);
	return status;
}

void ct_sampling_remove(struct ct_sampling *sampling, int64_t pid)
{
	size_t i;

	for (i = 0; i < sampling->programs.count; i++) {
		if (sampling->programs.at[i]->sampled.pid != pid)
			continue;
		close_at(sampling, i);
		break;
	}
	count_programs(sampling);
}

bool ct_sampling_has(struct ct_sampling *sampling, int64_t pid)
{
	size_t i;

	tidy(sampling);
	count_programs(sampling);
	for (i = 0; i < sampling->programs.count; i++) {
		if (sampling->programs.at[i]->sampled.pid == pid)
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- counts */

void ct_sampling_counts(struct ct_sampling *sampling, struct ct_sampling_counts *ret_counts)
{
	struct objects_counts stored = upload_counts(sampling->upload);
	struct spool_state state = spool_state(sampling->spool);

	pthread_mutex_lock(&sampling->lock);
	*ret_counts = sampling->counts;
	pthread_mutex_unlock(&sampling->lock);
	ret_counts->nr_bytes_stored = stored.nr_bytes_sent;
	ret_counts->nr_requests = stored.nr_requests;
	ret_counts->nr_repeated = stored.nr_repeated;
	ret_counts->nr_waiting = state.nr_windows;
	ret_counts->nr_bytes_waiting = state.nr_bytes;
	ret_counts->processor_ns = processor_ns();
}

static void write_count(struct text *text, const char *family, const char *type, const char *labels,
	const char *help, uint64_t value)
{
	bool is_counter = strcmp(type, "counter") == 0;

	if (*help)
		text_format(text, "# HELP %s%s %s\n# TYPE %s%s %s\n", family,
			is_counter ? "_total" : "", help, family, is_counter ? "_total" : "", type);
	text_format(text, "%s%s%s%s%s %llu\n", family, is_counter ? "_total" : "",
		*labels ? "{" : "", labels, *labels ? "}" : "", (unsigned long long)value);
}

size_t ct_sampling_write_counts(
	const struct ct_sampling_counts *counts, char *buffer, size_t nr_bytes)
{
	struct text text = {0};
	size_t length;

#define X(name, family, type, labels, help) \
	write_count(&text, family, type, labels, help, counts->name);
#include "corotracer/def/sampling_counts.def"
#undef X
	length = text.length;
	if (nr_bytes)
		snprintf(buffer, nr_bytes, "%s", text_peek(&text));
	text_fini(&text);
	return length;
}
