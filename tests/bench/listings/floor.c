// SPDX-License-Identifier: GPL-3.0-or-later
// floor URL...: what listing versions costs at least. Fetches all pages at once, takes the package links out of them,
// sorts each page's versions by libalpm's comparison and prints them, newest first.
#include <alpm.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
  CURL* curl;
  char* text;
  size_t size;
};

static size_t take(char* data, size_t one, size_t count, void* to) {
  struct page* page = to;
  page->text = realloc(page->text, page->size + one * count + 1);
  memcpy(page->text + page->size, data, one * count);
  page->size += one * count;
  page->text[page->size] = '\0';
  return one * count;
}

static int digit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

/// Decodes in place and cuts the name and the architecture off: name-VERSION-REL-arch.pkg.tar.*
static char* version_of(char* link, char* end) {
  char* out = link;
  for (char* in = link; in < end; ++in, ++out) {
    *out = *in;
    if (*in == '%' && in + 2 < end) *out = (char)(digit(in[1]) * 16 + digit(in[2])), in += 2;
  }
  *out = '\0';
  char* tail = strstr(link, ".pkg.tar.");
  if (!tail || strstr(tail, ".sig")) return NULL;
  *tail = '\0';
  char* arch = strrchr(link, '-');
  if (!arch) return NULL;
  *arch = '\0';
  char* dash = arch;
  for (int dashes = 0; dash > link && dashes < 2;)
    if (*--dash == '-') ++dashes;
  return dash > link ? dash + 1 : NULL;
}

static int newest_first(const void* left, const void* right) {
  return alpm_pkg_vercmp(*(char* const*)right, *(char* const*)left);
}

static void list(struct page* page) {
  char* versions[4096];
  size_t count = 0;
  for (char* at = page->text; at && (at = strstr(at, "href=\"")) && count < 4096;) {
    char* const link = at + 6;
    char* const end = strchr(link, '"');
    if (!end) break;
    at = end + 1;
    char* const version = version_of(link, end);
    if (version) versions[count++] = version;
  }
  qsort(versions, count, sizeof *versions, newest_first);
  for (size_t i = 0; i < count; ++i) puts(versions[i]);
}

int main(int argc, char** argv) {
  struct page* const pages = calloc((size_t)argc, sizeof *pages);
  CURLM* const multi = curl_multi_init();
  for (int i = 1; i < argc; ++i) {
    pages[i].curl = curl_easy_init();
    curl_easy_setopt(pages[i].curl, CURLOPT_URL, argv[i]);
    curl_easy_setopt(pages[i].curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(pages[i].curl, CURLOPT_WRITEDATA, &pages[i]);
    curl_multi_add_handle(multi, pages[i].curl);
  }
  for (int running = 1; running;) {
    curl_multi_perform(multi, &running);
    if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  for (int i = 1; i < argc; ++i) list(&pages[i]);
  return 0;
}
