/* SPDX-License-Identifier: MIT */
/*
 * Interned sites and coroutine ids: eight threads at once, and each number means what it was given for; full tables
 * refuse and count; texts are cut, never read beyond their end. Protocol rules P-40 to P-42.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#define NR_THREADS 8
#define NR_PLACES 3000

static void attach(struct reader *reader)
{
	CHECK(ctp_attach());
	CHECK(reader_take(reader));
}

static void site_at_place(void)
{
	struct reader reader;
	const struct ctp_site *site;
	uint32_t id = 0, again;
	unsigned line = 0, i;

	attach(&reader);
	errno = 7;
	for (i = 0; i < 3; i++) {
		line = __LINE__ + 1;
		again = CTP_SITE("the read");
		CHECK(i == 0 || again == id);
		id = again;
	}
	CHECK_EQUAL(errno, 7);
	site = reader_site(&reader, id);
	CHECK(site != NULL);
	CHECK_EQUAL(site->ready, CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C)); /* P-44 */
	CHECK_EQUAL(site->line, line);
	CHECK_TEXT(reader_text(&reader, site->file), __FILE__);
	CHECK_TEXT(reader_text(&reader, site->function), __func__);
	CHECK_TEXT(reader_text(&reader, site->reason), "the read");
	id = CTP_SITE(NULL);
	CHECK_EQUAL(reader_site(&reader, id)->reason, 0);
	/* Two sites that have the same text near each other share it. */
	CHECK_EQUAL(reader_site(&reader, id)->file, site->file);
	CHECK_EQUAL(reader.header->sites_used, 3);
}

static void site_of_address(void)
{
	struct reader reader;
	uint32_t address, function;

	attach(&reader);
	address = ctp_site_address((void *)&site_of_address, CTP_SITE_ADDRESS);
	function = ctp_site_address((void *)&site_of_address, CTP_SITE_FUNCTION);
	CHECK(address != function);
	CHECK_EQUAL(reader_site(&reader, address)->address, (uintptr_t)&site_of_address);
	CHECK_EQUAL(reader_site(&reader, address)->ready, CTP_SITE_ADDRESS);
	CHECK_EQUAL(reader_site(&reader, function)->ready, CTP_SITE_FUNCTION);
	CHECK_EQUAL(ctp_site_address((void *)&site_of_address, CTP_SITE_ADDRESS), address);
	CHECK_EQUAL(ctp_site_address((void *)&site_of_address, CTP_SITE_FUNCTION), function);
}

/* As docs/integrating-a-scheduler.md has it. */
static uint32_t script_site(const char *file, uint32_t line)
{
	const struct ctp_site_source source = {
		.kind = CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C), .line = line, .file = file};
	uint64_t position = (uint64_t)line << 32;
	uint32_t site = ctp_site_lookup(file, position, NULL);

	return site ? site : ctp_site_remember(file, position, NULL, &source);
}

static void site_of_script(void)
{
	static const char file[] = "books.lua";
	struct reader reader;
	uint32_t site, other;

	attach(&reader);
	site = script_site(file, 14);
	other = script_site(file, 15);
	CHECK(site != other);
	CHECK_EQUAL(script_site(file, 14), site);
	CHECK_EQUAL(script_site(file, 15), other);
	CHECK_EQUAL(reader.header->sites_used, 3);
	CHECK_EQUAL(reader_site(&reader, other)->line, 15);
	CHECK_EQUAL(
		reader_site(&reader, other)->ready, CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C));
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, other)->file), file);
}

static uint32_t remember_reason(const char *reason, uint32_t bytes)
{
	struct ctp_site_source source = {CTP_SITE_NAME, 0, 0, bytes, NULL, NULL, reason, 0};

	return ctp_site_remember(NULL, 0, NULL, &source);
}

/* A text without a NUL that ends where the readable memory ends. */
static void texts(void)
{
	size_t page = (size_t)getpagesize();
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *text = pages + page - 3;
	char *many = malloc(4000);
	struct reader reader;
	uint32_t id;

	CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
	memcpy(text, "abc", 3);
	attach(&reader);
	id = remember_reason(text, 3);
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, id)->reason), "abc");
	memset(many, 'm', 3999);
	many[3999] = '\0';
	id = remember_reason(many, 0);
	CHECK_EQUAL(strlen(reader_text(&reader, reader_site(&reader, id)->reason)), 1024);
	id = remember_reason(many, 3000);
	CHECK_EQUAL(strlen(reader_text(&reader, reader_site(&reader, id)->reason)), 1024);
	id = remember_reason("", 0);
	CHECK(id != 0);
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, id)->reason), "");
	CHECK_EQUAL(reader.header->sites_refused, 0);
	free(many);
}

static void too_many_sites(void)
{
	struct reader reader;
	uint32_t id;

	attach(&reader);
	ctp_store_relaxed(&reader.header->sites_used, CTP_SITE_MAX - 1);
	id = remember_reason("last", 0);
	CHECK_EQUAL(id, CTP_SITE_MAX - 1);
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, id)->reason), "last");
	errno = 7;
	CHECK_EQUAL(remember_reason("one too many", 0), 0);
	CHECK_EQUAL(remember_reason("two too many", 0), 0);
	CHECK_EQUAL(errno, 7);
	CHECK_EQUAL(reader.header->sites_refused, 2);
	CHECK_EQUAL(reader.header->sites_used, CTP_SITE_MAX);
}

