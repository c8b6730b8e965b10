/* SPDX-License-Identifier: MIT */
/*
 * Stores of objects: a folder, and a bucket before a server that fails, is silent, and cuts its answers short. What a
 * real server says of signatures is in tests/integration/test_objects.py.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/sha256.h"
#include "check.h"
#include "objects/objects.h"
#include "objects/xml.h"
#include "scripted_server.h"

#define SECRET "wJalrXUtnFEMI-this-is-a-secret"

static int file_of(const char *text)
{
	int descriptor = memfd_create("object", MFD_CLOEXEC);

	CHECK(write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
	return descriptor;
}

static const char *text_of(int descriptor)
{
	static char text[4096];
	ssize_t got = pread(descriptor, text, sizeof(text) - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	return text;
}

static void put(struct objects *objects, const char *key, const char *text)
{
	struct ct_error error = {.text = ""};
	int descriptor = file_of(text);

	CHECK_EQUAL(objects_put(objects, key, descriptor, &error), CT_OK);
	CHECK_TEXT(error.text, "");
	close(descriptor);
}

static bool note_key(void *context, const struct object *object)
{
	char *keys = context;
	size_t length = strlen(keys);

	snprintf(keys + length, 1024 - length, "%s:%d ", object->key, (int)object->nr_bytes);
	return strcmp(object->key, "last") != 0;
}

static void expect_keys(
	struct objects *objects, const char *prefix, const char *after, const char *expected)
{
	char keys[1024] = "";

	CHECK_EQUAL(objects_list(objects, prefix, after, note_key, keys, NULL), CT_OK);
	CHECK_TEXT(keys, expected);
}

/* ---------------------------------------------------------------- parts */

