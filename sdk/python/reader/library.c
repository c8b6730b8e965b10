/* SPDX-License-Identifier: MIT */
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define X(name) {#name, offsetof(struct library, name)},
#include "functions.def"
#undef X
};

const struct library *library_load(const char *path, const char **ret_trouble)
{
	static struct library library;
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	for (i = 0; handle && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(handle, functions[i].name);

		if (!function) {
			*ret_trouble = dlerror();
			return NULL;
		}
		memcpy((char *)&library + functions[i].offset, &function, sizeof(function));
	}
	if (!handle)
		*ret_trouble = dlerror();
	return handle ? &library : NULL;
}
