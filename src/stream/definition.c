/* SPDX-License-Identifier: MIT */
/* The texts and meanings of definitions, and how they are made of entries of tables. */
#include "stream/definition.h"

size_t definition_texts(
	struct ct_definition *definition, const char **ret_texts[DEFINITION_TEXTS_MAX])
{
	size_t count = 0;

	switch (definition->type) {
	case CT_DEFINE_RUN:
		ret_texts[count++] = &definition->run.host;
		ret_texts[count++] = &definition->run.command_line;
		return count;
	case CT_DEFINE_PROCESS:
		ret_texts[count++] = &definition->process.program;
		ret_texts[count++] = &definition->process.command_line;
		return count;
	case CT_DEFINE_THREAD:
		ret_texts[count++] = &definition->thread.name;
		return count;
	case CT_DEFINE_SITE:
		ret_texts[count++] = &definition->site.file;
		ret_texts[count++] = &definition->site.function;
		ret_texts[count++] = &definition->site.reason;
		ret_texts[count++] = &definition->site.module;
		ret_texts[count++] = &definition->site.callers;
		return count;
	case CT_DEFINE_MAPPING:
		ret_texts[count++] = &definition->mapping.path;
		ret_texts[count++] = &definition->mapping.build_id;
		return count;
	case CT_DEFINE_NOTE:
		ret_texts[count++] = &definition->note.text;
		return count;
	case CT_DEFINE_REASON:
		ret_texts[count++] = &definition->reason.text;
		return count;
	default:
		return count;
	}
}

bool definition_speaks_of_events(const struct ct_definition *definition)
{
	return definition->type == CT_DEFINE_HEARTBEAT || definition->type == CT_DEFINE_ENDING ||
	       definition->type == CT_DEFINE_END;
}

struct ct_definition definition_of_site(const struct ct_site *site, uint32_t segment, uint32_t id)
{
	return (struct ct_definition){.type = CT_DEFINE_SITE,
		.site = {
			.segment = segment,
			.id = id,
			.kind = site->kind,
			.form = site->form,
			.line = site->line,
			.column = site->column,
			.file = site->file,
			.function = site->function,
			.reason = site->reason,
			.module = site->module,
			.address = site->address,
			.module_offset = site->module_offset,
			.callers = site->callers,
			.stack = site->stack,
			.frame_bytes = site->frame_bytes,
		}};
}

struct ct_definition definition_of_stack(
	const struct ct_stack *stack, uint32_t segment, uint32_t id)
{
	return (struct ct_definition){.type = CT_DEFINE_STACK,
		.stack = {
			.segment = segment,
			.id = id,
			.site = stack->site,
			.caller = stack->caller,
		}};
}
