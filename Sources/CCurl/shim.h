#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one wrapper per type of argument. */

static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/* curl copies the text. */
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/* The list is not copied: it must live until the transfer has ended. */
static inline CURLcode ccurl_set_recipients(CURL *handle, struct curl_slist *list) {
    return curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, list);
}

static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*ccurl_data_function)(char *buffer, size_t size, size_t count, void *context);

/* Where the bytes to send come from. */
static inline CURLcode ccurl_set_reader(CURL *handle, ccurl_data_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

static inline size_t ccurl_discard(char *buffer, size_t size, size_t count, void *context) {
    (void) buffer; (void) context;
    return size * count;
}

/* Without it curl prints what it receives. */
static inline CURLcode ccurl_discard_output(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, ccurl_discard);
}

/* Called with each line of the server's replies. */
static inline CURLcode ccurl_set_reply_reader(CURL *handle, ccurl_data_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

typedef int (*ccurl_progress_function)(
    void *context, curl_off_t download_total, curl_off_t downloaded, curl_off_t upload_total, curl_off_t uploaded);

/* Called about once a second at least; anything but 0 ends the transfer with CURLE_ABORTED_BY_CALLBACK. */
static inline CURLcode ccurl_set_progress(CURL *handle, ccurl_progress_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

/* The server's last reply code, 0 if there was none. */
static inline long ccurl_response_code(CURL *handle) {
    long code = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code) == CURLE_OK ? code : 0;
}

#endif
