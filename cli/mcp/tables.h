/* SPDX-License-Identifier: MIT */
/*
 * The tables of tools (tools.def) and of the shapes of their answers (shapes.def), and the schemas made from them.
 */
#ifndef MCP_TABLES_H
#define MCP_TABLES_H

#include <stdbool.h>
#include <stdint.h>

struct json_object;
struct mcp_call;

enum mcp_tool {
#define TOOL(NAME, name, title, SHAPE, only_reads, description) MCP_TOOL_##NAME,
#define ARG(TOOL, NAME, name, TYPE, is_required, words, least, most, meaning)
#include "tools.def"
#undef TOOL
#undef ARG
	MCP_NR_TOOLS,
};

enum mcp_argument {
#define TOOL(NAME, name, title, SHAPE, only_reads, description)
#define ARG(TOOL, NAME, name, TYPE, is_required, words, least, most, meaning) \
	MCP_ARGUMENT_##TOOL##_##NAME,
#include "tools.def"
#undef TOOL
#undef ARG
	MCP_NR_ARGUMENTS,
};

enum mcp_argument_type {
	MCP_ARGUMENT_TEXT,
	MCP_ARGUMENT_NUMBER,
	MCP_ARGUMENT_TEXTS,
};

struct mcp_argument_about {
	enum mcp_tool tool;
	const char *name;
	enum mcp_argument_type type;
	bool is_required;
	const char *words; /* "a|b|c"; "": any text */
	int64_t least;     /* of a number, or of the number of texts */
	int64_t most;
	const char *meaning;
};

enum mcp_shape {
	MCP_SHAPE_NONE,
	MCP_SHAPE_SUMMARY,
	MCP_SHAPE_RECORDED,
	MCP_SHAPE_STATES,
	MCP_SHAPE_WAITING,
	MCP_SHAPE_FINDINGS,
	MCP_SHAPE_FINDING,
	MCP_SHAPE_STEP,
	MCP_SHAPE_MEMBER,
	MCP_SHAPE_WHY,
	MCP_SHAPE_AWAIT,
	MCP_SHAPE_STATS,
	MCP_SHAPE_TIMES,
	MCP_SHAPE_COROUTINES,
	MCP_SHAPE_COROUTINE,
	MCP_SHAPE_EVENTS,
	MCP_SHAPE_EVENT,
	MCP_SHAPE_SQL,
	MCP_SHAPE_TABLE,
	MCP_SHAPE_CLOSED,
};

enum mcp_field_type {
	MCP_FIELD_WORD,
	MCP_FIELD_DATA,
	MCP_FIELD_COUNT,
	MCP_FIELD_YES,
	MCP_FIELD_WORDS,
	MCP_FIELD_TEXTS,
	MCP_FIELD_CELLS,
	MCP_FIELD_ROW,
	MCP_FIELD_ROWS,
};

struct mcp_field_about {
	enum mcp_shape shape;
	const char *name;
	enum mcp_field_type type;
	enum mcp_shape of;
	const char *meaning;
};

struct mcp_tool_about {
	const char *name;
	const char *title;
	enum mcp_shape shape;
	bool only_reads;
	const char *description;
	void (*run)(struct mcp_call *call);
};

extern const struct mcp_tool_about mcp_tools[MCP_NR_TOOLS];
extern const struct mcp_argument_about mcp_arguments[MCP_NR_ARGUMENTS];

/* mcp_tool_find: finds a tool by name; MCP_NR_TOOLS: there is none. */
enum mcp_tool mcp_tool_find(const char *name);

/* mcp_field_find: finds a field of a shape by name; NULL: there is none. */
const struct mcp_field_about *mcp_field_find(enum mcp_shape shape, const char *name);

/* mcp_tables_describe: an array of all tools in the form of tools/list; the caller's. NULL: out of memory. */
struct json_object *mcp_tables_describe(void);

#endif