static void test_sums(void)
{
	char hex[SHA256_HEX_BYTES], million[1000];
	struct sha256 sum;
	int i;

	sha256_begin(&sum);
	sha256_end(&sum, hex);
	CHECK_TEXT(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256_begin(&sum);
	sha256_add(&sum, "a", 1);
	sha256_add(&sum, "bc", 2);
	sha256_end(&sum, hex);
	CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	memset(million, 'a', sizeof(million));
	sha256_begin(&sum);
	for (i = 0; i < 1000; i++)
		sha256_add(&sum, million, sizeof(million));
	sha256_end(&sum, hex);
	CHECK_TEXT(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_keys(void)
{
	static const char *const good[] = {
		"a", "a/b", "checkout/web-3/20260102/030405-1.ctrace", "a/.b", "day=1/x"};
	static const char *const bad[] = {
		"", "/a", "a/", "a//b", ".", "a/../b", "a/.", "a\nb", "a/b\x7f"};
	char name[OBJECTS_KEY_BYTES + 1];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(objects_is_key(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!objects_is_key(bad[i]));
	memset(name, 'a', sizeof(name));
	name[OBJECTS_KEY_BYTES] = '\0';
	CHECK(!objects_is_key(name));
}

static void test_xml(void)
{
	const char *body = "<A><Key>a&amp;b</Key><Size>1</Size></A><A><Key>c%2Fd%20e</Key>",
		   *at = body;
	char value[32];

	CHECK(xml_take(&at, "Key", value, sizeof(value)));
	CHECK_TEXT(value, "a&b");
	CHECK(xml_take(&at, "Key", value, sizeof(value)));
	xml_percent(value);
	CHECK_TEXT(value, "c/d e");
	CHECK(!xml_take(&at, "Key", value, sizeof(value)));
	CHECK(!xml_find(body, "Key", value, 3));
	CHECK(!xml_find("<Key>no end", "Key", value, sizeof(value)));
}

/* ---------------------------------------------------------------- a folder */

static void test_folder(void)
{
	char folder[] = "/tmp/corotracer-objects-XXXXXX", place[64], path[128];
	int descriptor = file_of("what was there before");
	struct ct_error error;
	struct objects *objects;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(place, sizeof(place), "%s/made", folder);
	CHECK(!objects_is_remote(place));
	CHECK_EQUAL(objects_open(place, NULL, &objects, NULL), CT_OK);
	expect_keys(objects, "", "", "");
	put(objects, "b/2/two", "22");
	put(objects, "b/1/one", "1");
	put(objects, "a", "333");
	put(objects, "b/2/two", "4444");
	snprintf(path, sizeof(path), "%s/b/unfinished.partial", place);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	expect_keys(objects, "", "", "a:3 b/1/one:1 b/2/two:4 ");
	expect_keys(objects, "b/2", "", "b/2/two:4 ");
	expect_keys(objects, "", "b/1/one", "b/2/two:4 ");
	expect_keys(objects, "c", "", "");
	CHECK_EQUAL(objects_get(objects, "b/2/two", descriptor, NULL), CT_OK);
	CHECK_TEXT(text_of(descriptor), "4444");
	CHECK_EQUAL(objects_get(objects, "b/3", descriptor, &error), CT_ERR_NOT_FOUND);
	CHECK(strstr(error.text, "made/b/3'") != NULL);
	CHECK_EQUAL(objects_get(objects, "b/../a", descriptor, &error), CT_ERR_USAGE);
	CHECK_EQUAL(objects_remove(objects, "b/2/two", NULL), CT_OK);
	CHECK_EQUAL(objects_remove(objects, "b/2/two", NULL), CT_OK);
	expect_keys(objects, "", "", "a:3 b/1/one:1 ");
	CHECK_EQUAL(objects_counts(objects).nr_bytes_sent, 10);
	objects_close(objects);
	close(descriptor);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	CHECK_EQUAL(system(path), 0);
}

/* ---------------------------------------------------------------- addresses and credentials */

static void expect_refused(const char *place, enum ct_status status, const char *sentence)
{
	struct ct_error error = {.text = ""};
	struct objects *objects = NULL;

	CHECK_EQUAL(objects_open(place, NULL, &objects, &error), status);
	CHECK(strstr(error.text, sentence) != NULL);
	if (!strstr(error.text, sentence))
		fprintf(stderr, "  '%s'\n", error.text);
}

static void test_addresses(void)
{
	setenv("AWS_ACCESS_KEY_ID", "", 1);
	setenv("HOME", "/nonexistent", 1);
	expect_refused("s3://bucket", CT_ERR_REFUSED, "there are no credentials for S3");
	expect_refused("s3://", CT_ERR_USAGE, "this is no bucket");
	expect_refused("s3://A_B", CT_ERR_USAGE, "this is no bucket");
	expect_refused("s3://bucket/a/../b", CT_ERR_USAGE, "cannot begin a key");
	expect_refused("s3://bucket/a?secret=x", CT_ERR_USAGE, "'secret' says nothing of a bucket");
	expect_refused("s3://bucket?endpoint=here", CT_ERR_USAGE, "http://HOST:PORT");
}

/* ---------------------------------------------------------------- a server that fails */

static struct objects *open_at(
	const struct scripted_server *server, struct objects_options *options)
{
	struct objects_options quick = {.nr_attempts = 4, .pause_ms = 1, .silence_ms = 200};
	struct objects *objects;
	char place[128];

	snprintf(
		place, sizeof(place), "s3://bucket/pre?endpoint=http://127.0.0.1:%u", server->port);
	CHECK_EQUAL(objects_open(place, options ? options : &quick, &objects, NULL), CT_OK);
	CHECK_TEXT(objects_place(objects), "s3://bucket/pre");
	return objects;
}

static bool has_asked(const struct scripted_server *server, unsigned number, const char *begin)
{
	bool has_asked = strncmp(server->asked[number], begin, strlen(begin)) == 0;

	if (!has_asked)
		fprintf(stderr, "  '%.200s'\n", server->asked[number]);
	return has_asked;
}

#define SERVE(answers) scripted_open(answers, sizeof(answers) / sizeof((answers)[0]))

static void test_later(void)
{
	static const struct scripted_answer answers[] = {
		{"HTTP/1.1 503 Slow Down", "<Error><Code>SlowDown</Code></Error>"},
		{"HTTP/1.1 500 No", NULL}, {"", NULL},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0", NULL}};
	struct scripted_server *server = SERVE(answers);
	struct objects *objects = open_at(server, NULL);

	put(objects, "a b/c", "four");
	CHECK_EQUAL(objects_counts(objects).nr_requests, 4);
	CHECK_EQUAL(objects_counts(objects).nr_repeated, 3);
	CHECK_EQUAL(objects_counts(objects).nr_bytes_sent, 4);
	scripted_wait(server);
	CHECK(has_asked(server, 3, "PUT /bucket/pre/a%20b/c HTTP/1.1\r\n"));
	CHECK(strstr(server->asked[3], "AWS4-HMAC-SHA256 Credential=id/") != NULL);
	CHECK(strstr(server->asked[3], "x-amz-security-token") != NULL);
	CHECK(strstr(server->asked[3], "\r\n\r\nfour") != NULL);
	CHECK(strstr(server->asked[3], SECRET) == NULL);
	objects_close(objects);
	scripted_close(server);
}

static void test_never(void)
{
	static const struct scripted_answer answers[] = {{"HTTP/1.1 503 A", NULL},
		{"HTTP/1.1 503 B", NULL}, {"HTTP/1.1 503 C", NULL}, {"HTTP/1.1 503 D", NULL}};
	struct scripted_server *server = SERVE(answers);
	struct objects *objects = open_at(server, NULL);
	int descriptor = file_of("x");
	struct ct_error error;

	CHECK_EQUAL(objects_put(objects, "a", descriptor, &error), CT_ERR_SYSTEM);
	CHECK_TEXT(error.text, "storing 's3://bucket/pre/a': the answer is 503");
	scripted_close(server);
	CHECK_EQUAL(objects_put(objects, "a", descriptor, &error), CT_ERR_SYSTEM);
	CHECK(strstr(error.text, "again and again") != NULL);
	objects_close(objects);
	close(descriptor);
}

static void test_refused(void)
{
	static const struct scripted_answer answers[] = {
		{"HTTP/1.1 403 No", "<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>id</"
				    "AWSAccessKeyId></Error>"},
		{"HTTP/1.1 404 No", "<Error><Code>NoSuchBucket</Code></Error>"},
		{"HTTP/1.1 301 No", NULL}};
	struct scripted_server *server = SERVE(answers);
	struct objects *objects = open_at(server, NULL);
	int descriptor = file_of("x");
	struct ct_error error;

	CHECK_EQUAL(objects_put(objects, "a", descriptor, &error), CT_ERR_REFUSED);
	CHECK_TEXT(error.text,
		"storing 's3://bucket/pre/a': the answer is 403: SignatureDoesNotMatch");
	CHECK_EQUAL(objects_get(objects, "a", descriptor, &error), CT_ERR_NOT_FOUND);
	CHECK_EQUAL(objects_get(objects, "a", descriptor, &error), CT_ERR_REFUSED);
	CHECK(strstr(error.text, "AWS_REGION") != NULL);
	objects_close(objects);
	scripted_close(server);
	close(descriptor);
}

/* The first answer is cut short, the second does not come, the third is whole. */
static void test_cut(void)
{
	static const struct scripted_answer answers[] = {
		{"HTTP/1.1 200 OK\r\nContent-Length: 10", "01234"}, {NULL, NULL},
		{"HTTP/1.1 200 OK\r\nContent-Length: 10", "abcdefghij"}};
	struct scripted_server *server = SERVE(answers);
	struct objects *objects = open_at(server, NULL);
	int descriptor = file_of("what the file held before, which is longer");

	CHECK_EQUAL(objects_get(objects, "a", descriptor, NULL), CT_OK);
	CHECK_TEXT(text_of(descriptor), "abcdefghij");
	CHECK_EQUAL(objects_counts(objects).nr_repeated, 2);
	objects_close(objects);
	scripted_close(server);
	close(descriptor);
}

static void test_woken(void)
{
	static const struct scripted_answer answers[] = {{NULL, NULL}};
	struct scripted_server *server = SERVE(answers);
	struct objects_options options = {.nr_attempts = 3};
	int ends[2], descriptor = file_of("x");
	struct objects *objects;

	CHECK_EQUAL(pipe(ends), 0);
	options.wake_descriptor = ends[0];
	objects = open_at(server, &options);
	CHECK(write(ends[1], "", 1) == 1);
	CHECK_EQUAL(objects_put(objects, "a", descriptor, NULL), CT_ERR_STOPPED);
	objects_close(objects);
	scripted_close(server);
	close(ends[0]);
	close(ends[1]);
	close(descriptor);
}

#define PART(etag)                                                                 \
	{                                                                          \
		"HTTP/1.1 200 OK\r\nETag: \"" etag "\"\r\nContent-Length: 0", NULL \
	}

/*
 * Parts of an earlier attempt are given up. The end of the upload is answered with an error inside of a 200, and then
 * by a server that knows nothing of it, because it had worked.
 */
static void test_parts(void)
{
	static const struct scripted_answer answers[] = {
		{"HTTP/1.1 200 OK", "<Upload><Key>pre/a</Key><UploadId>old</UploadId></"
				    "Upload><Upload><Key>pre/ab</Key>"
				    "<UploadId>other</UploadId></Upload>"},
		{"HTTP/1.1 204 No Content", NULL},
		{"HTTP/1.1 200 OK", "<UploadId>new/1</UploadId>"},
		PART("one"),
		{"HTTP/1.1 503 Later", NULL},
		PART("two"),
		PART("three"),
		{"HTTP/1.1 200 OK", "<Error><Code>InternalError</Code></Error>"},
		{"HTTP/1.1 404 Not Found", "<Error><Code>NoSuchUpload</Code></Error>"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 10", NULL},
	};
	struct objects_options options = {
		.nr_attempts = 4, .pause_ms = 1, .whole_bytes = 4, .part_bytes = 4};
	struct scripted_server *server = SERVE(answers);
	struct objects *objects = open_at(server, &options);

	put(objects, "a", "0123456789");
	scripted_wait(server);
	CHECK(has_asked(server, 0, "GET /bucket/?prefix=pre%2Fa&uploads= "));
	CHECK(has_asked(server, 1, "DELETE /bucket/pre/a?uploadId=old "));
	CHECK(has_asked(server, 5, "PUT /bucket/pre/a?partNumber=2&uploadId=new%2F1 "));
	CHECK(strstr(server->asked[5], "\r\n\r\n4567") != NULL);
	CHECK(strstr(server->asked[6], "\r\n\r\n89") != NULL);
	CHECK(strstr(server->asked[8],
		      "<Part><PartNumber>2</PartNumber><ETag>\"two\"</ETag></Part>") != NULL);
	CHECK_EQUAL(server->nr_asked, 10);
	objects_close(objects);
	scripted_close(server);
}

static void test_list(void)
{
	static const struct scripted_answer answers[] = {
		{"HTTP/1.1 200 OK", "<Contents><Key>pre/d/a%26</Key><Size>7</Size></Contents>"
				    "<NextContinuationToken>a+b/c=</NextContinuationToken>"},
		{"HTTP/1.1 200 OK", "<Contents><Key>pre/d/b</Key><Size>8</Size></Contents>"},
		{"HTTP/1.1 200 OK", "<Contents><Key>pre/last</Key><Size>1</Size></"
				    "Contents><Contents><Key>pre/m</Key>"
				    "<Size>1</Size></Contents><NextContinuationToken>more</"
				    "NextContinuationToken>"},
	};
	struct scripted_server *server = SERVE(answers);
	struct objects *objects = open_at(server, NULL);

	expect_keys(objects, "d/", "d/A", "d/a&:7 d/b:8 ");
	expect_keys(objects, "", "", "last:1 ");
	scripted_wait(server);
	CHECK(has_asked(server, 1,
		"GET "
		"/bucket/"
		"?continuation-token=a%2Bb%2Fc%3D&encoding-type=url&list-type=2&prefix=pre%2Fd%2F&"
		"start-after=pre%2Fd%2FA "));
	objects_close(objects);
	scripted_close(server);
}

static void test_server(void)
{
	setenv("AWS_ACCESS_KEY_ID", "id", 1);
	setenv("AWS_SECRET_ACCESS_KEY", SECRET, 1);
	setenv("AWS_SESSION_TOKEN", "a token for a while", 1);
	setenv("no_proxy", "127.0.0.1", 1);
	test_later();
	test_never();
	test_refused();
	test_cut();
	test_woken();
	test_parts();
	test_list();
}

int main(void)
{
	test_sums();
	test_keys();
	test_xml();
	test_folder();
	if (HAS_LIBCURL) {
		test_addresses();
		test_server();
	}
	return check_result();
}
