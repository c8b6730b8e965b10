/* SPDX-License-Identifier: MIT */
/*
 * A report made by hand: its tables, findings with any number of members, and its rendering.
 */
#ifndef TESTS_MADE_REPORT_H
#define TESTS_MADE_REPORT_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "render/render.h"

#define FIRST_CORO 1025

static const struct ct_process processes[] = {
	{.program = "", .command_line = ""},
	{.pid = 4711,
		.program = "/usr/bin/server",
		.command_line = "server --port 0",
		.attached = 1000,
		.ended = 3210000000,
		.ending = CT_ENDING_EXITED,
		.has_probe = true,
		.has_ledger = true},
};

static const struct ct_thread threads[] = {
	{.name = ""},
	{.process = 1, .tid = 4712, .name = "worker-0", .started = 10, .stopped = CT_NO_TIME},
	{.process = 1, .tid = 4713, .name = "worker-1", .started = 20, .stopped = CT_NO_TIME},
};

#define SITE(file_name, line_number, function_name, reason_name)                               \
	{                                                                                      \
		.process = 1, .kind = CTP_SITE_SOURCE, .line = line_number, .file = file_name, \
		.function = function_name, .reason = reason_name, .module = "", .callers = ""  \
	}

static const struct ct_site sites[] = {
	{.file = "", .function = "", .reason = "", .module = "", .callers = ""},
	SITE("../app/main.cpp", 88, "void accept_loop(Server&)", ""),
	SITE("../app/server.cpp", 120, "Task handle_connection(Socket)", "AsyncRead"),
	SITE("../app/scheduler.cpp", 210, "void Scheduler::on_hangup(int)", ""),
};

static const struct ct_tables tables = {
	.reason = "",
	.reason_time = CT_NO_TIME,
	.first_generation = 1,
	.last_generation = 4,
	.run_id = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc,
		0xdd, 0xee, 0xff},
	.host = "build-7",
	.clock = "counter",
	.clock_hz = 2.6e9,
	.clock_skew_ns = 120,
	.epoch_realtime_ns = 1700000000123456789,
	.epoch_monotonic_ns = 5000000000,
	.observed_until = 3210000000,
	.is_complete = true,
	.processes = processes,
	.nr_processes = 2,
	.threads = threads,
	.nr_threads = 3,
	.sites = sites,
	.nr_sites = 4,
};

static const struct ct_event events[] = {
	{.time = 1000000,
		.coro = FIRST_CORO,
		.object = 0x11010,
		.site = 1,
		.kind = CTP_KIND_CREATE,
		.process = 1,
		.thread = 1,
		.sequence = 10},
	{.time = 1010000,
		.coro = FIRST_CORO,
		.kind = CTP_KIND_RESUME,
		.process = 1,
		.thread = 1,
		.sequence = 12},
	{.time = 1020000,
		.coro = FIRST_CORO,
		.object = CTP_DESCRIPTOR(9, 4),
		.site = 2,
		.kind = CTP_KIND_SUSPEND,
		.process = 1,
		.thread = 1,
		.sequence = 13},
	{.time = 1030000,
		.coro = 7,
		.object = CTP_HANDLE(CTP_RESOURCE_COROUTINE, FIRST_CORO),
		.kind = CTP_KIND_WAKE,
		.argument = CTP_OUTCOME_DROPPED,
		.process = 1,
		.thread = 2,
		.site = 3,
		.sequence = 17},
};

static const struct ct_step steps[] = {
	{.time = 1020000,
		.text = "suspended, to wait for descriptor 9 (generation 4)",
		.by = "",
		.site = 2,
		.thread = 1,
		.coro = FIRST_CORO,
		.sequence = 13},
	{.time = 1045000,
		.text = "closed descriptor 9 (generation 4)",
		.by = "",
		.site = 3,
		.thread = 2,
		.sequence = 20,
		.is_outside = true},
	{.time = CT_NO_TIME,
		.text = "no wake for any of them since",
		.by = "",
		.sequence = UINT64_MAX},
};

static const char *const lowered[] = {"15 events of worker-1 (4713) are missing in between"};
static const char *const evidence[] = {"47 of the 47 descriptors were in an epoll interest list"};

