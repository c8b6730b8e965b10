/* SPDX-License-Identifier: MIT */
/* Stacks: mapping, guard pages, and a cache of the last ones used. */
#include "stack.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void stack_cache_init(struct stack_cache *cache, size_t bytes)
{
	size_t page = page_bytes();

	*cache = (struct stack_cache){.bytes = (bytes + page - 1) / page * page};
	pthread_mutex_init(&cache->guard, NULL);
}

static void unmap(const struct stack *stack)
{
	size_t page = page_bytes();

	munmap((char *)stack->low - page, stack->bytes + page);
}

void stack_cache_fini(struct stack_cache *cache)
{
	while (cache->nr_kept > 0)
		unmap(&cache->kept[--cache->nr_kept]);
	pthread_mutex_destroy(&cache->guard);
}

static bool map(size_t bytes, struct stack *ret_stack)
{
	size_t page = page_bytes();
	char *area = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		return false;
	if (mprotect(area, page, PROT_NONE) != 0) {
		munmap(area, bytes + page);
		return false;
	}
	*ret_stack = (struct stack){.low = area + page, .bytes = bytes};
	return true;
}

bool stack_open(struct stack_cache *cache, struct stack *ret_stack)
{
	bool is_kept;

	pthread_mutex_lock(&cache->guard);
	is_kept = cache->nr_kept > 0;
	if (is_kept)
		*ret_stack = cache->kept[--cache->nr_kept]; /* the warmest */
	pthread_mutex_unlock(&cache->guard);
	return is_kept || map(cache->bytes, ret_stack);
}

void stack_close(struct stack_cache *cache, struct stack *stack)
{
	bool is_kept;

	pthread_mutex_lock(&cache->guard);
	is_kept = cache->nr_kept < STACK_CACHE_MAX;
	if (is_kept)
		cache->kept[cache->nr_kept++] = *stack;
	pthread_mutex_unlock(&cache->guard);
	if (!is_kept)
		unmap(stack);
	*stack = (struct stack){0};
}
