/* SPDX-License-Identifier: MIT */
/*
 * SQLite in a page, compiled from its one source, which tools/fetch-sqlite fetches. Databases lie in memory alone: of
 * the operating system SQLite gets the time and random numbers, and no file.
 *
 * The code is made small, not fast: most of a statement's time is spent in the view's scans.
 */
#define SQLITE_OS_OTHER 1
#define SQLITE_THREADSAFE 0
#define SQLITE_TEMP_STORE 3
#define SQLITE_ENABLE_MATH_FUNCTIONS 1
#define SQLITE_OMIT_AUTOVACUUM 1
#define SQLITE_OMIT_DEPRECATED 1
#define SQLITE_OMIT_DESERIALIZE 1
#define SQLITE_OMIT_GET_TABLE 1
#define SQLITE_OMIT_LOAD_EXTENSION 1
#define SQLITE_OMIT_SHARED_CACHE 1
#define SQLITE_OMIT_TCL_VARIABLE 1
#define SQLITE_OMIT_TRACE 1
#define SQLITE_OMIT_UTF16 1
#define SQLITE_OMIT_WAL 1
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#include <sqlite3.c>
#pragma clang attribute pop

#include <time.h>
#include <unistd.h>

static int open_nothing(
	sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	(void)vfs, (void)name, (void)flags, (void)ret_flags;
	file->pMethods = NULL;
	return SQLITE_CANTOPEN;
}

static int remove_nothing(sqlite3_vfs *vfs, const char *name, int must_sync)
{
	(void)vfs, (void)name, (void)must_sync;
	return SQLITE_IOERR_DELETE;
}

static int find_nothing(sqlite3_vfs *vfs, const char *name, int flags, int *ret_is_there)
{
	(void)vfs, (void)name, (void)flags;
	*ret_is_there = 0;
	return SQLITE_OK;
}

static int name_whole(sqlite3_vfs *vfs, const char *name, int nr_bytes, char *ret_name)
{
	(void)vfs;
	sqlite3_snprintf(nr_bytes, ret_name, "%s", name);
	return SQLITE_OK;
}

static int give_random(sqlite3_vfs *vfs, int nr_bytes, char *ret_bytes)
{
	(void)vfs;
	return getentropy(ret_bytes, (size_t)nr_bytes) == 0 ? nr_bytes : 0;
}

static int wait_no_time(sqlite3_vfs *vfs, int microseconds)
{
	(void)vfs, (void)microseconds;
	return 0;
}

/* Milliseconds since noon in Greenwich on 24 November 4714 before our era. */
static int tell_time(sqlite3_vfs *vfs, sqlite3_int64 *ret_ms)
{
	struct timespec now;

	(void)vfs;
	clock_gettime(CLOCK_REALTIME, &now);
	*ret_ms = 210866760000000 + (sqlite3_int64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	return SQLITE_OK;
}

int sqlite3_os_init(void)
{
	static sqlite3_vfs nothing = {
		.iVersion = 2,
		.szOsFile = sizeof(sqlite3_file),
		.mxPathname = 64,
		.zName = "nothing",
		.xOpen = open_nothing,
		.xDelete = remove_nothing,
		.xAccess = find_nothing,
		.xFullPathname = name_whole,
		.xRandomness = give_random,
		.xSleep = wait_no_time,
		.xCurrentTimeInt64 = tell_time,
	};

	return sqlite3_vfs_register(&nothing, 1);
}

int sqlite3_os_end(void)
{
	return SQLITE_OK;
}
