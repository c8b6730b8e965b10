/* SPDX-License-Identifier: MIT */
/* The files are those of AWS's own programs: sections in brackets, and lines of "name = value". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/io.h"
#include "objects/credentials.h"

#define FILE_BYTES (1u << 20)
#define PATH_BYTES 4096
#define SECTION_BYTES 256
#define CONTAINER_HOST "http://169.254.170.2"
#define SILENCE_MS 5000u
#define EARLY_S 300u /* before they end, new ones are asked for */
#define ANSWER_OK 200

static const char *from_environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool keep(char *room, size_t nr_bytes, const char *value, size_t length)
{
	if (length >= nr_bytes)
		return false;
	memcpy(room, value, length);
	room[length] = '\0';
	return true;
}

/* False: there is no such variable, or it does not fit. */
static bool keep_variable(char *room, size_t nr_bytes, const char *name)
{
	const char *value = from_environment(name);

	return value && keep(room, nr_bytes, value, strlen(value));
}

#define KEEP(room, name) keep_variable((room), sizeof(room), (name))

/* ---------------------------------------------------------------- files */

struct place {
	const char *name;
	char *room;
	size_t nr_bytes;
};

static void trim(const char **at, size_t *length)
{
	while (*length && (**at == ' ' || **at == '\t'))
		(*at)++, (*length)--;
	while (*length && (unsigned char)(*at)[*length - 1] <= ' ')
		(*length)--;
}

/* The value stays as it is where a place before has it already. */
static void take_line(const char *line, size_t length, const struct place *places)
{
	const char *equals = memchr(line, '=', length), *value;
	size_t name_length, value_length;

	if (!equals || *line == '#' || *line == ';')
		return;
	name_length = (size_t)(equals - line);
	value = equals + 1;
	value_length = length - name_length - 1;
	trim(&line, &name_length);
	trim(&value, &value_length);
	for (; places->name; places++) {
		if (strlen(places->name) == name_length && !*places->room &&
			strncasecmp(line, places->name, name_length) == 0)
			keep(places->room, places->nr_bytes, value, value_length);
	}
}

/* Takes the lines of the section. Indented lines belong to the line before, and say nothing of what is looked for. */
static void take_section(const char *text, const char *section, const struct place *places)
{
	bool is_inside = false;
	size_t length;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (*text == '[')
			is_inside = strncmp(text + 1, section, strlen(section)) == 0 &&
				    text[1 + strlen(section)] == ']';
		else if (is_inside && *text != ' ' && *text != '\t')
			take_line(text, length, places);
	}
}

static void take_file(
	const char *variable, const char *name, const char *section, const struct place *places)
{
	const char *home = from_environment("HOME"), *path = from_environment(variable);
	char in_home[PATH_BYTES], *text;
	size_t nr_bytes;

	if (!path && home) {
		snprintf(in_home, sizeof(in_home), "%s/.aws/%s", home, name);
		path = in_home;
	}
	if (!path || io_read_file(path, FILE_BYTES, &text, &nr_bytes, NULL))
		return;
	take_section(text, section, places);
	explicit_bzero(text, nr_bytes);
	free(text);
}

static void take_files(struct credentials *credentials, const char *profile)
{
	const struct place secrets[] = {
		{"aws_access_key_id", credentials->key_id, sizeof(credentials->key_id)},
		{"aws_secret_access_key", credentials->secret, sizeof(credentials->secret)},
		{"aws_session_token", credentials->token, sizeof(credentials->token)},
		{NULL, NULL, 0},
	};

	take_file("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile, secrets);
}

static void take_configuration(struct credentials *credentials, const char *profile)
{
	const struct place places[] = {
		{"region", credentials->region, sizeof(credentials->region)},
		{"endpoint_url", credentials->endpoint, sizeof(credentials->endpoint)},
		{NULL, NULL, 0},
	};
	bool is_default = strcmp(profile, "default") == 0;
	char section[SECTION_BYTES];

	snprintf(section, sizeof(section), "%s%s", is_default ? "" : "profile ", profile);
	take_file("AWS_CONFIG_FILE", "config", section, places);
}

/* ---------------------------------------------------------------- the container's address */

/* Plain HTTP only to this machine, or to an address that leads nowhere else. */
static bool may_ask(const char *url)
{
	static const char *const allowed[] = {"https://", "http://localhost/",
		"http://localhost:", "http://127.0.0.1/", "http://127.0.0.1:", "http://[::1]",
		CONTAINER_HOST "/", "http://169.254.170.23/"};
	size_t i;

	for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		if (strncmp(url, allowed[i], strlen(allowed[i])) == 0)
			return true;
	}
	return false;
}

