/* SPDX-License-Identifier: MIT */
/*
 * One function for each tool (tools.def): it builds the answer of a call, or makes the call fail with a sentence.
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include <stdint.h>

#include "corotracer/ct.h"

struct json_object;
struct mcp_call;
struct mcp_trace;

#define TOOL(NAME, name, title, SHAPE, only_reads, description) \
	void mcp_tool_##name(struct mcp_call *call);
#define ARG(TOOL, NAME, name, TYPE, is_required, words, least, most, meaning)
#include "tools.def"
#undef TOOL
#undef ARG

/*
 * mcp_summary_put: adds the summary of a trace, an object of the shape SUMMARY; `next` is added to the call's answer.
 */
void mcp_summary_put(
	struct mcp_call *call, struct json_object *object, const struct mcp_trace *trace);

/* mcp_finding_new: makes a finding in brief, of the shape FINDING. */
struct json_object *mcp_finding_new(const struct ct_report *report, uint32_t index);

/* mcp_steps_put: adds a causal chain, as rows of the shape STEP. */
void mcp_steps_put(struct mcp_call *call, const char *name, const struct ct_report *report,
	const struct ct_step *steps, uint32_t nr_steps);

#endif
