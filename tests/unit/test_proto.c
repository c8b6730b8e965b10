/* SPDX-License-Identifier: MIT */
/*
 * What a hostile peer can put into a segment's header, sites and names, field by field.
 */
#include <stddef.h>

#include "check.h"
#include "made_segment.h"
#include "proto/proto.h"

#define FIELD(name) offsetof(struct ctp_header, name), sizeof(((struct ctp_header *)0)->name)

/* One lie of a header: the field, the value the field claims, and what proto says to that. */
static const struct {
	size_t offset;
	size_t bytes;
	uint64_t value;
	enum ct_status status;
} lies[] = {
	{FIELD(magic), 0, CT_ERR_FORMAT},
	{FIELD(magic), CTP_MAGIC + 1, CT_ERR_FORMAT},
	{FIELD(version), 1, CT_ERR_FORMAT},
	{FIELD(version), 3, CT_ERR_FORMAT},
	{FIELD(header_bytes), 0, CT_ERR_CORRUPT},
	{FIELD(header_bytes), CTP_PAGE_BYTES + 1, CT_ERR_CORRUPT},
	{FIELD(features_incompatible), 1, CT_ERR_UNSUPPORTED},
	{FIELD(features_incompatible), UINT64_C(1) << 63, CT_ERR_UNSUPPORTED},
	{FIELD(segment_bytes), UINT64_MAX, CT_ERR_CORRUPT},
	{FIELD(orders_offset), 0, CT_ERR_CORRUPT},
	{FIELD(orders_offset), CTP_PAGE_BYTES + 64, CT_ERR_CORRUPT},
	{FIELD(orders_offset), 2 * CTP_PAGE_BYTES, CT_ERR_CORRUPT},
	{FIELD(orders_offset), UINT64_MAX - 4095, CT_ERR_CORRUPT},
	{FIELD(ring_offset), 0, CT_ERR_CORRUPT},
	{FIELD(ring_offset), CTP_PAGE_BYTES, CT_ERR_CORRUPT},
	{FIELD(ring_offset), 2 * CTP_PAGE_BYTES + 8, CT_ERR_CORRUPT},
	{FIELD(ring_offset), UINT64_MAX - 63, CT_ERR_CORRUPT},
	{FIELD(ring_offset), UINT64_C(1) << 63, CT_ERR_CORRUPT},
	{FIELD(site_offset), 2 * CTP_PAGE_BYTES, CT_ERR_CORRUPT},
	{FIELD(site_offset), 5 * CTP_PAGE_BYTES + 4, CT_ERR_CORRUPT},
	{FIELD(site_offset), UINT64_MAX - 7, CT_ERR_CORRUPT},
	{FIELD(name_offset), 0, CT_ERR_CORRUPT},
	{FIELD(name_offset), UINT64_MAX, CT_ERR_CORRUPT},
	{FIELD(chunk_offset), 0, CT_ERR_CORRUPT},
	{FIELD(chunk_offset), UINT64_MAX - 31, CT_ERR_CORRUPT},
	{FIELD(ring_max), 0, CT_ERR_CORRUPT},
	{FIELD(ring_max), MADE_RINGS + 1, CT_ERR_CORRUPT},
	{FIELD(ring_max), CTP_RING_MAX + 1, CT_ERR_CORRUPT},
	{FIELD(ring_max), UINT32_MAX, CT_ERR_CORRUPT},
	{FIELD(site_max), 0, CT_ERR_CORRUPT},
	{FIELD(site_max), MADE_SITES + 1, CT_ERR_CORRUPT},
	{FIELD(site_max), UINT32_MAX, CT_ERR_CORRUPT},
	{FIELD(name_bytes), 0, CT_ERR_CORRUPT},
	{FIELD(name_bytes), MADE_NAME_BYTES + 1, CT_ERR_CORRUPT},
	{FIELD(name_bytes), UINT32_MAX, CT_ERR_CORRUPT},
	{FIELD(chunk_max), 0, CT_ERR_CORRUPT},
	{FIELD(chunk_max), MADE_CHUNKS + 1, CT_ERR_CORRUPT},
	{FIELD(chunk_max), UINT32_MAX, CT_ERR_CORRUPT},
	{FIELD(clock), CTP_CLOCK_NONE, CT_ERR_CORRUPT},
	{FIELD(clock), 4, CT_ERR_CORRUPT},
	{FIELD(role), 0, CT_ERR_CORRUPT},
	{FIELD(role), CTP_ROLE_ENGINE, CT_ERR_CORRUPT},
};

