/* SPDX-License-Identifier: MIT */
/*
 * A sink for tests: keeps every record and definition in memory, and checks what every sink may rely on: everything
 * that a batch or a definition names was defined before.
 */
#ifndef TESTS_KEEP_SINK_H
#define TESTS_KEEP_SINK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/definition.h"
#include "base/failure.h"
#include "base/map.h"
#include "stream/stream.h"
#include "base/vec.h"

struct kept_record {
	uint32_t stream;
	uint32_t thread;
	struct ctp_record record;
};

struct keep_sink {
	struct ct_sink sink; /* first member */
	VEC(struct kept_record) records;
	VEC(struct ct_definition) definitions; /* texts are copies */
	struct map processes;
	struct map segments; /* segment to process */
	struct map threads;
	struct map streams;    /* stream to segment */
	struct map sites;      /* segment << 32 | id */
	uint64_t nr_disorder;  /* uses before the definition */
	bool is_order_ignored; /* the producer is hostile, so the order is not checked */
	uint64_t nr_flushes;
	uint64_t fail_after; /* calls of put and define that still succeed; 0: all do */
	uint64_t nr_calls;
};

static inline bool keep_fails(struct keep_sink *keep)
{
	return keep->fail_after && ++keep->nr_calls > keep->fail_after;
}

static inline void keep_expect(struct keep_sink *keep, const struct map *map, uint64_t key)
{
	uint32_t unused;

	if (!map_get(map, key, &unused) && !keep->is_order_ignored) {
		keep->nr_disorder++;
		fprintf(stderr, "used before its definition: %llx\n", (unsigned long long)key);
	}
}

static inline enum ct_status keep_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct keep_sink *keep = (struct keep_sink *)sink;
	uint32_t segment = 0;
	size_t i;

	if (keep_fails(keep))
		return ct_fail(reterr, CT_ERR_SYSTEM, "this sink is full");
	keep_expect(keep, &keep->threads, batch->thread);
	keep_expect(keep, &keep->streams, batch->stream);
	map_get(&keep->streams, batch->stream, &segment);
	for (i = 0; i < batch->nr_records; i++) {
		struct kept_record kept = {batch->stream, batch->thread, batch->records[i]};
		uint32_t site = CTP_TAIL_SITE(kept.record.tail);

		if (site)
			keep_expect(keep, &keep->sites, (uint64_t)segment << 32 | site);
		if (!vec_push(&keep->records, kept))
			abort();
	}
	return CT_OK;
}

static inline void keep_texts(struct ct_definition *kept)
{
	const char **texts[DEFINITION_TEXTS_MAX];
	size_t count = definition_texts(kept, texts), i;

	for (i = 0; i < count; i++)
		*texts[i] = *texts[i] ? strdup(*texts[i]) : NULL;
}

/* Copies borrowed texts, and checks that everything that the definition names is known. */
static inline void keep_check(struct keep_sink *keep, struct ct_definition *kept)
{
	keep_texts(kept);
	switch (kept->type) {
	case CT_DEFINE_PROCESS:
		if (kept->process.parent)
			keep_expect(keep, &keep->processes, kept->process.parent);
		map_put(&keep->processes, kept->process.process, 1);
		break;
	case CT_DEFINE_SEGMENT:
		keep_expect(keep, &keep->processes, kept->segment.process);
		map_put(&keep->segments, kept->segment.segment, kept->segment.process);
		break;
	case CT_DEFINE_THREAD:
		keep_expect(keep, &keep->processes, kept->thread.process);
		map_put(&keep->threads, kept->thread.thread, 1);
		break;
	case CT_DEFINE_STREAM:
		keep_expect(keep, &keep->segments, kept->stream.segment);
		map_put(&keep->streams, kept->stream.stream, kept->stream.segment);
		break;
	case CT_DEFINE_SITE:
		keep_expect(keep, &keep->segments, kept->site.segment);
		map_put(&keep->sites, (uint64_t)kept->site.segment << 32 | kept->site.id, 1);
		break;
	case CT_DEFINE_MAPPING:
		keep_expect(keep, &keep->processes, kept->mapping.process);
		break;
	case CT_DEFINE_ENDING:
		keep_expect(keep, &keep->processes, kept->ending.process);
		break;
	default:
		break;
	}
}

static inline enum ct_status keep_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct keep_sink *keep = (struct keep_sink *)sink;
	struct ct_definition kept = *definition;

	if (keep_fails(keep))
		return ct_fail(reterr, CT_ERR_SYSTEM, "this sink is full");
	keep_check(keep, &kept);
	if (!vec_push(&keep->definitions, kept))
		abort();
	return CT_OK;
}

static inline enum ct_status keep_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	(void)reterr;
	((struct keep_sink *)sink)->nr_flushes++;
	return CT_OK;
}

static inline void keep_free_texts(struct ct_definition *kept)
{
	const char **texts[DEFINITION_TEXTS_MAX];
	size_t count = definition_texts(kept, texts), i;

	for (i = 0; i < count; i++)
		free((char *)(uintptr_t)*texts[i]);
}

static inline void keep_fini(struct keep_sink *keep)
{
	size_t i;

	for (i = 0; i < keep->definitions.count; i++)
		keep_free_texts(&keep->definitions.at[i]);
	vec_fini(&keep->records);
	vec_fini(&keep->definitions);
	map_fini(&keep->processes);
	map_fini(&keep->segments);
	map_fini(&keep->threads);
	map_fini(&keep->streams);
	map_fini(&keep->sites);
}

static inline enum ct_status keep_close(
	struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	(void)is_wanted;
	(void)reterr;
	keep_fini((struct keep_sink *)sink);
	return CT_OK;
}

static const struct ct_sink_ops keep_ops = {keep_put, keep_define, keep_flush, keep_close};

static inline void keep_init(struct keep_sink *keep)
{
	memset(keep, 0, sizeof(*keep));
	keep->sink.ops = &keep_ops;
}

/* The n-th definition of a type, from 0, or NULL. */
static inline const struct ct_definition *keep_find(
	const struct keep_sink *keep, enum ct_define_type type, size_t n)
{
	size_t i;

	for (i = 0; i < keep->definitions.count; i++)
		if (keep->definitions.at[i].type == type && n-- == 0)
			return &keep->definitions.at[i];
	return NULL;
}

static inline size_t keep_count_kind(const struct keep_sink *keep, unsigned kind)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < keep->records.count; i++)
		count += CTP_TAIL_KIND(keep->records.at[i].record.tail) == kind;
	return count;
}

/* The sum of the LOSS definitions for a reason. */
static inline uint64_t keep_count_lost(const struct keep_sink *keep, unsigned reason)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < keep->definitions.count; i++)
		if (keep->definitions.at[i].type == CT_DEFINE_LOSS &&
			keep->definitions.at[i].loss.reason == reason)
			count += keep->definitions.at[i].loss.count;
	return count;
}

#endif
