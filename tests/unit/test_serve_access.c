/* SPDX-License-Identifier: MIT */
/*
 * Which requests are accepted by their headers (docs/spec/http-api.md, H-5 to H-7), and the addresses at which the
 * server can listen (H-4).
 */
#include <unistd.h>

#include "check.h"
#include "serve/access.h"
#include "serve/listen.h"

static void test_hosts(void)
{
	static const char *const good[] = {"localhost", "LocalHost:8080", "127.0.0.1:8080",
		"10.1.2.3", "[::1]:8080", "[::1]", "devbox:9", "DEVBOX"};
	static const char *const bad[] = {"", "evil.example", "evil.example:8080",
		"localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1:8080:1",
		"localhost:80x", ":8080", "[::1", "[]:8080", "[localhost]", "::1", "[::1]x",
		"127.1", "localhost:8080 ", "devbox.evil.example"};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(serve_access_host(good[i], "devbox"));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!serve_access_host(bad[i], "devbox"));
	CHECK(!serve_access_host(NULL, "devbox"));
}

static void test_origins(void)
{
	CHECK(serve_access_origin(NULL, NULL, "localhost:8080"));
	CHECK(serve_access_origin("http://localhost:8080", "same-origin", "localhost:8080"));
	CHECK(serve_access_origin(NULL, "none", "localhost:8080"));
	CHECK(!serve_access_origin("http://localhost:9090", NULL, "localhost:8080"));
	CHECK(!serve_access_origin("https://localhost:8080", NULL, "localhost:8080"));
	CHECK(!serve_access_origin("null", NULL, "localhost:8080"));
	CHECK(!serve_access_origin("", NULL, "localhost:8080"));
	CHECK(!serve_access_origin(NULL, "cross-site", "localhost:8080"));
	CHECK(!serve_access_origin(NULL, "same-site", "localhost:8080"));
	CHECK(!serve_access_origin("http://localhost:8080", "cross-site", "localhost:8080"));
}

static void test_tokens(void)
{
	char one[SERVE_TOKEN_BYTES + 1], other[SERVE_TOKEN_BYTES + 1];

	CHECK(serve_access_make_token(one) && serve_access_make_token(other));
	CHECK_EQUAL(strspn(one, "0123456789abcdef"), SERVE_TOKEN_BYTES);
	CHECK(strcmp(one, other) != 0);
	CHECK(serve_access_token(one, one) && !serve_access_token(other, one));
	CHECK(!serve_access_token(NULL, one) && !serve_access_token("", one));
	other[SERVE_TOKEN_BYTES - 1] = '\0';
	CHECK(!serve_access_token(other, one));
}

static struct serve_address understand(const char *text)
{
	struct serve_address address;
	struct ct_error error = {0};

	if (serve_listen_read(text, &address, &error))
		fprintf(stderr, "%s\n", error.text);
	CHECK_EQUAL(error.status, CT_OK);
	return address;
}

static void test_addresses(void)
{
	static const char *const bad[] = {"localhost:", "localhost:99999", "localhost:-1", "[::1",
		"[::1]x", "::1", "a:8x", "a:80:80"};
	struct serve_address address = understand(NULL);
	size_t i;

	CHECK_TEXT(address.name, "localhost");
	CHECK(address.port == 8080 && address.is_default_port);
	address = understand(":9000");
	CHECK_TEXT(address.name, "localhost");
	CHECK(address.port == 9000 && !address.is_default_port);
	address = understand("[::1]:9000");
	CHECK_TEXT(address.name, "::1");
	address = understand("0.0.0.0");
	CHECK(address.port == 8080 && address.is_default_port);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQUAL(serve_listen_read(bad[i], &address, NULL), CT_ERR_USAGE);
}

static void test_ports(void)
{
	struct serve_address first = understand(":0"), second, third;
	struct ct_error error;
	int one = serve_listen_open(&first, NULL), other;

	CHECK(one >= 0 && first.port != 0 && !first.has_moved && !first.is_open_to_others);
	second = first;
	CHECK_EQUAL(serve_listen_open(&second, &error), -1);
	CHECK(strstr(error.text, "cannot listen on port") != NULL);
	third = first;
	third.is_default_port = true;
	other = serve_listen_open(&third, NULL);
	CHECK(other >= 0 && third.has_moved && third.port != first.port);
	close(one);
	close(other);
}

int main(void)
{
	test_hosts();
	test_origins();
	test_tokens();
	test_addresses();
	test_ports();
	return check_result();
}
