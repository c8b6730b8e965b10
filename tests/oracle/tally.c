/* SPDX-License-Identifier: MIT */
/*
 * Counts findings member by member, and faults group by group; prints the table.
 */
#include "tally.h"

#include <inttypes.h>

#include "truth.h"

static uint32_t find(const struct world *world, uint64_t id)
{
	uint32_t i;

	for (i = 1; i < world->coros.count; i++)
		if (world->coros.at[i].id == id)
			return i;
	return 0;
}

static bool is_right(
	const struct world *world, const struct ct_finding *finding, const struct ct_member *member)
{
	uint32_t coro = find(world, member->coro.id);

	return finding->grade == CT_GRADE_PROVEN ? truth_is_proven(world, finding->rule, coro)
						 : truth_of(world, finding->rule, coro);
}

/* Is the rule true of a coroutine of the group? */
static bool came_to_pass(const struct world *world, const struct group *group, enum ct_rule rule)
{
	uint32_t i;

	for (i = 0; i < group->count; i++)
		if (truth_of(world, rule, group->first + i))
			return true;
	return false;
}

/* Does a coroutine of the group grow, or is it left behind? */
static bool is_growing(const struct world *world, const struct group *group)
{
	uint32_t i;

	for (i = group->first; i < group->first + group->count; i++)
		if (truth_of(world, CT_RULE_UNBOUNDED_GROWTH, i) ||
			truth_of(world, CT_RULE_COROUTINE_LEAK, i))
			return true;
	return false;
}

/* Findings about no coroutine: that the program crashed, or that something grows at a place. */
static bool is_right_as_a_whole(const struct world *world, const struct ct_finding *finding)
{
	uint32_t group = finding->cause_site ? (finding->cause_site - 1) / NR_PLACES : UINT32_MAX;

	if (finding->rule == CT_RULE_UNBOUNDED_GROWTH)
		return group < world->groups.count && is_growing(world, &world->groups.at[group]);
	if (finding->rule == CT_RULE_CLOSED_UNREAD)
		return group < world->groups.count &&
		       came_to_pass(world, &world->groups.at[group], finding->rule);
	return finding->rule == CT_RULE_CRASH && world->signal;
}

static void count_claims(
	struct tally *tally, const struct world *world, const struct ct_finding *finding)
{
	struct tally_line *line = &tally->lines[finding->rule];
	uint32_t i;

	if (finding->nr_members == 0) {
		line->claims[finding->grade]++;
		line->wrong[finding->grade] += !is_right_as_a_whole(world, finding);
	}
	for (i = 0; i < finding->nr_members; i++) {
		line->claims[finding->grade]++;
		line->wrong[finding->grade] += !is_right(world, finding, &finding->members[i]);
	}
}

static bool is_in_group(const struct world *world, uint64_t id, const struct group *group)
{
	uint32_t coro = find(world, id);

	return coro >= group->first && coro < group->first + group->count;
}

static bool was_found(
	const struct world *world, const struct ct_report *report, const struct group *group)
{
	uint32_t i, k;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		if (finding->rule != group->rule)
			continue;
		for (k = 0; k < finding->nr_members; k++)
			if (is_in_group(world, finding->members[k].coro.id, group))
				return true;
		if (finding->nr_members == 0 && is_right_as_a_whole(world, finding) &&
			(!finding->cause_site ||
				group == &world->groups.at[(finding->cause_site - 1) / NR_PLACES]))
			return true;
	}
	return false;
}

/* Herds are recognised only if takings are recorded. */
static bool is_whole(const struct world *world, enum ct_rule rule)
{
	if (rule == CT_RULE_THUNDERING_HERD && !world->manner.tells_takings)
		return false;
	return !world->manner.loses && !world->manner.is_attached_late &&
	       world->manner.is_looked_at && world->manner.has_accounts;
}

static void count_faults(
	struct tally *tally, const struct world *world, const struct ct_report *report)
{
	size_t i;

	for (i = 0; i < world->groups.count; i++) {
		const struct group *group = &world->groups.at[i];
		struct tally_line *line = &tally->lines[group->rule];
		bool is_found;

		if (!group->rule || !came_to_pass(world, group, group->rule))
			continue;
		is_found = was_found(world, report, group);
		line->planted++;
		line->found += is_found;
		line->planted_whole += is_whole(world, group->rule);
		line->found_whole += is_whole(world, group->rule) && is_found;
	}
}

static uint32_t nr_wrongly_proven(const struct tally *tally)
{
	uint32_t count = 0, rule;

	for (rule = 1; rule < CT_NR_RULES; rule++)
		count += tally->lines[rule].wrong[CT_GRADE_PROVEN];
	return count;
}

/* Is a claim above Suspect untrue? Two harmless parts together may do harm. */
static bool is_false_alarm(const struct world *world, const struct ct_finding *finding)
{
	uint32_t i;

	if (finding->grade <= CT_GRADE_SUSPECT)
		return false;
	for (i = 0; i < finding->nr_members; i++)
		if (!is_right(world, finding, &finding->members[i]))
			return true;
	return finding->nr_members == 0 && !is_right_as_a_whole(world, finding);
}

static void count_healthy(
	struct tally *tally, const struct world *world, const struct ct_report *report)
{
	bool is_alarmed = false;
	size_t i;