/* The members are successive coroutines that differ only in their ids. */
static inline struct ct_member *new_members(uint32_t nr_members)
{
	struct ct_member *members = calloc(nr_members, sizeof(*members));
	uint32_t i;

	for (i = 0; members && i < nr_members; i++) {
		members[i].coro = (struct ct_coro){
			.id = FIRST_CORO + i,
			.process = 1,
			.state = CT_STATE_WAITING,
			.created = 1000000,
			.changed = 1020000 + i,
			.destroyed = CT_NO_TIME,
			.spawn_site = 1,
			.function_site = 2,
			.wait_site = 2,
			.wait_object = CTP_DESCRIPTOR(9, 4),
			.frame = 0x11000,
			.thread = 1,
			.was_seen_from_start = true,
			.nr_resumes = 1,
			.last_event = 13,
			.waker_time = CT_NO_TIME,
		};
		members[i].since = 1020000 + i;
		members[i].until = 3210000000;
		members[i].resource = "descriptor 9 (generation 4)";
		members[i].cause = steps[1];
	}
	if (members) {
		members[0].events = events;
		members[0].nr_events = 4;
		members[0].coro.waker_time = 1030000;
		members[0].coro.waker_outcome = CTP_OUTCOME_DROPPED;
	}
	return members;
}

static const struct ct_bar worker_bars[] = {
	{.state = CT_BAR_RUNNING, .from = 1000000, .until = 1030000, .coro = 7, .text = ""},
	{.state = CT_BAR_IDLE,
		.is_open = true,
		.from = 2000000,
		.until = 3210000000,
		.text = "",
		.nr_before = 12},
};

static const struct ct_bar descriptor_bars[] = {
	{.state = CT_BAR_OPEN, .from = 990000, .until = 1045000, .text = ""},
	{.state = CT_BAR_CLOSED, .is_open = true, .from = 1045000, .until = 3210000000, .text = ""},
};

static const struct ct_bar coroutine_bars[] = {
	{.state = CT_BAR_RUNNING, .from = 1010000, .until = 1020000, .thread = 1, .text = ""},
	{.state = CT_BAR_WAITING,
		.is_open = true,
		.from = 1020000,
		.until = 3210000000,
		.site = 2,
		.text = "descriptor 9"},
};

static const struct ct_lane lanes[] = {
	{.kind = CT_LANE_THREAD,
		.process = 1,
		.thread = 2,
		.name = "thread worker-1 (4713)",
		.bars = worker_bars,
		.nr_bars = 2},
	{.kind = CT_LANE_RESOURCE,
		.process = 1,
		.object = CTP_DESCRIPTOR(9, 4),
		.name = "descriptor 9 (generation 4)",
		.bars = descriptor_bars,
		.nr_bars = 2},
	{.kind = CT_LANE_COROUTINE,
		.is_member = true,
		.process = 1,
		.coro = FIRST_CORO,
		.site = 2,
		.name = "coroutine 1025 (<b>handle & \"co\"</b>)",
		.bars = coroutine_bars,
		.nr_bars = 2},
};

static const struct ct_picture_mark marks[] = {
	{.step = 1, .lane = 3, .other = 2, .kind = CTP_KIND_SUSPEND},
	{.step = 2, .lane = 1, .other = 2, .kind = CTP_KIND_DESCRIPTOR_CLOSE},
};

static inline struct ct_finding finding_of(const struct ct_member *members, uint32_t nr_members)
{
	return (struct ct_finding){
		.rule = CT_RULE_CLOSED_DESCRIPTOR,
		.grade = CT_GRADE_LIKELY,
		.process = 1,
		.title = "coroutines wait for descriptors that were closed under them",
		.members = members,
		.nr_members = nr_members,
		.nr_peers = nr_members + 3,
		.peers = "started at the same site",
		.steps = steps,
		.nr_steps = 3,
		.lowered = lowered,
		.nr_lowered = 1,
		.evidence = evidence,
		.nr_evidence = 1,
		.wait_site = 2,
		.cause_site = 3,
		.look_site = 3,
		.nr_lost_nearby = 15,
		.first_sequence = 13,
		.last_sequence = 20,
		.next_step = ct_rule_next_step(CT_RULE_CLOSED_DESCRIPTOR),
		.picture = {.lanes = lanes,
			.nr_lanes = 3,
			.marks = marks,
			.nr_marks = 2,
			.nr_alike = nr_members - 1,
			.end = 3210000000},
	};
}

static inline struct text rendered(const struct ct_report *report, struct ct_report_options options)
{
	struct text text = {0};

	options.size = sizeof(options);
	CHECK_EQUAL(render_report(report, &options, &text, NULL), CT_OK);
	return text;
}

static inline size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		count++;
	return count;
}

#endif