/* The text behind "name": in an answer that is one flat object, as the documentation of AWS has it. */
static bool take_member(const char *body, const char *name, char *room, size_t nr_bytes)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\"", name);
	at = strstr(body, quoted);
	if (!at)
		return false;
	at += strlen(quoted);
	at += strspn(at, " \t\r\n:");
	return *at == '"' && keep(room, nr_bytes, at + 1, strcspn(at + 1, "\""));
}

static void take_answer(struct credentials *credentials, const char *body)
{
	struct tm until = {0};
	char when[64];

	if (!take_member(body, "AccessKeyId", credentials->key_id, sizeof(credentials->key_id)) ||
		!take_member(
			body, "SecretAccessKey", credentials->secret, sizeof(credentials->secret)))
		return;
	take_member(body, "Token", credentials->token, sizeof(credentials->token));
	if (take_member(body, "Expiration", when, sizeof(when)) &&
		strptime(when, "%Y-%m-%dT%H:%M:%S", &until))
		credentials->until_s = (uint64_t)timegm(&until) - EARLY_S;
}

static bool authorize(char *line, size_t nr_bytes)
{
	const char *token = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	const char *path = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	char *text = NULL;
	size_t nr_read;

	if (!token && path && io_read_file(path, FILE_BYTES, &text, &nr_read, NULL) == CT_OK) {
		text[strcspn(text, "\r\n")] = '\0';
		token = text;
	}
	if (token)
		snprintf(line, nr_bytes, "Authorization: %s", token);
	free(text);
	return token != NULL;
}

static enum ct_status ask_container(
	struct http *http, struct credentials *credentials, struct ct_error *reterr)
{
	const char *whole = from_environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	const char *part = from_environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	char url[2048], authorization[8192];
	const char *const headers[] = {authorization, NULL};
	struct http_request request = {.method = "GET",
		.url = url,
		.descriptor = -1,
		.into = -1,
		.silence_ms = SILENCE_MS};
	struct http_answer answer;
	enum ct_status status;

	snprintf(url, sizeof(url), "%s%s", part ? CONTAINER_HOST : "",
		part    ? part
		: whole ? whole
			: "");
	if (!may_ask(url))
		return CT_OK;
	if (authorize(authorization, sizeof(authorization)))
		request.headers = headers;
	status = http_perform(http, &request, &answer, reterr);
	if (status == CT_OK && answer.code == ANSWER_OK && !answer.is_broken)
		take_answer(credentials, text_peek(&answer.body));
	if (answer.body.at)
		explicit_bzero(answer.body.at, answer.body.length);
	text_fini(&answer.body);
	explicit_bzero(authorization, sizeof(authorization));
	return status;
}

/* ---------------------------------------------------------------- all places */

static void take_environment(struct credentials *credentials)
{
	if (KEEP(credentials->key_id, "AWS_ACCESS_KEY_ID") &&
		KEEP(credentials->secret, "AWS_SECRET_ACCESS_KEY"))
		KEEP(credentials->token, "AWS_SESSION_TOKEN");
	else
		*credentials->key_id = '\0';
	if (!KEEP(credentials->region, "AWS_REGION"))
		KEEP(credentials->region, "AWS_DEFAULT_REGION");
	if (!KEEP(credentials->endpoint, "AWS_ENDPOINT_URL_S3"))
		KEEP(credentials->endpoint, "AWS_ENDPOINT_URL");
}

enum ct_status credentials_read(
	struct http *http, struct credentials *ret_credentials, struct ct_error *reterr)
{
	const char *profile = from_environment("AWS_PROFILE");
	enum ct_status status = CT_OK;

	if (!profile)
		profile = "default";
	*ret_credentials = (struct credentials){.until_s = 0};
	take_environment(ret_credentials);
	if (!*ret_credentials->key_id)
		take_files(ret_credentials, profile);
	if (!*ret_credentials->key_id)
		status = ask_container(http, ret_credentials, reterr);
	take_configuration(ret_credentials, profile);
	if (status == CT_OK && (!*ret_credentials->key_id || !*ret_credentials->secret))
		status = ct_fail(reterr, CT_ERR_REFUSED,
			"there are no credentials for S3: neither AWS_ACCESS_KEY_ID and "
			"AWS_SECRET_ACCESS_KEY nor the profile '%.60s' of ~/.aws/credentials",
			profile);
	return status;
}

void credentials_fini(struct credentials *credentials)
{
	explicit_bzero(credentials, sizeof(*credentials));
}