static void too_many_names(void)
{
	struct reader reader;
	char *text = malloc(1001);
	unsigned i, refused = 0;

	attach(&reader);
	memset(text, 'x', 1000);
	text[1000] = '\0';
	for (i = 0; i < 9000; i++) {
		snprintf(text, 11, "%010u", i);
		text[10] = 'x';
		refused += remember_reason(text, 0) == 0;
	}
	CHECK(refused > 600 && refused < 700);
	CHECK_EQUAL(reader.header->sites_refused, refused);
	CHECK(reader.header->names_used <= reader.header->name_bytes);
	CHECK_EQUAL(reader.header->sites_used + refused, 9001);
	free(text);
}

/* There are more places than slots: each place still gets a number that means it. */
static void too_many_slots(void)
{
	uint32_t i, wrong = 0, count = 2 * CTP_SITE_SLOTS;
	struct reader reader;

	attach(&reader);
	for (i = 1; i <= count; i++) {
		uint32_t id = ctp_site_address((void *)(uintptr_t)(i * 64), CTP_SITE_ADDRESS);

		wrong += id == 0 || reader_site(&reader, id)->address != i * 64;
	}
	CHECK_EQUAL(wrong, 0);
	CHECK_EQUAL(reader.header->sites_refused, 0);
}

/*
 * A place that the table cannot remember costs a new number at each event: half of the table of sites is kept from such
 * places.
 */
static void too_many_unremembered(void)
{
	uint32_t i, refused = 0;
	struct reader reader;

	attach(&reader);
	for (i = 1; i <= 100000; i++)
		refused += ctp_site_address((void *)(uintptr_t)(i * 64), CTP_SITE_ADDRESS) == 0;
	CHECK(refused > 100000 - CTP_SITE_MAX / 2 - CTP_SITE_SLOTS);
	CHECK_EQUAL(reader.header->sites_refused, refused);
	CHECK_EQUAL(reader.header->sites_used + refused, 100001);
	CHECK(CTP_SITE("a place of its own") != 0);
}

struct interner {
	struct reader *reader;
	uint64_t wrong;
	uint64_t *ids;
	uint32_t nr_ids;
};

static char place_files[NR_PLACES][24];

static bool is_right(const struct reader *reader, uint32_t id, unsigned place)
{
	const struct ctp_site *site = reader_site(reader, id);

	return site && site->line == place && site->address == place * 3 &&
	       strcmp(reader_text(reader, site->file), place_files[place]) == 0;
}

static uint32_t intern_place(unsigned place)
{
	uint64_t position = ((uint64_t)place << 32) | 1;
	struct ctp_site_source source = {
		CTP_SITE_SOURCE, place, 1, 0, place_files[place], "f", NULL, (uint64_t)place * 3};
	uint32_t id = ctp_site_lookup(place_files[place], position, NULL);

	return id ? id : ctp_site_remember(place_files[place], position, NULL, &source);
}

static void *intern(void *context)
{
	struct interner *interner = context;
	unsigned round, place;

	for (round = 0; round < 20; round++)
		for (place = 0; place < NR_PLACES; place++)
			interner->wrong += !is_right(interner->reader, intern_place(place), place);
	return NULL;
}

static void interned_at_once(void)
{
	struct interner interners[NR_THREADS];
	pthread_t threads[NR_THREADS];
	struct reader reader;
	uint64_t wrong = 0;
	unsigned i;

	for (i = 0; i < NR_PLACES; i++)
		snprintf(place_files[i], sizeof(place_files[i]), "file-%u.c", i);
	attach(&reader);
	for (i = 0; i < NR_THREADS; i++) {
		interners[i] = (struct interner){&reader, 0, NULL, 0};
		CHECK(pthread_create(&threads[i], NULL, intern, &interners[i]) == 0);
	}
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		wrong += interners[i].wrong;
	}
	CHECK_EQUAL(wrong, 0);
	CHECK_EQUAL(reader.header->sites_refused, 0);
	/* Several threads at once may have met the same place for the first time, but none met it over and over. */
	CHECK(reader.header->sites_used > NR_PLACES);
	CHECK(reader.header->sites_used <= 1 + NR_THREADS * NR_PLACES);
}

static void *take_ids(void *context)
{
	struct interner *interner = context;
	uint32_t i;

	for (i = 0; i < interner->nr_ids; i++)
		interner->ids[i] = ctp_coro_new();
	return NULL;
}

static int compare_ids(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static void ids_at_once(void)
{
	uint32_t per_thread = 20000, i, doubles = 0;
	uint64_t *ids = calloc((size_t)NR_THREADS * per_thread, sizeof(*ids));
	struct interner interners[NR_THREADS];
	pthread_t threads[NR_THREADS];
	struct reader reader;

	attach(&reader);
	for (i = 0; i < NR_THREADS; i++) {
		interners[i] = (struct interner){&reader, 0, ids + i * per_thread, per_thread};
		CHECK(pthread_create(&threads[i], NULL, take_ids, &interners[i]) == 0);
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	qsort(ids, (size_t)NR_THREADS * per_thread, sizeof(*ids), compare_ids);
	CHECK(ids[0] != 0);
	for (i = 1; i < NR_THREADS * per_thread; i++)
		doubles += ids[i] == ids[i - 1];
	CHECK_EQUAL(doubles, 0);
	CHECK(ids[NR_THREADS * per_thread - 1] < reader.header->ids_used);
	free(ids);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(site_at_place), 0);
	CHECK_EQUAL(in_child(site_of_address), 0);
	CHECK_EQUAL(in_child(site_of_script), 0);
	CHECK_EQUAL(in_child(texts), 0);
	CHECK_EQUAL(in_child(too_many_sites), 0);
	CHECK_EQUAL(in_child(too_many_names), 0);
	CHECK_EQUAL(in_child(too_many_slots), 0);
	CHECK_EQUAL(in_child(too_many_unremembered), 0);
	CHECK_EQUAL(in_child(interned_at_once), 0);
	CHECK_EQUAL(in_child(ids_at_once), 0);
	return check_result();
}
