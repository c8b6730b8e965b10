/* SPDX-License-Identifier: MIT */
/*
 * Opens libraries with dlopen. A lock makes threads that need the same library at once wait for the first of them.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/failure.h"
#include "base/loaded.h"

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* The table is written as bytes, because its members have the types of the library's functions. */
static void put(const struct loaded *library, unsigned index, void *address)
{
	memcpy((char *)library->table + index * sizeof(address), &address, sizeof(address));
}

static bool is_open(const struct loaded *library)
{
	void *last;

	memcpy(&last, (char *)library->table + (library->nr_names - 1) * sizeof(last),
		sizeof(last));
	return last != NULL;
}

static enum ct_status open_library(
	const struct loaded *library, const char *failure, struct ct_error *reterr)
{
	void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL), *address;
	unsigned i;

	if (!handle)
		return ct_fail(reterr, CT_ERR_UNSUPPORTED,
			"%s: %s (on Debian, the package %s brings it)", failure, dlerror(),
			library->package);
	for (i = 0; i < library->nr_names; i++) {
		address = dlsym(handle, library->names[i]);
		if (!address)
			return ct_fail(reterr, CT_ERR_UNSUPPORTED,
				"%s: %s is too old: it lacks %s (on Debian, the package %s brings "
				"one "
				"that has it)",
				failure, library->file, library->names[i], library->package);
		put(library, i, address);
	}
	return CT_OK;
}

enum ct_status loaded_open(
	const struct loaded *library, const char *failure, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	pthread_mutex_lock(&opening);
	if (!is_open(library))
		status = open_library(library, failure, reterr);
	pthread_mutex_unlock(&opening);
	return status;
}
