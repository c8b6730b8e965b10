/* SPDX-License-Identifier: MIT */
/*
 * The memory of a program at one moment: of a process that runs, or of its core dump.
 *
 * A process is read with process_vm_readv(2) and is never stopped, so its memory changes while it is read. A core dump
 * holds one moment. Neither is trusted: each size and offset is checked, and memory that cannot be read is counted.
 */
#ifndef FRAMES_IMAGE_H
#define FRAMES_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/failure.h"
#include "base/input.h"
#include "base/vec.h"
#include "kernel/procfs.h"

struct image_region {
	uint64_t start;
	uint64_t end;
	uint64_t offset;  /* of `start` in the file */
	const char *path; /* of the mapped file; "": none */
	bool is_writable;
	bool is_code;
	bool is_sparse; /* pages that the program has not used yet have no contents, and are made by reading them */
	uint64_t core_offset; /* where a core dump has the bytes, and how many of them */
	uint64_t core_bytes;
};

#define IMAGE_REGISTERS 17u /* of x86-64, by DWARF's numbers; the rest is not followed */

/* A thread's stack at one moment. */
struct image_stack {
	uint64_t registers[IMAGE_REGISTERS];
	uint32_t known;
	uint64_t start;
	const uint8_t *bytes;
	size_t nr_bytes;
};

struct image_thread {
	uint64_t tid;
	char name[32];
	uint64_t stack_pointer; /* 0: not known, as of a thread that runs */
	uint64_t registers[IMAGE_REGISTERS];
	uint32_t known;                   /* a bit for each of them */
	char state;                       /* the letter in /proc; 0: not known */
	const struct image_stack *stacks; /* of one that runs, which are some milliseconds old */
	uint32_t nr_stacks;
	uint32_t shown; /* the one that is read as memory */
	bool has_account; /* how long it has run, and waited for a processor, as the kernel counts it */
	struct procfs_account account;
	int32_t call;  /* PROCFS_NO_CALL, PROCFS_UNKNOWN_CALL, or the number in traces */
	bool is_timed; /* the call waits, and ends by itself at some time */
};

struct image;

struct image_ops {
	/* read: copies up to nr_bytes bytes from the address on, all of one region; returns how many could be read */
	size_t (*read)(const struct image *image, const struct image_region *region,
		uint64_t address, void *bytes, size_t nr_bytes);
	/*
	 * next_used: finds the first row of used bytes in [*start, end) of a sparse region. False: there is none.
	 * NULL: no region is sparse.
	 */
	bool (*next_used)(
		const struct image *image, uint64_t *start, uint64_t end, uint64_t *ret_end);
	void (*close)(struct image *image);
};

/* First member of every image. Texts belong to the arena. */
struct image {
	const struct image_ops *ops;
	struct arena arena;
	VEC(struct image_region) regions; /* by address; none overlaps another */
	VEC(struct image_thread) threads;
	VEC(uint64_t) held; /* by the kernel: arguments of calls, and the user data of epoll */
	bool lacks_held;    /* it may hold more, as for io_uring, or of a core dump */
	uint64_t pid;
	int root; /* the root that paths of files are relative to: symbol.h */
	const char *program;
	const char *command_line;
	int signal;     /* that ended the program of a core dump; 0: none */
	bool is_moving; /* the program runs while it is read */
	bool is_cut;    /* the core dump ends before its last byte */
};

/*
 * image_open_process: opens the memory of a process. CT_ERR_NOT_FOUND: there is no such process. CT_ERR_SYSTEM: its
 * memory may not be read by us; the message says what allows it.
 */
enum ct_status image_open_process(pid_t pid, struct image **ret_image, struct ct_error *reterr);

/*
 * image_is_core: do a file's first bytes begin a core dump? image_open_core: opens a core dump, and takes over its
 * input, also if opening fails. `program`: the executable, if it is not where the core dump says; NULL: it is there.
 */
bool image_is_core(const void *first_bytes, size_t nr_bytes);
enum ct_status image_open_core(struct input *input, const char *program, struct image **ret_image,
	struct ct_error *reterr);

/* image_close: frees the image. NULL is allowed. */
void image_close(struct image *image);

/* image_region_of: returns the region that contains the address; NULL: none. */
const struct image_region *image_region_of(const struct image *image, uint64_t address);
/* image_is_code: returns whether the region that contains the address is code. */
bool image_is_code(const struct image *image, uint64_t address);

/* image_read: copies bytes from the address on, as far as one region reaches; returns how many could be read. */
size_t image_read(const struct image *image, uint64_t address, void *bytes, size_t nr_bytes);

/* image_read_word: reads eight bytes; false: they cannot be read. */
bool image_read_word(const struct image *image, uint64_t address, uint64_t *ret_word);

/* image_has_mapped: can the file of this path and build id be the one that the program had mapped? */
bool image_has_mapped(const struct image *image, const char *path, const char *build_id);

/*
 * For the two kinds of image. image_init: makes an empty image. image_add_region: adds a region behind all others;
 * false: out of memory.
 */
void image_init(struct image *image, const struct image_ops *ops);
bool image_add_region(struct image *image, const struct image_region *region);

#endif
