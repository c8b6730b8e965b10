/* SPDX-License-Identifier: MIT */
/*
 * Sampling: of programs that run for long, a window now and then, kept in a store of objects. A part of ct.h.
 *
 * Between windows a program's probe is as if nobody had ever attached to it. A window is a trace of its own, which
 * waits in a spool here until it is stored under the key SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace (in UTC), and
 * survives restarts and kills on the way.
 */
#ifndef COROTRACER_SAMPLING_H
#define COROTRACER_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The tables use the macro X: a caller's own X is saved here and restored after the tables. */
#pragma push_macro("X")
#undef X

/* What happens in a sampling (def/sampling_events.def). */
enum ct_sampling_event_kind {
#define X(NAME, word, is_trouble, meaning) CT_SAMPLING_##NAME,
#include "corotracer/def/sampling_events.def"
#undef X
};

/* ct_sampling_event_name: returns the word for what happens; never NULL. */
const char *ct_sampling_event_name(enum ct_sampling_event_kind kind);

/* Members that do not apply are NULL or 0. All texts are valid during the call only. */
struct ct_sampling_event {
	size_t size;
	enum ct_sampling_event_kind kind;
	const char *service;
	const char *key;  /* of the window in the store */
	const char *text; /* a word or a sentence */
	int64_t pid;
	uint64_t nr_bytes;
	uint64_t nr_events;
	uint64_t nr_lost;
};

/*
 * ct_sampling_event_write: writes the event as one line of JSON without a newline into `nr_bytes` at `buffer`,
 * NUL-terminated, with the present time. Returns the length of the line, which may be greater.
 */
size_t ct_sampling_event_write(
	const struct ct_sampling_event *event, char *buffer, size_t nr_bytes);

/* What was counted since the sampling was opened (def/sampling_counts.def). */
struct ct_sampling_counts {
#define X(name, family, type, labels, help) uint64_t name;
#include "corotracer/def/sampling_counts.def"
#undef X
};

#pragma pop_macro("X")

#define CT_SAMPLING_SPOOL_BYTES (UINT64_C(1) << 30)
#define CT_SAMPLING_BYTES_AN_HOUR (UINT64_C(1) << 30)
#define CT_SAMPLING_PROCESSOR_MILLIONTHS 20000u
#define CT_SAMPLING_LOAD_PERCENT 150u

struct ct_sampling_options {
	size_t size;
	/*
	 * Where windows are stored: a folder, or s3://BUCKET/PREFIX, with ?endpoint=http://HOST:PORT behind it for
	 * another server than Amazon's. Credentials come from where programs for S3 take them: the environment
	 * (AWS_ACCESS_KEY_ID ...), ~/.aws/credentials, or the address that the environment of a container names.
	 */
	const char *store;
	const char *spool; /* folder in which windows wait; made if it is not there */
	const char *host;  /* in keys; NULL: the machine's name */
	/* Most that may wait: older windows are dropped, and counted; 0: CT_SAMPLING_SPOOL_BYTES */
	uint64_t spool_bytes;
	uint64_t bytes_an_hour; /* ceiling on what is recorded; 0: CT_SAMPLING_BYTES_AN_HOUR */
	/* Ceiling on this process's processor time in an hour; 0: CT_SAMPLING_PROCESSOR_MILLIONTHS of one processor */
	uint32_t processor_millionths;
	/*
	 * While the machine's load average is above this share of its processors, windows are skipped and become rarer;
	 * 0: CT_SAMPLING_LOAD_PERCENT
	 */
	uint32_t load_percent;
	uint32_t most_at_once; /* windows that are recorded at the same time; 0: 4 */
	/*
	 * Called at each event, on any thread, one call at a time; a call may not use the sampling. NULL: no calls.
	 */
	void (*tell)(void *context, const struct ct_sampling_event *event);
	void *context;
};

