/* SPDX-License-Identifier: MIT */
/*
 * Events as a trace in the Common Trace Format 1.8 (https://diamon.org/ctf/v1.8.3): a folder with a file that describes
 * the events, and a file with the events in packets.
 *
 * The folder is made under a temporary name and renamed when it is complete. Each event has the same fields; all begin
 * at whole bytes, in little-endian order.
 */
#include <inttypes.h>
#include <string.h>

#include "base/folder.h"
#include "export/export.h"
#include "export/rows.h"

#define PACKET_BYTES (256u << 10)
#define MAGIC 0xc1fc1fc1u
#define HEADER_BYTES (4 + 16 + 4 + 5 * 8) /* of a packet, including its context */

struct ctf {
	struct export_rows rows;
	const struct ct_tables *tables;
	struct io_output output;
	struct text packet; /* the events of the packet */
	struct text header; /* the header, and then the whole packet */
	struct text clean;
	uint64_t first; /* the time of the packet's first event */
	uint64_t last;
	bool is_empty;  /* the packet has no event */
	bool has_begun; /* the file has a packet */
};

/* ---------------------------------------------------------------- the description of events */

static const char description[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n";

static const char stream[] = "stream {\n"
			     "\tid = 0;\n"
			     "\tpacket.context := struct {\n"
			     "\t\ttime_t timestamp_begin;\n"
			     "\t\ttime_t timestamp_end;\n"
			     "\t\tuint64_t content_size;\n"
			     "\t\tuint64_t packet_size;\n"
			     "\t\tuint64_t events_discarded;\n"
			     "\t};\n"
			     "\tevent.header := struct { uint8_t id; time_t timestamp; };\n"
			     "\tevent.context := struct { uint32_t process; uint32_t pid; uint32_t "
			     "thread; uint32_t tid; "
			     "string thread_name; };\n"
			     "};\n";

/* Readers remove the leading underscore: without it, `event` is a keyword of the language. */
static const char fields[] = "\tfields := struct {\n"
			     "\t\tuint64_t _event;\n"
			     "\t\tuint64_t coroutine;\n"
			     "\t\tstring object;\n"
			     "\t\tstring argument;\n"
			     "\t\tint64_t value;\n"
			     "\t\tuint16_t flags;\n"
			     "\t\tuint32_t site;\n"
			     "\t\tstring function;\n"
			     "\t\tstring file;\n"
			     "\t\tuint32_t line;\n"
			     "\t\tstring reason;\n"
			     "\t};\n";

/* A quoted text; characters other than printable ASCII are left out. */
static void add_quoted(struct text *text, const char *value)
{
	text_char(text, '"');
	for (; *value; value++)
		if (*value >= ' ' && *value < 0x7f && *value != '"' && *value != '\\')
			text_char(text, *value);
	text_char(text, '"');
}

static void add_uuid(struct text *text, const uint8_t *id)
{
	size_t i;

	for (i = 0; i < 16; i++)
		text_format(
			text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
}

static void add_clock(struct text *text, const struct ct_tables *tables)
{
	int64_t offset = 0;

	if (__builtin_sub_overflow(
		    tables->epoch_realtime_ns, tables->epoch_monotonic_ns, &offset) ||
		offset < 0)
		offset = 0;
	text_format(text,
		"clock {\n\tname = monotonic;\n\tdescription = \"CLOCK_MONOTONIC\";\n\tfreq = "
		"1000000000;\n\toffset = %" PRId64 ";\n};\n"
		"typealias integer { size = 64; align = 8; signed = false; map = "
		"clock.monotonic.value; } := "
		"time_t;\n",
		offset);
}

static void add_kind(struct text *text, unsigned kind)
{
	const char *name = ct_kind_name(kind);

	text_format(text, "event {\n\tid = %u;\n\tstream_id = 0;\n\tname = ", kind);
	if (strcmp(name, "unknown") == 0)
		text_format(text, "\"kind-%u\"", kind);
	else
		add_quoted(text, name);
	text_format(text, ";\n%s};\n", fields);
}

static void add_description(struct text *text, const struct ct_tables *tables)
{
	unsigned kind;

	text_add(text, description);
	text_add(text, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	add_uuid(text, tables->run_id);
	text_add(text,
		"\";\n\tbyte_order = le;\n\tpacket.header := struct { uint32_t magic; uint8_t "
		"uuid[16]; uint32_t stream_id; };\n};\nenv {\n\thostname = ");
	add_quoted(text, tables->host);
	text_add(text, ";\n\ttracer_name = \"corotracer\";\n};\n");
	add_clock(text, tables);
	text_add(text, stream);
	for (kind = 0; kind <= UINT8_MAX; kind++)
		add_kind(text, kind);
}

/* ---------------------------------------------------------------- events */

static void put_number(struct ctf *ctf, enum export_column column, unsigned nr_bytes)
{
	text_little_endian(&ctf->packet, (uint64_t)ctf->rows.cells[column].number, nr_bytes);
}

/* Including the zero byte at the end. */
static void put_text(struct ctf *ctf, enum export_column column)
{
	const struct export_cell *cell = &ctf->rows.cells[column];

	text_clear(&ctf->clean);
	text_utf8(&ctf->clean, cell->is_set ? cell->text : "");
	text_append(&ctf->packet, text_peek(&ctf->clean), ctf->clean.length + 1);
	ctf->packet.is_broken |= ctf->clean.is_broken;
}

/* Times of a stream must not decrease, and must not be before the machine's start. */
static uint64_t time_of(const struct ctf *ctf)
{
	const struct export_cell *cell = &ctf->rows.cells[EXPORT_TS];
	uint64_t time = cell->is_set && cell->number > 0 ? (uint64_t)cell->number : 0;

	return time > ctf->last ? time : ctf->last;
}

static void put_event(struct ctf *ctf)
{
	ctf->last = time_of(ctf);
	if (ctf->is_empty)
		ctf->first = ctf->last;
	ctf->is_empty = false;
	text_little_endian(&ctf->packet, ctf->rows.event->kind, 1);
	text_little_endian(&ctf->packet, ctf->last, 8);
	put_number(ctf, EXPORT_PROCESS, 4);
	put_number(ctf, EXPORT_PID, 4);
	put_number(ctf, EXPORT_THREAD, 4);
	put_number(ctf, EXPORT_TID, 4);
	put_text(ctf, EXPORT_THREAD_NAME);
	put_number(ctf, EXPORT_EVENT, 8);
	put_number(ctf, EXPORT_COROUTINE, 8);
	put_text(ctf, EXPORT_OBJECT);
	put_text(ctf, EXPORT_ARGUMENT);
	put_number(ctf, EXPORT_VALUE, 8);
	put_number(ctf, EXPORT_FLAGS, 2);
	put_number(ctf, EXPORT_SITE, 4);
	put_text(ctf, EXPORT_FUNCTION);
	put_text(ctf, EXPORT_FILE);
	put_number(ctf, EXPORT_LINE, 4);
	put_text(ctf, EXPORT_REASON);
}

/* The number of events missing up to here: readers compute it from the differences between packets. */
static uint64_t discarded(const struct ctf *ctf, bool is_last)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < ctf->tables->nr_losses; i++) {
		const struct ct_loss *loss = &ctf->tables->losses[i];
		int64_t end;

		if (ct_loss_was_asked(loss->reason))
			continue;
		if (is_last || loss->last == CT_NO_TIME ||
			__builtin_add_overflow(loss->last, ctf->tables->epoch_monotonic_ns, &end) ||
			end <= (int64_t)ctf->last)
			sum += loss->count;
	}
	return sum;
}

static void put_header(struct ctf *ctf, uint64_t from, size_t nr_bytes, uint64_t nr_discarded)
{
	uint64_t bits = 8 * (uint64_t)(HEADER_BYTES + nr_bytes);

	text_little_endian(&ctf->header, MAGIC, 4);
	text_append(&ctf->header, (const char *)ctf->tables->run_id, sizeof(ctf->tables->run_id));
	text_little_endian(&ctf->header, 0, 4);
	text_little_endian(&ctf->header, from, 8);
	text_little_endian(&ctf->header, nr_bytes ? ctf->last : from, 8);
	text_little_endian(&ctf->header, bits, 8);
	text_little_endian(&ctf->header, bits, 8);
	text_little_endian(&ctf->header, nr_discarded, 8);
}

/*
 * Readers compare a packet's count of missing events with that of the previous packet, so the first packet has a count
 * of 0 and no events.
 */
static enum ct_status write_packet(struct ctf *ctf, bool is_last, struct ct_error *reterr)
{
	uint64_t from = ctf->is_empty ? ctf->last : ctf->first;
	enum ct_status status;

	if (!ctf->has_begun)
		put_header(ctf, from, 0, 0);
	ctf->has_begun = true;
	put_header(ctf, from, ctf->packet.length, discarded(ctf, is_last));
	text_append(&ctf->header, text_peek(&ctf->packet), ctf->packet.length);
	ctf->header.is_broken |= ctf->packet.is_broken;
	status = text_status(&ctf->header, reterr);
	if (status == CT_OK)
		status = io_output_write(
			&ctf->output, text_peek(&ctf->header), ctf->header.length, reterr);
	text_clear(&ctf->header);
	text_clear(&ctf->packet);
	ctf->is_empty = true;
	return status;
}

/* A switch has two rows, but is one event. */
static enum ct_status write_events(struct ctf *ctf, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	while (status == CT_OK) {
		bool is_second_half = ctf->rows.has_second_half;

		status = export_rows_next(&ctf->rows, reterr);
		if (status)
			break;
		if (!is_second_half)
			put_event(ctf);
		if (ctf->packet.length >= PACKET_BYTES)
			status = write_packet(ctf, false, reterr);
	}
	/* An empty packet states how many events are missing behind the last one. */
	return status == CT_END ? write_packet(ctf, true, reterr) : status;
}

/* ---------------------------------------------------------------- the folder */

static enum ct_status write_stream(
	struct ctf *ctf, const struct folder *folder, struct ct_error *reterr)
{
	enum ct_status status = folder_output(folder, "events", &ctf->output, reterr);

	if (status)
		return status;
	status = write_events(ctf, reterr);
	return io_output_end(&ctf->output, status, reterr);
}

static enum ct_status write_description(
	struct ctf *ctf, const struct folder *folder, struct ct_error *reterr)
{
	struct text text = {0};
	struct io_output output;
	enum ct_status status = folder_output(folder, "metadata", &output, reterr);

	if (status)
		return status;
	add_description(&text, ctf->tables);
	status = text_status(&text, reterr);
	if (status == CT_OK)
		status = io_output_write(&output, text_peek(&text), text.length, reterr);
	text_fini(&text);
	return io_output_end(&output, status, reterr);
}

enum ct_status export_ctf(const struct export_job *job, struct ct_error *reterr)
{
	static const char *const names[] = {"events", "metadata"};
	struct ct_source *source = job->view->source;
	struct ctf ctf = {.tables = source->tables, .is_empty = true};
	struct folder folder;
	enum ct_status status =
		folder_open(&folder, job->path, names, sizeof(names) / sizeof(names[0]), reterr);

	if (status)
		return status;
	export_rows_init(&ctf.rows, source, job->view->pass);
	status = write_stream(&ctf, &folder, reterr);
	if (status == CT_OK)
		status = write_description(&ctf, &folder, reterr);
	status = folder_end(&folder, status, reterr);
	export_rows_fini(&ctf.rows);
	text_fini(&ctf.packet);
	text_fini(&ctf.header);
	text_fini(&ctf.clean);
	return status;
}
