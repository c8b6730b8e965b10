/* SPDX-License-Identifier: MIT */
/* The functions of the collector that version 1 uses (version1/engine.h). */
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/failure.h"
#include "kernel/procfs.h"
#include "collect/collector.h"

static const char *refusal(void *engine, uid_t uid, pid_t pid)
{
	const struct collect *collect = engine;

	return collect_admission_refusal(&collect->listener.admission, uid, pid);
}

static void refuse(void *engine, pid_t pid, const char *why)
{
	struct collect *collect = engine;

	collect->nr_refused++;
	ct_fail(&collect->refusal, CT_ERR_REFUSED, "process %d was turned away: %s", (int)pid, why);
}

static enum ct_status watch(void *engine, int descriptor, bool only_wakes, struct ct_error *reterr)
{
	const struct collect *collect = engine;
	struct epoll_event event = {
		.events = EPOLLIN, .data.u32 = only_wakes ? COLLECT_WAKES : COLLECT_NEWS};

	if (epoll_ctl(collect->waiting, EPOLL_CTL_ADD, descriptor, &event))
		return ct_fail_errno(reterr, "watching the socket of version 1");
	return CT_OK;
}

static struct process *take_up(void *engine, pid_t pid)
{
	const struct process_facts nothing = {.program = "", .command_line = ""};
	struct collect *collect = engine;
	struct process *process = collect_process_find(collect, pid);

	if (process)
		collect_process_define(collect, process, &nothing);
	else
		process = collect_process_add(collect, pid, &nothing);
	if (process)
		collect_process_map(collect, process);
	return process;
}

static struct process *process_of(void *engine, uint64_t tid)
{
	struct collect *collect = engine;

	return collect_process_find(collect, tid ? procfs_process_of(tid) : collect->target.pid);
}

static uint32_t segment(void *engine, struct process *process)
{
	struct collect *collect = engine;
	struct ct_definition definition = {.type = CT_DEFINE_SEGMENT};
	uint8_t *identity = definition.segment.identity;
	uint32_t number = ++collect->nr_segments;

	process->has_probe = true;
	process->moved_ns = collect->now_ns;
	collect->has_probe = true;
	collect->nr_attached++;
	definition.segment = (struct ct_define_segment){
		.segment = number,
		.process = process->number,
		.role = CTP_ROLE_PROBE,
		.clock = CTP_CLOCK_MONOTONIC,
		.attached = clock_monotonic_ns(),
		.has_bare_resumes = true,
	};
	memcpy(identity, collect->run_id, sizeof(collect->run_id));
	identity[0] ^= (uint8_t)number;
	identity[1] ^= (uint8_t)(number >> 8);
	collect_output_define(&collect->output, &definition);
	return number;
}

static uint32_t stream(void *engine, uint32_t of_segment)
{
	return collect_process_stream(engine, of_segment);
}

static uint32_t thread(void *engine, struct process *process, uint64_t tid, uint64_t time)
{
	return collect_process_thread_told(engine, process, tid, time);
}

static bool site(
	void *engine, struct process *process, uint32_t of_segment, uint32_t id, uint64_t address)
{
	struct collect *collect = engine;
	struct ct_definition definition = {.type = CT_DEFINE_SITE};
	const struct collect_site site = {.segment = of_segment,
		.process = process->number,
		.id = id,
		.kind = CTP_SITE_INSTRUCTION,
		.address = address};

	if (!collect_mappings_cover(&collect->mappings, process->number, address))
		return false;
	definition.site = (struct ct_define_site){.segment = site.segment,
		.id = site.id,
		.kind = site.kind,
		.file = "",
		.function = "",
		.reason = "",
		.module = "",
		.address = address};
	collect_output_define(&collect->output, &definition);
	if (collect->sites.count >= COLLECT_SITES_MAX || !vec_push(&collect->sites, site))
		collect->nr_sites_forgotten++;
	return true;
}

static void moved(void *engine, struct process *process)
{
	const struct collect *collect = engine;

	process->nr_moves++;
	process->moved_ns = process->wrote_ns = collect->now_ns;
}

static void put(void *engine, const struct ct_batch *batch, uint64_t nr_events)
{
	struct collect *collect = engine;

	collect_output_put(&collect->output, batch, nr_events);
}

static void count_lost(void *engine, uint64_t count)
{
	struct collect *collect = engine;

	collect_output_count_lost(&collect->output, count);
}

static void lose(void *engine, uint32_t reason, uint64_t count, uint64_t first_ns, uint64_t last_ns)
{
	struct collect *collect = engine;
	const struct process *process = collect_process_find(collect, collect->target.pid);
	const struct ct_define_loss loss = {
		.process = process ? process->number : 1,
		.reason = reason,
		.count = count,
		.first_monotonic_ns = first_ns,
		.last_monotonic_ns = last_ns,
	};

	collect_output_lose(&collect->output, &loss);
}

enum ct_status collect_serve(
	struct collect *collect, const struct ct_record_options *options, struct ct_error *reterr)
{
	static const struct version1_engine_ops ops = {
		.refusal = refusal,
		.refuse = refuse,
		.watch = watch,
		.take_up = take_up,
		.process_of = process_of,
		.segment = segment,
		.stream = stream,
		.thread = thread,
		.site = site,
		.moved = moved,
		.put = put,
		.count_lost = count_lost,
		.lose = lose,
	};
	const struct version1_engine engine = {&ops, collect};
	const struct channel_options how = {
		.max_stations = options->max_stations,
		.memory_path = options->shm_path,
		.socket_path = options->socket_path,
	};

	/* A process that runs already has looked for its engine. */
	if (options->no_version1 || options->pid > 0)
		return CT_OK;
	return version1_service_open(&collect->service, &engine, &how, reterr);
}
