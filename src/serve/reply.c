/* SPDX-License-Identifier: MIT */
/*
 * The only place that adds the headers; every answer goes through it.
 */
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "serve/reply.h"

#define SENTENCE_BYTES 1024

static const struct {
	const char *name;
	const char *value;
} headers[] = {
	{"Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
				    "style-src 'self'; img-src 'self' data: blob:; "
				    "connect-src 'self'; worker-src 'self'; base-uri 'none'; "
				    "form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Cache-Control", "no-store"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
};

enum MHD_Result serve_reply_response(
	struct serve_call *call, unsigned status, const char *type, struct MHD_Response *response)
{
	enum MHD_Result result;
	size_t i;

	if (!response)
		return MHD_NO;
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		mhd.add_response_header(response, headers[i].name, headers[i].value);
	if (type)
		mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	/* The rest of a refused request is not read. */
	if (status >= MHD_HTTP_BAD_REQUEST)
		mhd.add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	call->has_answer = true;
	result = mhd.queue_response(call->connection, status, response);
	mhd.destroy_response(response);
	return result;
}

enum MHD_Result serve_reply_text(
	struct serve_call *call, unsigned status, const char *type, struct text *text)
{
	struct MHD_Response *response = NULL;

	if (text_status(text, NULL) == CT_OK)
		response = mhd.create_response_from_buffer(
			text->length, (void *)(uintptr_t)text_peek(text), MHD_RESPMEM_MUST_COPY);
	text_fini(text);
	return serve_reply_response(call, status, type, response);
}

enum MHD_Result serve_reply_json(struct serve_call *call, unsigned status, struct text *text)
{
	text_char(text, '\n');
	return serve_reply_text(call, status, "application/json", text);
}

enum MHD_Result serve_reply_lasting(
	struct serve_call *call, const char *type, const void *bytes, size_t nr_bytes)
{
	return serve_reply_response(call, MHD_HTTP_OK, type,
		mhd.create_response_from_buffer(
			nr_bytes, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT));
}

/* ---------------------------------------------------------------- errors */

static bool wants_page(const struct serve_call *call)
{
	const char *accepted = serve_call_header(call, MHD_HTTP_HEADER_ACCEPT);

	return accepted && strstr(accepted, "text/html") && strncmp(call->path, "/api/", 5) != 0;
}

static void add_escaped(struct text *text, const char *value)
{
	for (; *value; value++) {
		if (*value == '<' || *value == '>' || *value == '&' || *value == '"')
			text_format(text, "&#%d;", *value);
		else
			text_char(text, *value);
	}
}

static enum MHD_Result reply_page(struct serve_call *call, unsigned status, const char *sentence)
{
	struct text text = {0};

	text_format(&text,
		"<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>corotracer: "
		"%u</title>\n<link rel=\"stylesheet\" href=\"/page.css\">\n<main><h1>",
		status);
	add_escaped(&text, sentence);
	text_add(&text, "</h1>\n<p>The address that corotracer printed when it started leads to "
			"the page.</p></main></html>\n");
	return serve_reply_text(call, status, "text/html; charset=utf-8", &text);
}

enum MHD_Result serve_reply_error(struct serve_call *call, unsigned status, const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	struct text text = {0};
	struct json json;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	if (wants_page(call))
		return reply_page(call, status, sentence);
	json_init(&json, &text, false);
	json_open(&json, '{');
	json_key_text(&json, "error", sentence);
	json_close(&json, '}');
	return serve_reply_json(call, status, &text);
}

static unsigned status_of(enum ct_status status)
{
	switch (status) {
	case CT_ERR_USAGE:
		return MHD_HTTP_BAD_REQUEST;
	case CT_ERR_NOT_FOUND:
		return MHD_HTTP_NOT_FOUND;
	case CT_ERR_BUSY:
	case CT_AGAIN:
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	case CT_ERR_UNSUPPORTED:
		return MHD_HTTP_NOT_IMPLEMENTED;
	default:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	}
}

enum MHD_Result serve_reply_failure(struct serve_call *call, const struct ct_error *error)
{
	return serve_reply_error(call, status_of(error->status), "%s", error->text);
}
