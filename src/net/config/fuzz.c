// fuzz.c: whatever a configuration file says, it is read, or refused with errors that have a line of the file. A libFuzzer
// target: the input is the file; what stands behind a NUL in it is the settings.

#include "net/config/address.h"
#include "net/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void check_config(const Config *config)
{
    Address address;
    need(config->certs != NULL && config->certs[0] != '\0');
    need(config->name == NULL || config_is_node_name(config->name));
    need(config->listen == NULL || (address_parse(config->listen, &address) == NULL && config->name != NULL));
    need(config->limits.keepalive_ms < config->limits.hold_ms && config->limits.hold_ms < config->limits.suspect_ms);
    for (size_t i = 0; i < config->node_count; i++)
        need(address_parse(config->nodes[i].address, &address) == NULL &&
             config_node(config, config->nodes[i].name) == &config->nodes[i]);
    for (size_t i = 0; i < config->choreography_count; i++) {
        const ConfigChoreography *choreography = &config->choreographies[i];
        need(config_choreography(config, choreography->name) == choreography);
        need(choreography->home == NULL || config_role(choreography, choreography->home) != NULL);
        for (size_t k = 0; k < choreography->role_count; k++)
            need((choreography->roles[k].player == PLAYER_NODE) == (choreography->roles[k].node != NULL));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = memchr(text, '\0', size);
    size_t file_size = end == NULL ? size : (size_t)(end - text);
    char *settings = end == NULL ? NULL : strndup(end + 1, size - file_size - 1);
    int lines = 1;
    for (size_t i = 0; i < file_size; i++)
        lines += text[i] == '\n';
    Config config;
    ConfigErrors errors;
    if (config_parse(text, file_size, settings, &config, &errors)) {
        check_config(&config);
        config_free(&config);
    } else {
        need(errors.count > 0 && errors.count <= CONFIG_ERRORS_MAX);
        for (size_t i = 0; i < errors.count; i++) {
            need(errors.items[i].line <= lines && errors.items[i].line >= CONFIG_LINE_OF_SETTINGS);
            need(i == 0 || errors.items[i - 1].line <= errors.items[i].line);
            need(errors.items[i].text[0] != '\0');
        }
        config_errors_free(&errors);
    }
    free(settings);
    return 0;
}