	for (i = 0; i < world->groups.count; i++)
		if (world->groups.at[i].rule)
			return;
	for (i = 0; i < report->nr_findings; i++)
		is_alarmed |= is_false_alarm(world, &report->findings[i]);
	tally->nr_healthy++;
	tally->nr_alarmed += is_alarmed;
}

uint32_t tally_add(struct tally *tally, const struct world *world, const struct ct_report *report)
{
	uint32_t before = nr_wrongly_proven(tally), i;

	tally->nr_runs++;
	tally->nr_events += report->quality.nr_events;
	for (i = 0; i < report->nr_findings; i++)
		count_claims(tally, world, &report->findings[i]);
	count_faults(tally, world, report);
	count_healthy(tally, world, report);
	return nr_wrongly_proven(tally) - before;
}

void tally_explain(const struct world *world, const struct ct_report *report, FILE *out)
{
	uint32_t i, k;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		for (k = 0; k < finding->nr_members; k++) {
			uint64_t id = finding->members[k].coro.id;
			uint32_t coro = find(world, id);

			fprintf(out, "%s: %s %s of coroutine %" PRIu64 " of '%s': %s\n",
				is_right(world, finding, &finding->members[k]) ? "right" : "WRONG",
				ct_rule_name(finding->rule), ct_grade_name(finding->grade), id,
				world->groups.at[world->coros.at[coro].group].name, finding->title);
		}
		for (k = 0; k < finding->nr_lowered; k++)
			fprintf(out, "       lowered: %s\n", finding->lowered[k]);
	}
	for (i = 0; i < world->groups.count; i++) {
		const struct group *group = &world->groups.at[i];

		if (group->rule && came_to_pass(world, group, group->rule) &&
			!was_found(world, report, group))
			fprintf(out, "missed: %s of '%s', from coroutine %" PRIu64 " on\n",
				ct_rule_name(group->rule), group->name,
				world->coros.at[group->first].id);
	}
}

/* ---------------------------------------------------------------- the table */

static uint32_t sum(const uint32_t counts[4])
{
	return counts[CT_GRADE_SUSPECT] + counts[CT_GRADE_LIKELY] + counts[CT_GRADE_PROVEN];
}

/* A share in percent; a dash if the total is 0. */
static const char *percent(char text[16], uint32_t part, uint32_t whole)
{
	if (whole == 0)
		return "-";
	snprintf(text, 16, "%.1f", 100.0 * part / whole);
	return text;
}

static void print_line(const char *name, const struct tally_line *line, FILE *out)
{
	char recall[16], recall_whole[16], precision[16];
	uint32_t claims = sum(line->claims), wrong = sum(line->wrong);

	fprintf(out, "%-28s %7u %7u %7s %9s %9u %7u %9s %7u %7u %7u %7u\n", name, line->planted,
		line->found, percent(recall, line->found, line->planted),
		percent(recall_whole, line->found_whole, line->planted_whole), claims,
		claims - wrong, percent(precision, claims - wrong, claims),
		line->claims[CT_GRADE_LIKELY], line->wrong[CT_GRADE_LIKELY],
		line->claims[CT_GRADE_PROVEN], line->wrong[CT_GRADE_PROVEN]);
}

void tally_print(const struct tally *tally, FILE *out)
{
	uint32_t rule;

	fprintf(out,
		"%u programs, %" PRIu64 " events; %u without a fault, %u of these with a claim "
		"above Suspect that is untrue\n",
		tally->nr_runs, tally->nr_events, tally->nr_healthy, tally->nr_alarmed);
	fprintf(out, "%-28s %7s %7s %7s %9s %9s %7s %9s %7s %7s %7s %7s\n", "rule", "planted",
		"found", "recall", "if whole", "claims", "true", "precision", "likely", "wrong",
		"proven", "wrong");
	for (rule = 1; rule < CT_NR_RULES; rule++)
		print_line(ct_rule_name(rule), &tally->lines[rule], out);
}

static void print_counts(const char *name, const uint32_t counts[4], FILE *out)
{
	fprintf(out, ", \"%s\": {\"suspect\": %u, \"likely\": %u, \"proven\": %u}", name,
		counts[CT_GRADE_SUSPECT], counts[CT_GRADE_LIKELY], counts[CT_GRADE_PROVEN]);
}

void tally_print_json(const struct tally *tally, uint64_t seed, FILE *out)
{
	uint32_t rule;

	fprintf(out,
		"{\"seed\": %" PRIu64 ", \"programs\": %u, \"events\": %" PRIu64
		", \"healthy\": %u, \"healthy_untrue_above_suspect\": %u, \"rules\": [",
		seed, tally->nr_runs, tally->nr_events, tally->nr_healthy, tally->nr_alarmed);
	for (rule = 1; rule < CT_NR_RULES; rule++) {
		const struct tally_line *line = &tally->lines[rule];

		fprintf(out,
			"%s\n  {\"rule\": \"%s\", \"planted\": %u, \"found\": %u, "
			"\"planted_whole\": %u, "
			"\"found_whole\": %u",
			rule > 1 ? "," : "", ct_rule_name(rule), line->planted, line->found,
			line->planted_whole, line->found_whole);
		print_counts("claims", line->claims, out);
		print_counts("wrong", line->wrong, out);
		fprintf(out, "}");
	}
	fprintf(out, "\n]}\n");
}
