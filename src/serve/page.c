/* SPDX-License-Identifier: MIT */
/*
 * Writes a page that is a single file. The file contains the files of the served page, the reader (wasm), the trace,
 * and the answers to the page's first requests, so that the findings show before the trace has been read. Everything
 * except the page's own files is compressed with gzip, which browsers can decompress, and encoded in base 64.
 */
#define ZLIB_CONST /* the input buffer is not written to */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "ask/ask.h"
#include "base/failure.h"
#include "base/input.h"
#include "base/io.h"
#include "base/scratch.h"
#include "base/text.h"
#include "corotracer/ct.h"
#include "serve/assets.h"
#include "serve/single.h"

#define PIECE_BYTES 49152u  /* a multiple of three */
#define PACK_LEVEL 3        /* twice the work would save three percent */
#define PACK_GZIP (15 + 16) /* zlib's values for the largest window, and for a gzip header */
#define PACK_MEMORY 8

struct page {
	struct io_output output;
	const char *name;              /* of the trace's file; may be "" */
	const atomic_bool *is_stopped; /* may be NULL */
	struct ct_error *reterr;
	enum ct_status status;
};

static void put(struct page *page, const void *bytes, size_t nr_bytes)
{
	if (page->status == CT_OK && page->is_stopped && atomic_load(page->is_stopped))
		page->status =
			ct_fail(page->reterr, CT_ERR_STOPPED, "the page was not wanted any more");
	if (page->status == CT_OK)
		page->status = io_output_write(&page->output, bytes, nr_bytes, page->reterr);
}

static void put_text(struct page *page, const char *text)
{
	put(page, text, strlen(text));
}

/* ---------------------------------------------------------------- base 64 (RFC 4648) */

static size_t encode(const uint8_t *bytes, size_t nr_bytes, char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, length = 0;

	for (i = 0; i < nr_bytes; i += 3) {
		uint32_t word = (uint32_t)bytes[i] << 16;

		word |= i + 1 < nr_bytes ? (uint32_t)bytes[i + 1] << 8 : 0;
		word |= i + 2 < nr_bytes ? bytes[i + 2] : 0;
		to[length++] = digits[word >> 18];
		to[length++] = digits[word >> 12 & 63];
		to[length++] = i + 1 < nr_bytes ? digits[word >> 6 & 63] : '=';
		to[length++] = i + 2 < nr_bytes ? digits[word & 63] : '=';
	}
	return length;
}

static void put_encoded(struct page *page, const uint8_t *bytes, size_t nr_bytes)
{
	char room[PIECE_BYTES / 3 * 4];
	size_t at, piece;

	for (at = 0; at < nr_bytes; at += piece) {
		piece = nr_bytes - at < PIECE_BYTES ? nr_bytes - at : PIECE_BYTES;
		put(page, room, encode(bytes + at, piece, room));
	}
}

/* ---------------------------------------------------------------- gzip (RFC 1952) */

struct packer {
	z_stream stream;
	uint8_t room[PIECE_BYTES];
};

static void packer_start(struct packer *packer)
{
	packer->stream.next_out = packer->room;
	packer->stream.avail_out = PIECE_BYTES;
}

/* Before the end, only whole pieces are passed on, because base 64 encodes them without padding. */
static void put_packed(
	struct page *page, struct packer *packer, const uint8_t *bytes, size_t nr_bytes, int flush)
{
	z_stream *stream = &packer->stream;
	int result;

	stream->next_in = bytes;
	stream->avail_in = (unsigned)nr_bytes;
	do {
		result = deflate(stream, flush);
		if (stream->avail_out && result != Z_STREAM_END)
			return;
		put_encoded(page, packer->room, PIECE_BYTES - stream->avail_out);
		packer_start(packer);
	} while (result != Z_STREAM_END);
}

/* ---------------------------------------------------------------- the parts */

/*
 * A block of bytes that the page's script finds by its id. In a template, because the browser gives back the text of a
 * template as soon as it is taken, and that of a script element later.
 */
static void put_reader(struct page *page, const struct serve_asset *reader)
{
	put_text(page, "<template id=\"reader\">");
	put_encoded(page, reader->bytes, reader->nr_bytes);
	put_text(page, "</template>\n");
}

