/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder on a disk without room, and on one that accepts no files: rule P-82. The disks are not mounted in
 * the file tree, so no other process sees them, and they vanish with the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "corotracer/ctp_flight.h"
#include "probe_tally.h"

#define MEBIBYTE ((size_t)1 << 20)
#define SKIPPED 77

/* A descriptor of a new disk of 4 MiB; negative where this user may not make one. */
static int make_disk(bool is_read_only)
{
	int disk, context = fsopen("tmpfs", FSOPEN_CLOEXEC);

	if (context < 0)
		return -1;
	CHECK(fsconfig(context, FSCONFIG_SET_STRING, "size", "4m", 0) == 0);
	CHECK(fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0);
	disk = fsmount(context, FSMOUNT_CLOEXEC, is_read_only ? MOUNT_ATTR_RDONLY : 0);
	close(context);
	return disk;
}

static bool write_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

	if (file >= 0)
		close(file);
	return is_written;
}

/* An ordinary user may make disks in a user namespace of its own, where files have to have an owner and a group. */
static bool enter_user_namespace(void)
{
	char user[32], group[32];

	snprintf(user, sizeof(user), "0 %u 1", getuid());
	snprintf(group, sizeof(group), "0 %u 1", getgid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
	       write_file("/proc/self/uid_map", user) &&
	       write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/gid_map", group);
}

/* Makes a disk and enters it, so that relative paths begin there. */
static void enter_disk(bool is_read_only)
{
	int disk = make_disk(is_read_only);

	if (disk < 0 && enter_user_namespace())
		disk = make_disk(is_read_only);
	if (disk < 0)
		SKIP("neither this user nor a user namespace of its own may make a file system");
	CHECK(fchdir(disk) == 0);
}

static void fill_disk(void)
{
	static const char piece[65536] = "x";
	int file = open("rest", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	while (write(file, piece, sizeof(piece)) > 0)
		;
	CHECK_EQUAL(errno, ENOSPC);
	close(file);
}

/* The probe notices a full disk when it makes the file, never by a store into the file. */
static void full_disk(void)
{
	enter_disk(false);
	CHECK(!ctp_record_flight("file", 16 * MEBIBYTE));
	CHECK_EQUAL(access("file", F_OK), -1);
	CHECK(ctp_record_flight("file", 3 * MEBIBYTE));
	fill_disk();
	emit_some();
	CHECK_EQUAL(
		reader_ring(&(struct reader){.header = ctp_process_state.header}, 0)->dropped, 0);
}

static void read_only_disk(void)
{
	enter_disk(true);
	CHECK(!ctp_record_flight("file", 0));
	emit_some();
}

int main(void)
{
	int status;

	unsetenv(CTP_ENVIRONMENT);
	unsetenv(CTP_FLIGHT_ENVIRONMENT);
	status = in_child(full_disk);
	if (status == SKIPPED)
		return SKIPPED;
	CHECK_EQUAL(status, 0);
	CHECK_EQUAL(in_child(read_only_disk), 0);
	return check_result();
}
