#ifndef CMONGOC_SHIM_H
#define CMONGOC_SHIM_H

#include <mongoc/mongoc.h>

/* bson_t is aligned to 128 bytes, so Swift sees it as an opaque pointer and cannot read its fields. */
static inline uint32_t cmongoc_bson_length(const bson_t *document) { return document->len; }

/* The message is a char[504], which Swift sees as a tuple of 504 elements. */
static inline const char *cmongoc_error_message(const bson_error_t *error) { return error->message; }

/* Silences the driver: what it would print also arrives as an error at the caller. */
static inline void cmongoc_discard_log(
    mongoc_log_level_t level, const char *domain, const char *message, void *context) {
    (void) level; (void) domain; (void) message; (void) context;
}
static inline void cmongoc_silence_log(void) { mongoc_log_set_handler(cmongoc_discard_log, NULL); }

#endif