static void packed_begin(struct page *page, struct packer *packer)
{
	*packer = (struct packer){0};
	if (deflateInit2(&packer->stream, PACK_LEVEL, Z_DEFLATED, PACK_GZIP, PACK_MEMORY,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		page->status = ct_fail_memory(page->reterr);
	packer_start(packer);
}

static void packed_end(struct page *page, struct packer *packer)
{
	put_packed(page, packer, NULL, 0, Z_FINISH);
	deflateEnd(&packer->stream);
}

static void put_trace(struct page *page, struct input *trace)
{
	const uint8_t *bytes = NULL;
	struct packer packer;
	uint64_t at, piece;

	put_text(page, "<template id=\"trace\">");
	packed_begin(page, &packer);
	for (at = 0; page->status == CT_OK && at < trace->nr_bytes; at += piece) {
		piece = trace->nr_bytes - at < PIECE_BYTES ? trace->nr_bytes - at : PIECE_BYTES;
		page->status = input_peek(trace, at, (size_t)piece, &bytes, page->reterr);
		if (page->status == CT_OK)
			put_packed(page, &packer, bytes, (size_t)piece, Z_NO_FLUSH);
	}
	packed_end(page, &packer);
	put_text(page, "</template>\n");
}

/* ---------------------------------------------------------------- the first requests */

static const char *const first_requests[] = {
#define F(line) line,
#include "ask/requests.def"
#undef F
};

#define FINDINGS_MAX 8u /* facts and pictures are included for this many findings, the first ones */

/* A request is written as the value of an attribute. */
static void put_attribute(struct page *page, const char *request)
{
	for (; *request; request++)
		if (*request == '&')
			put_text(page, "&amp;");
		else
			put(page, request, 1);
}

static void put_answer(struct page *page, struct ct_view *view, const char *request)
{
	struct ask_answer answer = {0};
	struct packer packer;

	page->status = ask_line(view, request, &answer, page->reterr);
	if (page->status)
		return;
	put_text(page, "<script type=\"text/plain\" data-request=\"");
	put_attribute(page, request);
	put_text(page, "\">");
	packed_begin(page, &packer);
	put_packed(page, &packer, answer.bytes, answer.nr_bytes, Z_NO_FLUSH);
	packed_end(page, &packer);
	put_text(page, "</script>\n");
	free(answer.bytes);
}

static void put_of_finding(
	struct page *page, struct ct_view *view, const struct ct_picture *picture, uint32_t number)
{
	char request[32];

	snprintf(request, sizeof(request), "facts?finding=%u", number);
	put_answer(page, view, request);
	if (page->status || !picture->nr_lanes || !picture->nr_marks)
		return;
	snprintf(request, sizeof(request), "picture?finding=%u", number);
	put_answer(page, view, request);
	if (page->status)
		return;
	snprintf(request, sizeof(request), "picture?finding=%u&narrow=1", number);
	put_answer(page, view, request);
}

static void put_findings(struct page *page, struct ct_view *view)
{
	const struct ct_report *report;
	uint32_t i;

	page->status = ct_view_report(view, &report, page->reterr);
	for (i = 1; page->status == CT_OK && i <= report->nr_findings && i <= FINDINGS_MAX; i++)
		put_of_finding(page, view, &report->findings[i - 1].picture, i);
}

/* Answers from the trace as the page contains it, so that the page's own reader would give the same answers. */
static void put_answers(struct page *page, const char *path, bool is_damaged)
{
	const struct ct_open_options opening = {.size = sizeof(opening), .was_damaged = is_damaged};
	struct ct_trace *trace;
	struct ct_view *view = NULL;
	size_t i;

	if (page->status == CT_OK)
		page->status = ct_trace_open(path, &opening, &trace, page->reterr);
	if (page->status)
		return;
	page->status = ct_view_open(trace, NULL, &view, page->reterr);
	for (i = 0; page->status == CT_OK && i < sizeof(first_requests) / sizeof(*first_requests);
		i++)
		put_answer(page, view, first_requests[i]);
	if (page->status == CT_OK)
		put_findings(page, view);
	ct_view_close(view);
	ct_trace_close(trace);
}

/* The words by which index.html loads its other files. */
static const struct {
	const char *mark;
	const char *path;
	const char *before;
	const char *behind;
} parts[] = {
	{"<link rel=\"stylesheet\" href=\"/page.css\">", "/page.css", "<style>\n", "</style>"},
	{"<script type=\"module\" src=\"/page.js\"></script>", "/page.js",
		"<script type=\"module\">\n", "</script>"},
};

static void put_index(struct page *page, const char *index)
{
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *mark = strstr(index, parts[i].mark);
		const struct serve_asset *asset = serve_asset_find(parts[i].path);

		if (!mark || !asset)
			continue;
		put(page, index, (size_t)(mark - index));
		put_text(page, parts[i].before);
		put(page, asset->bytes, asset->nr_bytes);
		put_text(page, parts[i].behind);
		index = mark + strlen(parts[i].mark);
	}
	put_text(page, index);
}

/* The name of the trace's file; "": it has no name. */
static void put_name(struct page *page, const char *name)
{
	put_text(page, "<script type=\"text/plain\" id=\"file\">");
	put_encoded(page, (const uint8_t *)name, strlen(name));
	put_text(page, "</script>\n");
}

static enum ct_status put_all(
	struct page *page, const char *trace, bool is_damaged, const char *path)
{
	const struct serve_asset *index = serve_asset_find("/");
	struct input *input;
	enum ct_status status = input_open(trace, &input, page->reterr);

	if (status)
		return status;
	status = io_output_open(&page->output, path, page->reterr);
	if (status == CT_OK) {
		put_index(page, index->bytes);
		put_name(page, page->name);
		put_answers(page, trace, is_damaged);
		put_reader(page, serve_asset_find("/reader.wasm.gz"));
		put_trace(page, input);
		status = io_output_end(&page->output, page->status, page->reterr);
	}
	input_close(input);
	return status;
}

/* The trace that the page will contain is first written to a temporary folder. */
enum ct_status serve_page_write(struct ct_trace *trace, const char *name, const char *path,
	const atomic_bool *is_stopped, struct ct_error *reterr)
{
	struct page page = {.name = name ? name : "", .is_stopped = is_stopped, .reterr = reterr};
	struct scratch scratch;
	enum ct_status status = scratch_open(&scratch, "/var/tmp", "page.ctrace", reterr);

	if (status)
		return status;
	status = ct_trace_copy(trace, CT_FORMAT_CTRACE, scratch.path, reterr);
	if (status == CT_OK)
		status = put_all(&page, scratch.path, ct_trace_tables(trace)->is_damaged, path);
	scratch_close(&scratch);
	return status;
}

enum ct_status ct_page_write(
	struct ct_trace *trace, const char *name, const char *path, struct ct_error *reterr)
{
	return serve_page_write(trace, name, path, NULL, reterr);
}
