/* SPDX-License-Identifier: MIT */
/*
 * Stories: the steps and the evidence of a finding, as a rule tells them one by one. A part of parts.h.
 */
#ifndef ANALYZE_STORY_H
#define ANALYZE_STORY_H

#include <stdint.h>

#include "base/vec.h"
#include "corotracer/ct.h"
#include "model/model.h"

struct analysis;
struct group;

/* What is concerned, though no step is its own: indexes of the model, of the tables, and a resource handle; 0: none. */
struct story_party {
	uint32_t coro;
	uint32_t thread;
	uint64_t handle;
};

/* A list of sentences or steps under construction. */
struct story {
	VEC(struct ct_step) steps;
	VEC(const char *) evidence;
	VEC(struct story_party) parties; /* who belongs into the picture besides */
};

/* analyze_story_step: a copy; it is found out whether its thread was outside any coroutine. */
void analyze_story_step(struct analysis *analysis, struct story *story, const struct ct_step *step);
/* analyze_story_suspended: the step in which the coroutine came to wait. analyze_story_suspended_as: in other words. */
void analyze_story_suspended(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_story_suspended_as(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, const char *words);
/* analyze_story_made_ready: the step in which it was put into a queue, or woken. */
void analyze_story_made_ready(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
/*
 * analyze_story_wake: the step of a wake, where there was one, told with these words. analyze_story_woken: with the
 * usual ones. analyze_words_waking: these words, and as what a wake is told that makes nobody ready.
 */
const char *analyze_words_waking(
	struct analysis *analysis, const struct model_waking *wake, const char *text);
void analyze_story_wake(struct analysis *analysis, struct story *story,
	const struct model_waking *wake, const char *text);
void analyze_story_woken(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, struct model_waking wake);
/* analyze_story_destroyed: the step in which it was destroyed; nothing where it was not. */
void analyze_story_destroyed(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
/* analyze_story_held: which locks it still holds, and where it took them. */
void analyze_story_held(struct analysis *analysis, struct story *story, uint32_t coro);
/* analyze_story_failed: how many of the process a panic or an exception had ended, and the last of them. */
void analyze_story_failed(struct analysis *analysis, struct story *story, uint32_t process);
/* analyze_story_victims: how many more wait for the group's members to go on, and where: its consequences. */
void analyze_story_victims(
	struct analysis *analysis, struct story *story, const struct group *group);
/* analyze_story_fact: a statement about the whole. analyze_story_evidence: one that stands besides the steps. */
void analyze_story_fact(struct analysis *analysis, struct story *story, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void analyze_story_evidence(struct analysis *analysis, struct story *story, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* analyze_story_end: hands the words to the finding, and frees the rest. */
void analyze_story_end(struct analysis *analysis, struct story *story, struct ct_finding *finding);
/*
 * analyze_story_party: the coroutine and the thread (0: none) belong into the picture of the finding, though no step is
 * theirs. analyze_story_resource: so does this resource.
 */
void analyze_story_party(
	struct analysis *analysis, struct story *story, uint32_t coro, uint32_t thread);
void analyze_story_resource(struct analysis *analysis, struct story *story, uint64_t handle);
/* analyze_story_order: steps as they happened. analyze_story_fini: gives a story back that no finding has taken. */
void analyze_story_order(struct story *story);
void analyze_story_fini(struct story *story);

#endif
