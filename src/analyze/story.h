/* SPDX-License-Identifier: MIT */
/*
 * Stories: the steps and the evidence of a finding, which a rule adds one by one. A part of parts.h.
 */
#ifndef ANALYZE_STORY_H
#define ANALYZE_STORY_H

#include <stdint.h>

#include "base/vec.h"
#include "corotracer/ct.h"
#include "model/model.h"

struct analysis;
struct group;

/*
 * A party of a finding: a coroutine, thread or resource that belongs into its picture although no step is its own.
 * Indexes of the model and the tables, and a resource handle; 0: none.
 */
struct story_party {
	uint32_t coro;
	uint32_t thread;
	uint64_t handle;
};

/* A list of sentences or steps under construction. */
struct story {
	VEC(struct ct_step) steps;
	VEC(const char *) evidence;
	VEC(struct story_party) parties; /* those that the picture shows besides the steps' own */
};

/* analyze_story_step: adds a copy of the step, and determines whether its thread was outside any coroutine. */
void analyze_story_step(struct analysis *analysis, struct story *story, const struct ct_step *step);
/*
 * analyze_story_suspended: adds the step in which the coroutine began to wait. analyze_story_suspended_as: the same
 * with other words.
 */
void analyze_story_suspended(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_story_suspended_as(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, const char *words);
/* analyze_story_made_ready: adds the step in which the coroutine was put into a queue, or woken. */
void analyze_story_made_ready(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
/*
 * analyze_story_wake: adds the step of a wake with these words, if there was a wake. analyze_story_woken: the same
 * with the usual words. analyze_words_waking: returns the words for a wake, including a wake that makes nobody ready.
 */
const char *analyze_words_waking(
	struct analysis *analysis, const struct model_waking *wake, const char *text);
void analyze_story_wake(struct analysis *analysis, struct story *story,
	const struct model_waking *wake, const char *text);
void analyze_story_woken(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, struct model_waking wake);
/* analyze_story_destroyed: adds the step in which the coroutine was destroyed, if it was. */
void analyze_story_destroyed(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
/* analyze_story_held: adds evidence of the locks that the coroutine still holds, and where it took them. */
void analyze_story_held(struct analysis *analysis, struct story *story, uint32_t coro);
/*
 * analyze_story_failed: adds evidence of how many coroutines of the process a panic or an exception has ended, and of
 * the last of them.
 */
void analyze_story_failed(struct analysis *analysis, struct story *story, uint32_t process);
/*
 * analyze_story_victims: adds evidence of how many other coroutines wait for the group's members to go on, and where:
 * the consequences of the finding.
 */
void analyze_story_victims(
	struct analysis *analysis, struct story *story, const struct group *group);
/*
 * analyze_story_fact: adds a statement about the whole as a step. analyze_story_evidence: adds a statement besides
 * the steps.
 */
void analyze_story_fact(struct analysis *analysis, struct story *story, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void analyze_story_evidence(struct analysis *analysis, struct story *story, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* analyze_story_end: hands the texts to the finding, and frees the story. */
void analyze_story_end(struct analysis *analysis, struct story *story, struct ct_finding *finding);
/*
 * analyze_story_party: adds the coroutine and the thread (0: none) to the finding's picture although no step is
 * theirs. analyze_story_resource: adds a resource in the same way.
 */
void analyze_story_party(
	struct analysis *analysis, struct story *story, uint32_t coro, uint32_t thread);
void analyze_story_resource(struct analysis *analysis, struct story *story, uint64_t handle);
/* analyze_story_order: sorts the steps by time. analyze_story_fini: frees a story that no finding has taken. */
void analyze_story_order(struct story *story);
void analyze_story_fini(struct story *story);

#endif
