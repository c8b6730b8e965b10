/* SPDX-License-Identifier: MIT */
/*
 * How programs attach their probes, in words made of attaching.def. Only a program's name is used; the program is not
 * looked at.
 */
#include <stdbool.h>
#include <string.h>

#include "corotracer/event.h"
#include "event/attaching.h"

#define SEPARATOR ", "
#define JOINED(calls) ((calls) + sizeof(SEPARATOR) - 1)

/* Lists, each of which begins with a separator, and questions. */
#define LAUNCHER(name)
#define COMPILED(language, call) SEPARATOR call " in " language
#define INTERPRETED(language, name, call, way)
static const char compiled_calls[] =
#include "corotracer/def/attaching.def"
	;
static const char compiled_question[] = "does main begin with the probe's call"
#include "corotracer/def/attaching.def"
					"?";
#undef INTERPRETED
#define INTERPRETED(language, name, call, way) SEPARATOR call " in " language
static const char all_calls[] =
#include "corotracer/def/attaching.def"
	;
static const char all_question[] =
	"does the program call what attaches the probe ('corotracer help run' names the calls)?";
#undef INTERPRETED
#undef COMPILED
#undef LAUNCHER

static const struct ct_attaching compiled = {"", JOINED(compiled_calls), compiled_question, false};
static const struct ct_attaching all = {"", JOINED(all_calls), all_question, false};

const struct ct_attaching attaching_go = {"Go", "",
	"the program is written in Go, whose runtime writes a trace of its own: by runtime/trace, "
	"by 'go test -trace', or by 'corotracer attach http://HOST:PORT' where it has "
	"net/http/pprof",
	false};

struct named {
	const char *name;
	struct ct_attaching attaching;
};

static const struct named table[] = {
#define COMPILED(language, call)
#define INTERPRETED(language, name, call, way) \
	{name, {language, call, "does the program call " call way "?", false}},
#define LAUNCHER(name) {name, {"", JOINED(all_calls), all_question, true}},
#include "corotracer/def/attaching.def"
#undef LAUNCHER
#undef INTERPRETED
#undef COMPILED
};

static bool is_called(const char *program, const char *name)
{
	static const char version[] = ".0123456789";
	const char *slash = strrchr(program, '/'), *last = slash ? slash + 1 : program;
	size_t length = strlen(name);

	return strncmp(last, name, length) == 0 &&
	       strspn(last + length, version) == strlen(last + length);
}

const struct ct_attaching *ct_attaching(const char *program)
{
	size_t i;

	if (!program)
		return &all;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (is_called(program, table[i].name))
			return &table[i].attaching;
	return &compiled;
}

uint32_t attaching_find_process(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 1; i < tables->nr_processes; i++)
		if (!ct_attaching(tables->processes[i].program)->is_launcher)
			return i;
	return 0;
}
