// parse.c: see parse.h.

#include "parse.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct text {
    const char *data;
    size_t size;
};

// What the header fields say, and how often.
struct fields {
    unsigned count, hosts, lengths, encodings;
    uint64_t length;
    bool closes, keeps_alive, expects_continue, expects_more;
};

struct request refuse(struct request request, int status, const char *why)
{
    request.status = status;
    request.why = chx_str_new(why, strlen(why));
    if (request.body_size > 0)
        request.keeps_alive = false;
    return request;
}

static bool equals(struct text text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.data, word, text.size) == 0;
}

// Takes all up to the character, and the character, away from the text. False: it is not there.
static bool split(struct text *text, char character, struct text *before)
{
    const char *at = text->size > 0 ? memchr(text->data, character, text->size) : NULL;
    if (at == NULL)
        return false;
    *before = (struct text){text->data, (size_t)(at - text->data)};
    text->size -= before->size + 1;
    text->data = at + 1;
    return true;
}

// Lines end with CR LF. Some would take a lone LF for the same, some not: refused.
static bool take_line(struct text *text, struct text *line)
{
    if (!split(text, '\n', line) || line->size == 0 || line->data[line->size - 1] != '\r')
        return false;
    line->size--;
    return true;
}

static struct text trim(struct text text)
{
    while (text.size > 0 && (*text.data == ' ' || *text.data == '\t')) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
        text.size--;
    return text;
}

// No control characters: neither zero nor a lone CR.
static bool is_value(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if ((c < 32 && c != '\t') || c == 127)
            return false;
    }
    return true;
}

// Only letters, digits and these.
static bool has_only(struct text text, const char *others)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c > 126 || (!isalnum(c) && (c == '\0' || strchr(others, c) == NULL)))
            return false;
    }
    return true;
}

static bool is_token(struct text text)
{
    return text.size > 0 && has_only(text, "!#$%&'*+-.^_`|~");
}

// A number too large for the type becomes its maximum.
static bool read_number(struct text text, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    return text.size > 0;
}

static void read_connection(struct fields *fields, struct text value)
{
    struct text word;
    bool is_last;
    do {
        is_last = !split(&value, ',', &word);
        word = trim(is_last ? value : word);
        fields->closes = fields->closes || equals(word, "close");
        fields->keeps_alive = fields->keeps_alive || equals(word, "keep-alive");
    } while (!is_last);
}

// NULL: nothing is wrong with it.
static const char *read_field(struct fields *fields, struct text line)
{
    struct text name;
    // A name is followed by its colon at once, and a line that begins with a space would continue the one before it.
    if (!split(&line, ':', &name) || !is_token(name))
        return "a header field has no proper name";
    struct text value = trim(line);
    if (!is_value(value))
        return "a header field has control characters in it";
    if (equals(name, "Host")) {
        fields->hosts++;
        if (!has_only(value, "-._~!$&'()*+;=%:[]"))
            return "the host has no proper name";
    } else if (equals(name, "Content-Length")) {
        fields->lengths++;
        if (!read_number(value, &fields->length))
            return "the content length is not a number";
    } else if (equals(name, "Transfer-Encoding")) {
        fields->encodings++;
    } else if (equals(name, "Connection")) {
        read_connection(fields, value);
    } else if (equals(name, "Expect")) {
        if (equals(value, "100-continue"))
            fields->expects_continue = true;
        else
            fields->expects_more = true;
    }
    return NULL;
}

static bool parse_method(struct text name, enum method *method)
{
    static const char *const names[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (name.size == strlen(names[i]) && memcmp(name.data, names[i], name.size) == 0) {
            *method = i < ANOTHER ? (enum method)i : ANOTHER;
            return true;
        }
    }
    return false;
}

// The path of `/path?query`, or of the same with `http://host` before it.
static bool parse_target(struct text target, chx_str *path)
{
    struct text before, query = target;
    if (target.size >= 7 && strncasecmp(target.data, "http://", 7) == 0) {
        target.data += 7;
        target.size -= 7;
        if (!split(&target, '/', &before) || before.size == 0)
            return false;
        target.data--;
        target.size++;
        query = target;
    }
    if (target.size == 0 || *target.data != '/' || !has_only(target, "/-._~!$&'()*+,;=:@%?"))
        return false;
    if (split(&query, '?', &before))
        target = before;
    *path = chx_str_new(target.data, target.size);
    return true;
}

static struct request parse_request_line(struct text line, unsigned *minor)
{
    struct request request = {.status = 0};
    struct text method, target;
    if (!split(&line, ' ', &method) || !split(&line, ' ', &target) || !is_token(method))
        return refuse(request, 400, "the request line is not METHOD TARGET VERSION");
    if (line.size != 8 || memcmp(line.data, "HTTP/", 5) != 0 || !isdigit((unsigned char)line.data[5]) ||
        line.data[6] != '.' || !isdigit((unsigned char)line.data[7]))
        return refuse(request, 400, "the request line is not METHOD TARGET VERSION");
    if (line.data[5] != '1')
        return refuse(request, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
    *minor = (unsigned)(line.data[7] - '0');
    if (!parse_method(method, &request.method))
        return refuse(request, 501, "this method is not known here");
    if (!parse_target(target, &request.path))
        return refuse(request, 400, "the target is not a proper path");
    return request;
}

struct request parse(struct part head)
{
    struct request request = {.status = 0};
    switch (head.end) {
    case IS_TOO_LARGE:
        return refuse(request, 431, "the head is too large");
    case IS_TOO_SLOW:
        return refuse(request, 408, "the head did not come in time");
    case IS_CUT_SHORT:
        return refuse(request, 400, "the head is not complete");
    case IS_COMPLETE:
        break;
    }
    struct text text = {chx_bytes_data(head.data), chx_bytes_len(head.data)}, line;
    struct fields fields = {0};
    unsigned minor = 0;
    if (!take_line(&text, &line))
        return refuse(request, 400, "lines end with CR LF");
    request = parse_request_line(line, &minor);
    while (request.status == 0) {
        if (!take_line(&text, &line))
            return refuse(request, 400, "lines end with CR LF");
        if (line.size == 0)
            break;
        if (++fields.count > FIELD_LIMIT)
            return refuse(request, 431, "too many header fields");
        const char *wrong = read_field(&fields, line);
        if (wrong != NULL)
            return refuse(request, 400, wrong);
    }
    if (request.status != 0)
        return request;
    if (fields.hosts > 1 || (fields.hosts == 0 && minor > 0))
        return refuse(request, 400, "there is not exactly one host");
    // Where a message ends must not be a matter of opinion: that is how requests are smuggled past a proxy.
    if (fields.lengths > 1)
        return refuse(request, 400, "there is more than one content length");
    if (fields.encodings > 0 && (fields.lengths > 0 || minor == 0))
        return refuse(request, 400, "the end of the body is said in two ways");
    if (fields.encodings > 0)
        return refuse(request, 501, "only bodies with a content length are taken");
    if (fields.expects_more)
        return refuse(request, 417, "only 100-continue can be expected");
    request.body_size = fields.length;
    request.expects_continue = fields.expects_continue && minor > 0;
    request.keeps_alive = !fields.closes && (minor > 0 || fields.keeps_alive);
    return request;
}
