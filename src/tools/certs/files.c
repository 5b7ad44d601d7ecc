// files.c: keys and certificates in files. A key is readable by its owner only, from the moment that its file exists.

#define _GNU_SOURCE

#include "tools/certs/certs.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool files_path(char path[PATH_SIZE], const char *directory, const char *name, const char *ending)
{
    int length = snprintf(path, PATH_SIZE, "%s/%s%s", directory, name, ending);
    // Room for the name of the file that is written first.
    if (length < 0 || length >= PATH_SIZE - 32) {
        certs_error("the path of '%s' is too long", name);
        return false;
    }
    return true;
}

typedef struct {
    EVP_PKEY *key;
    X509 *certificate;
} Content;

// All of it is on the disk, or there is no file of this name. A message was written then.
static bool write_beside(const char *path, mode_t mode, const Content *content)
{
    unlink(path); // what an earlier call may have left when it was killed
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out == NULL) {
        certs_error("'%s' can't be made: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    ERR_clear_error();
    bool is_written = content->key != NULL
                          ? PEM_write_PKCS8PrivateKey(out, content->key, NULL, NULL, 0, NULL, NULL) == 1
                          : PEM_write_X509(out, content->certificate) == 1;
    is_written = is_written && fflush(out) == 0 && fsync(fd) == 0;
    int error = errno;
    if (fclose(out) == 0 && is_written)
        return true;
    certs_error("'%s' can't be written: %s", path, strerror(error));
    unlink(path);
    return false;
}

static bool write_file(const char *path, mode_t mode, const Content *content, bool replaces)
{
    char beside[PATH_SIZE];
    snprintf(beside, sizeof beside, "%s.new-%ld", path, (long)getpid());
    if (!write_beside(beside, mode, content))
        return false;
    // link() fails where rename() would replace what somebody has made meanwhile.
    bool is_moved = replaces ? rename(beside, path) == 0 : link(beside, path) == 0;
    if (!is_moved)
        certs_error("'%s' can't be made: %s", path, strerror(errno));
    if (!replaces || !is_moved)
        unlink(beside);
    return is_moved;
}

bool files_write_key(const char *path, EVP_PKEY *key, bool replaces)
{
    return write_file(path, 0600, &(Content){.key = key}, replaces);
}

bool files_write_certificate(const char *path, X509 *certificate, bool replaces)
{
    return write_file(path, 0644, &(Content){.certificate = certificate}, replaces);
}

static FILE *open_file(const char *path)
{
    FILE *in = fopen(path, "re");
    if (in == NULL)
        certs_error("'%s' can't be read: %s", path, strerror(errno));
    return in;
}

X509 *files_read_certificate(const char *path)
{
    FILE *in = open_file(path);
    if (in == NULL)
        return NULL;
    X509 *certificate = PEM_read_X509(in, NULL, NULL, NULL);
    fclose(in);
    ERR_clear_error();
    if (certificate == NULL)
        certs_error("'%s' is not a certificate: it should begin with -----BEGIN CERTIFICATE-----", path);
    return certificate;
}

// Nobody is there to type a passphrase.
static int no_passphrase(char *buffer, int size, int is_for_writing, void *context)
{
    (void)buffer;
    (void)size;
    (void)is_for_writing;
    (void)context;
    return -1;
}

EVP_PKEY *files_read_key(const char *path)
{
    FILE *in = open_file(path);
    if (in == NULL)
        return NULL;
    EVP_PKEY *key = PEM_read_PrivateKey(in, NULL, no_passphrase, NULL);
    fclose(in);
    ERR_clear_error();
    if (key == NULL)
        certs_error("'%s' is not a private key, or is encrypted", path);
    return key;
}
