/*
 * A stand-in for IOKit's power sources, SystemConfiguration's store and what they need of CoreFoundation.
 *   cc -shared -fPIC -o fake-power.so fake-power.c
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char source[64] = "AC Power";
static long held;

void fake_power(const char *word) { snprintf(source, sizeof source, "%s", word); }
long fake_held(void) { return held; }

void *IOPSCopyPowerSourcesInfo(void) {
  held++;
  return &held;
}
void *IOPSGetProvidingPowerSourceType(void *info) { return info == &held && *source ? source : NULL; }

/* CoreFoundation's objects, as far as property lists need them. Strings that were made and copies count as held. */
enum { STRING = 7, ARRAY = 19, DICTIONARY = 18, STORE = 99 };
struct object {
  int kind, made, count;
  const char *text;
  const void *items[8];
};

uint64_t CFStringGetTypeID(void) { return STRING; }
uint64_t CFArrayGetTypeID(void) { return ARRAY; }
uint64_t CFDictionaryGetTypeID(void) { return DICTIONARY; }
uint64_t CFGetTypeID(const struct object *object) { return (uint64_t)object->kind; }

static struct object *make(int kind, const char *text) {
  struct object *made = calloc(1, sizeof *made);
  held++;
  made->kind = kind;
  made->made = 1;
  made->text = text ? strdup(text) : NULL;
  return made;
}

const void *CFStringCreateWithCString(const void *allocator, const char *text, uint32_t encoding) {
  return allocator || encoding != 0x08000100 ? NULL : make(STRING, text);
}
bool CFStringGetCString(const void *string, char *out, int64_t size, uint32_t encoding) {
  const char *text = string == source ? source : ((const struct object *)string)->text;
  if (encoding != 0x08000100 || (int64_t)strlen(text) >= size) return false;
  strcpy(out, text);
  return true;
}
int64_t CFArrayGetCount(const struct object *array) { return array->kind == ARRAY ? array->count : -1; }
const void *CFArrayGetValueAtIndex(const struct object *array, int64_t at) { return array->items[at]; }
const void *CFDictionaryGetValue(const struct object *dictionary, const struct object *key) {
  for (int i = 0; i + 1 < dictionary->count; i += 2)
    if (!strcmp(((const struct object *)dictionary->items[i])->text, key->text)) return dictionary->items[i + 1];
  return NULL;
}
void CFRelease(void *object) {
  struct object *given = object;
  if (object == &held) held--;
  else if (given->kind == STORE || given->made) held--;
  else abort();
}

#define TEXT(value) {.kind = STRING, .text = value}
static const struct object servers = TEXT("ServerAddresses"), domain = TEXT("DomainName"), search = TEXT("SearchDomains"),
                           match = TEXT("SupplementalMatchDomains"), home = TEXT("192.168.7.1"), home6 = TEXT("fe80::1%en0"),
                           nonsense = TEXT("no address"), box = TEXT("Fritz.Box"), vpn = TEXT("10.8.0.53"), corp = TEXT("corp.test"),
                           lab = TEXT("lab.test"), everything = TEXT(""), global = TEXT("State:/Network/Global/DNS"),
                           service = TEXT("State:/Network/Service/VPN/DNS"), wifi = TEXT("State:/Network/Service/WIFI/DNS");
static const struct object home_servers = {.kind = ARRAY, .count = 3, .items = {&home, &home6, &nonsense}},
                           searched = {.kind = ARRAY, .count = 1, .items = {&box}},
                           vpn_servers = {.kind = ARRAY, .count = 1, .items = {&vpn}},
                           vpn_domains = {.kind = ARRAY, .count = 3, .items = {&corp, &lab, &everything}},
                           all_services = {.kind = ARRAY, .count = 2, .items = {&wifi, &service}},
                           home_dns = {.kind = DICTIONARY, .count = 4, .items = {&servers, &home_servers, &search, &searched}},
                           wifi_dns = {.kind = DICTIONARY, .count = 4, .items = {&servers, &home_servers, &domain, &box}},
                           vpn_dns = {.kind = DICTIONARY, .count = 4, .items = {&servers, &vpn_servers, &match, &vpn_domains}};

static char configuration[64];
/* "vpn", "empty", "no-store" or "". */
void fake_configuration(const char *how) { snprintf(configuration, sizeof configuration, "%s", how); }
static int is(const char *how) { return !strcmp(configuration, how); }

void *SCDynamicStoreCreate(void *allocator, const struct object *name, void *callback, void *context) {
  if (is("no-store") || allocator || callback || context || name->kind != STRING) return NULL;
  return make(STORE, NULL);
}
static void *copy(const struct object *object) {
  struct object *copied = make(object->kind, NULL);
  copied->count = object->count;
  memcpy(copied->items, object->items, sizeof copied->items);
  return copied;
}
void *SCDynamicStoreCopyKeyList(const struct object *store, const struct object *pattern) {
  if (store->kind != STORE || strcmp(pattern->text, "(State|Setup):/Network/Service/[^/]+/DNS")) return NULL;
  struct object *keys = copy(&all_services);
  keys->count = is("vpn") ? 2 : 1;
  return keys;
}
void *SCDynamicStoreCopyValue(const struct object *store, const struct object *key) {
  if (store->kind != STORE || is("empty")) return NULL;
  if (!strcmp(key->text, global.text)) return copy(&home_dns);
  if (!strcmp(key->text, service.text)) return copy(&vpn_dns);
  return strcmp(key->text, wifi.text) ? NULL : copy(&wifi_dns);
}
