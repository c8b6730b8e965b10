/* SPDX-License-Identifier: MIT */
/*
 * Names of rules, grades and states, from the lists in include/corotracer/def and ct.h.
 */
#include "corotracer/ct.h"

const char *ct_state_name(enum ct_state state)
{
	switch (state) {
#define X(name, text, words)  \
	case CT_STATE_##name: \
		return text;
#include "corotracer/def/states.def"
#undef X
	}
	return "unknown";
}

const char *ct_lack_name(enum ct_lack lack)
{
	switch (lack) {
#define X(name, text, meaning) \
	case CT_LACK_##name:   \
		return text;
#include "corotracer/def/lacks.def"
#undef X
	default:
		return "unknown";
	}
}

const char *ct_standing_name(enum ct_standing_kind kind)
{
	switch (kind) {
#define X(name, text, meaning)   \
	case CT_STANDING_##name: \
		return text;
#include "corotracer/def/standings.def"
#undef X
	default:
		return "unknown";
	}
}

const char *ct_lane_name(enum ct_lane_kind kind)
{
	switch (kind) {
#define LANE(name, text, meaning) \
	case CT_LANE_##name:      \
		return text;
#include "corotracer/def/pictures.def"
	default:
		return "unknown";
	}
}

const char *ct_bar_name(enum ct_bar_state state)
{
	switch (state) {
#define BAR(name, text, meaning) \
	case CT_BAR_##name:      \
		return text;
#include "corotracer/def/pictures.def"
	default:
		return "unknown";
	}
}

const char *ct_grade_name(enum ct_grade grade)
{
	switch (grade) {
	case CT_GRADE_NONE:
		return "none";
	case CT_GRADE_SUSPECT:
		return "suspect";
	case CT_GRADE_LIKELY:
		return "likely";
	case CT_GRADE_PROVEN:
		return "proven";
	}
	return "unknown";
}

struct rule_texts {
	const char *name;
	const char *says;
	const char *wrong_if;
	const char *next_step;
};

static const struct rule_texts *texts_of(enum ct_rule rule)
{
	static const struct rule_texts texts[CT_NR_RULES] = {
		[CT_RULE_NONE] = {"none", "", "", ""},
#define X(name, number, file, text, says, wrong_if, next_step) \
	[CT_RULE_##name] = {text, says, wrong_if, next_step},
#include "corotracer/def/findings.def"
#undef X
	};

	return &texts[(unsigned)rule < CT_NR_RULES ? rule : CT_RULE_NONE];
}

const char *ct_rule_name(enum ct_rule rule)
{
	return texts_of(rule)->name;
}

const char *ct_rule_says(enum ct_rule rule)
{
	return texts_of(rule)->says;
}

const char *ct_rule_wrong_if(enum ct_rule rule)
{
	return texts_of(rule)->wrong_if;
}

const char *ct_rule_next_step(enum ct_rule rule)
{
	return texts_of(rule)->next_step;
}
