/* SPDX-License-Identifier: MIT */
/*
 * An HTTP answer in pieces of any size: a Go trace gets into the file byte by byte, up to the limit; of any other
 * answer no byte does, and only the words of its first line are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fetch/fetch.h"
#include "go_vectors.h"

static char path[] = "/tmp/corotracer-answer-XXXXXX";

static struct fetch_answer begin(uint64_t limit_bytes)
{
	struct fetch_answer answer = {.limit_bytes = limit_bytes};

	CHECK_EQUAL(io_output_open(&answer.output, path, NULL), CT_OK);
	return answer;
}

/* Checks the file's final content. */
static void check_written(struct fetch_answer *answer, const void *bytes, size_t nr_bytes)
{
	size_t nr_written;
	char *written;

	CHECK_EQUAL(io_output_end(&answer->output, CT_OK, NULL), CT_OK);
	CHECK_EQUAL(io_read_file(path, 1 << 20, &written, &nr_written, NULL), CT_OK);
	CHECK_EQUAL(nr_written, nr_bytes);
	CHECK(memcmp(written, bytes, nr_bytes) == 0);
	free(written);
}

static bool send(struct fetch_answer *answer, const void *bytes, size_t nr_bytes, size_t step)
{
	const char *at = bytes;
	size_t length;

	for (; nr_bytes; nr_bytes -= length, at += length) {
		length = nr_bytes < step ? nr_bytes : step;
		if (!fetch_answer_take(answer, at, length))
			return false;
	}
	return true;
}

static void test_whole(void)
{
	size_t step;

	for (step = 1; step <= sizeof(go_vector_26); step++) {
		struct fetch_answer answer = begin(sizeof(go_vector_26));

		CHECK(send(&answer, go_vector_26, sizeof(go_vector_26), step));
		CHECK(fetch_answer_is_trace(&answer) && !answer.has_reached_limit);
		check_written(&answer, go_vector_26, sizeof(go_vector_26));
	}
}

static void test_limit(void)
{
	size_t step;

	for (step = 1; step <= sizeof(go_vector_26); step++) {
		struct fetch_answer answer = begin(40);

		CHECK(!send(&answer, go_vector_26, sizeof(go_vector_26), step));
		CHECK(fetch_answer_is_trace(&answer) && answer.has_reached_limit);
		CHECK_EQUAL(answer.nr_bytes, 40);
		check_written(&answer, go_vector_26, 40);
	}
}

static void test_other(void)
{
	static const char page[] = "<html><body>no trace at all</body></html>";
	size_t step;

	for (step = 1; step <= sizeof(page); step++) {
		struct fetch_answer answer = begin(1000);

		CHECK(!send(&answer, page, sizeof(page), step));
		CHECK(answer.is_other && !fetch_answer_is_trace(&answer));
		check_written(&answer, "", 0);
	}
}

/* Shorter than the first bytes of every trace. */
static void test_short(void)
{
	struct fetch_answer answer = begin(1000);

	CHECK(send(&answer, go_vector_26, FETCH_FIRST_BYTES - 1, 3));
	CHECK(!fetch_answer_is_trace(&answer));
	check_written(&answer, "", 0);
}

static void test_hearing(void)
{
	static const char words[] = "\n404 page\x1b[2J not found\r\nand more";
	struct fetch_answer answer = {0};
	char many[300];

	fetch_answer_hear(&answer, words, sizeof(words));
	CHECK_TEXT(answer.said, "404 page[2J not found");
	memset(many, 'x', sizeof(many));
	answer.nr_said = 0;
	fetch_answer_hear(&answer, many, sizeof(many));
	CHECK_EQUAL(strlen(answer.said), FETCH_SAID_BYTES - 1);
}

int main(void)
{
	close(mkstemp(path));
	test_whole();
	test_limit();
	test_other();
	test_short();
	test_hearing();
	unlink(path);
	return check_result();
}