/* A program that is sampled, until it ends: a process, or a program in Go that is asked over HTTP. */
struct ct_sampled {
	size_t size;
	const char *service;
	int64_t pid;         /* 0: there is an address */
	const char *address; /* as in ct_fetch_options; NULL: there is a process */
	int64_t every_ns;
	int64_t for_ns;  /* length of a window */
	bool has_jitter; /* a window begins at a random moment of its period */
	int pack_level;  /* level of zstd, 1 to 19; 0: not packed */
};

struct ct_sampling;

/*
 * ct_sampling_open: opens the store and the spool, and begins to store what the spool holds already. CT_ERR_USAGE: the
 * store's address is not one; CT_ERR_REFUSED: there are no credentials for it; CT_ERR_UNSUPPORTED: this build has no
 * libcurl.
 */
enum ct_status ct_sampling_open(const struct ct_sampling_options *options,
	struct ct_sampling **ret_sampling, struct ct_error *reterr);

/*
 * ct_sampling_add: takes windows of a program from now on, on a thread of its own, until the process ends. If the
 * process keeps its past in a file, each window is what that file holds then. CT_ERR_USAGE: a period shorter than its
 * window. ct_sampling_remove: ends that of the process; a window that is being recorded ends early, and is kept.
 * ct_sampling_has: returns whether the process is still sampled.
 */
enum ct_status ct_sampling_add(
	struct ct_sampling *sampling, const struct ct_sampled *sampled, struct ct_error *reterr);
void ct_sampling_remove(struct ct_sampling *sampling, int64_t pid);
bool ct_sampling_has(struct ct_sampling *sampling, int64_t pid);

/* ct_sampling_counts: returns what was counted so far. Any thread may call this. */
void ct_sampling_counts(struct ct_sampling *sampling, struct ct_sampling_counts *ret_counts);

/*
 * ct_sampling_write_counts: writes the counts as Prometheus reads them into `nr_bytes` at `buffer`, NUL-terminated.
 * Returns the length of the text, which may be greater.
 */
size_t ct_sampling_write_counts(
	const struct ct_sampling_counts *counts, char *buffer, size_t nr_bytes);

/*
 * ct_sampling_stop: ends all windows, which are kept, and the sampling of all programs. ct_sampling_settle: waits until
 * everything is stored, and returns whether it is, after so long at the latest. ct_sampling_close: stops, and frees the
 * sampling; what is not stored stays in the spool for the next one. NULL is allowed.
 */
void ct_sampling_stop(struct ct_sampling *sampling);
bool ct_sampling_settle(struct ct_sampling *sampling, int64_t longest_ns);
void ct_sampling_close(struct ct_sampling *sampling);

/* ------------------------------------------------------------------- an agent */

/*
 * An agent samples all programs of a machine that have a probe, as a configuration says (docs/fleet.md), and serves
 * /healthz and /metrics.
 */
struct ct_agent;

/*
 * ct_agent_open: reads the configuration and begins; `tell` is called as in ct_sampling_options. CT_ERR_USAGE: a line
 * of the configuration is wrong; the sentence begins with the file's name and the number of the line.
 */
enum ct_status ct_agent_open(const char *configuration,
	void (*tell)(void *context, const struct ct_sampling_event *event), void *context,
	struct ct_agent **ret_agent, struct ct_error *reterr);

/*
 * ct_agent_step: looks for programs that came or went. ct_agent_pause_ns: returns how long it should be until the next
 * step. ct_agent_url: returns the address of what is served; "": nothing is.
 */
void ct_agent_step(struct ct_agent *agent);
int64_t ct_agent_pause_ns(const struct ct_agent *agent);
const char *ct_agent_url(const struct ct_agent *agent);

/*
 * ct_agent_reload: reads the configuration again. If that fails, the configuration before holds; where the agent
 * listens never changes.
 */
enum ct_status ct_agent_reload(struct ct_agent *agent, struct ct_error *reterr);

/*
 * ct_agent_stop: ends all windows, which are kept. ct_agent_settle: does as ct_sampling_settle. ct_agent_close: stops,
 * and frees the agent. NULL is allowed.
 */
void ct_agent_stop(struct ct_agent *agent);
bool ct_agent_settle(struct ct_agent *agent, int64_t longest_ns);
void ct_agent_close(struct ct_agent *agent);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