/* P-2 */
static void test_honest(void)
{
	struct proto_layout layout;
	struct made_segment made;

	made_open(&made);
	made.header->features_compatible = UINT64_MAX; /* unknown ones are no matter */
	CHECK_EQUAL(proto_check(made.header, made.nr_bytes, &layout, NULL), CT_OK);
	CHECK_EQUAL(layout.mapped_bytes, made.nr_bytes);
	CHECK_EQUAL(layout.chunk_max, MADE_CHUNKS);
	CHECK(proto_ring(&layout, made.base, 1) == &made.rings[1]);
	CHECK((const char *)proto_chunk(&layout, made.base, MADE_CHUNKS - 1) ==
		made.base + made.nr_bytes - CTP_CHUNK_BYTES);
	CHECK(proto_chunk(&layout, made.base, MADE_CHUNKS) == NULL);
	CHECK(proto_chunk(&layout, made.base, UINT32_MAX) == NULL);
	made_close(&made);
}

/* P-1, P-2 */
static void test_lies(void)
{
	struct proto_layout layout;
	struct made_segment made;
	struct ct_error trouble;
	size_t i;

	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		enum ct_status status;

		made_open(&made);
		memcpy(made.base + lies[i].offset, &lies[i].value, lies[i].bytes);
		memset(&layout, 0x5a, sizeof(layout));
		status = proto_check(made.header, made.nr_bytes, &layout, &trouble);
		if (status != lies[i].status)
			fprintf(stderr, "lie %zu: %s\n", i, ct_status_name(status));
		CHECK_EQUAL(status, lies[i].status);
		CHECK(trouble.text[0] != '\0');
		CHECK_EQUAL(layout.ring_max, 0x5a5a5a5a); /* nothing was told */
		made_close(&made);
	}
}

/*
 * The size that the kernel tells counts: the same header over less memory is refused, wherever the memory is cut off.
 */
static void test_too_small(void)
{
	struct proto_layout layout;
	struct made_segment made;
	size_t nr_bytes;

	made_open(&made);
	for (nr_bytes = 0; nr_bytes < made.nr_bytes; nr_bytes += 4000)
		CHECK(proto_check(made.header, nr_bytes, &layout, NULL) < 0);
	CHECK(proto_check(made.header, made.nr_bytes - 1, &layout, NULL) < 0);
	CHECK_EQUAL(proto_check(made.header, made.nr_bytes, &layout, NULL), CT_OK);
	made_close(&made);
}

static void fill_site(struct made_segment *made, uint32_t id)
{
	uint32_t offset = made_name(made, 8, "server.c");

	made->sites[id].line = 41;
	made->sites[id].column = 5;
	made->sites[id].file = 8;
	made->sites[id].function = offset;
	made->sites[id].reason = 0;
	made->sites[id].address = 0x1234;
	made_name(made, offset, "serve");
}

/* P-40 */
static void test_site(void)
{
	struct proto_layout layout;
	struct proto_site site;
	struct made_segment made;

	made_open(&made);
	proto_check(made.header, made.nr_bytes, &layout, NULL);
	fill_site(&made, 3);
	CHECK(!proto_read_site(&layout, made.base, 3, &site));
	ctp_store_release(&made.sites[3].ready, CTP_SITE_SOURCE);
	CHECK(proto_read_site(&layout, made.base, 3, &site));
	CHECK_EQUAL(site.kind, CTP_SITE_SOURCE);
	CHECK_EQUAL(site.form, 0);
	CHECK_EQUAL(site.line, 41);
	CHECK_EQUAL(site.column, 5);
	CHECK_EQUAL(site.address, 0x1234);
	CHECK_TEXT(site.file, "server.c");
	CHECK_TEXT(site.function, "serve");
	CHECK_TEXT(site.reason, "");
	CHECK(!site.is_damaged);
	CHECK_EQUAL(site.caller, 0); /* P-45: no such site before it */
	made.sites[3].address = 2;
	CHECK(proto_read_site(&layout, made.base, 3, &site) && site.caller == 2);
	made.sites[3].address = 3;
	CHECK(proto_read_site(&layout, made.base, 3, &site) && site.caller == 0);
	made.sites[3].address = UINT64_C(1) << 32 | 2;
	CHECK(proto_read_site(&layout, made.base, 3, &site) && site.caller == 2 &&
		site.inside == 1);
	made.sites[3].address = UINT64_C(3) << 32;
	CHECK(proto_read_site(&layout, made.base, 3, &site) && site.inside == 0);
	made.sites[3].ready = 200; /* a kind of a later version is kept */
	CHECK(proto_read_site(&layout, made.base, 3, &site));
	CHECK_EQUAL(site.kind, 200);
	/* P-44 */
	made.sites[3].ready = CTP_SITE_READY(CTP_SITE_NAME, CTP_FORM_CO_AWAIT) | 1u << 31;
	CHECK(proto_read_site(&layout, made.base, 3, &site));
	CHECK(site.kind == CTP_SITE_NAME && site.form == CTP_FORM_CO_AWAIT);
	CHECK(!proto_read_site(&layout, made.base, MADE_SITES, &site));
	CHECK(!proto_read_site(&layout, made.base, UINT32_MAX, &site));
	made_close(&made);
}

/* Reads a site whose file's name lies at `offset`; a length was put there before. */
static bool read_name_at(struct made_segment *made, uint32_t offset, struct proto_site *ret_site)
{
	struct proto_layout layout;

	proto_check(made->header, made->nr_bytes, &layout, NULL);
	made->sites[1].ready = CTP_SITE_SOURCE;
	made->sites[1].file = offset;
	CHECK(proto_read_site(&layout, made->base, 1, ret_site));
	return !ret_site->is_damaged;
}

static void put_length(struct made_segment *made, uint32_t offset, uint32_t length)
{
	memcpy(made->names + offset, &length, sizeof(length));
}

static void test_names(void)
{
	struct proto_site site;
	struct made_segment made;

	made_open(&made);
	memset(made.names, 'x', MADE_NAME_BYTES);
	CHECK(!read_name_at(&made, UINT32_MAX, &site));
	CHECK_TEXT(site.file, "");
	CHECK(!read_name_at(&made, MADE_NAME_BYTES, &site));
	CHECK(!read_name_at(&made, MADE_NAME_BYTES - 3, &site));
	put_length(&made, MADE_NAME_BYTES - 4, 0);
	CHECK(read_name_at(&made, MADE_NAME_BYTES - 4, &site));
	CHECK_TEXT(site.file, "");
	put_length(&made, MADE_NAME_BYTES - 4, 1);
	CHECK(!read_name_at(&made, MADE_NAME_BYTES - 4, &site));
	memset(made.names, 'x', MADE_NAME_BYTES);
	put_length(&made, MADE_NAME_BYTES - 7, 3); /* at an odd place, up to the last byte */
	CHECK(read_name_at(&made, MADE_NAME_BYTES - 7, &site));
	CHECK_EQUAL(strlen(site.file), 3);
	put_length(&made, 8, UINT32_MAX);
	CHECK(!read_name_at(&made, 8, &site));
	put_length(&made, 8, MADE_NAME_BYTES - 12);
	CHECK(read_name_at(&made, 8, &site)); /* cut, not refused */
	CHECK_EQUAL(strlen(site.file), PROTO_NAME_MAX);
	made_close(&made);
}

static void expect_fact(const struct made_segment *made, const char *fact, const char *expected)
{
	struct proto_layout layout;
	char text[16];

	CHECK_EQUAL(proto_check(made->header, made->nr_bytes, &layout, NULL), CT_OK);
	proto_fact(&layout, made->base, fact, text, sizeof(text));
	CHECK_TEXT(text, expected);
}

/* P-85: a fact begins with a whole word at the beginning of a line, and ends with the text, the area or the buffer. */
static void test_facts(void)
{
	static const char about[] =
		"program /bin/true\nprogramme no\ncommand \nparent 12\nx program z\ny";
	struct made_segment made;

	made_open(&made);
	made.header->about_offset = made.header->chunk_offset;
	made.header->about_bytes = sizeof(about) - 1;
	memcpy(made.base + made.header->about_offset, about, sizeof(about) - 1);
	expect_fact(&made, "program", ""); /* it does not say that there is anything */
	made.header->features_compatible = CTP_FEATURE_ABOUT;
	expect_fact(&made, "program", "/bin/true");
	expect_fact(&made, "command", "");
	expect_fact(&made, "parent", "12");
	expect_fact(&made, "x", "program z");
	expect_fact(&made, "y", "");
	expect_fact(&made, "host", "");
	made.header->about_bytes = 12;
	expect_fact(&made, "program", "/bin");
	made.header->about_bytes = UINT64_MAX;
	expect_fact(&made, "program", "");
	made.header->about_offset = made.nr_bytes - 9;
	made.header->about_bytes = 9;
	memset(made.base + made.nr_bytes - 9, 'x', 9);
	expect_fact(&made, "xxxxxxxxx", "");
	made_close(&made);
}

int main(void)
{
	test_honest();
	test_lies();
	test_too_small();
	test_site();
	test_names();
	test_facts();
	return check_result();
}
