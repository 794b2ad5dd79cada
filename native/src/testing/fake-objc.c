/*
 * A stand-in for libobjc and CoreWLAN on x86_64 Linux: objc_msgSend answers by selector. An answer of an integer and a double lies in
 * rax and xmm0 at once, so that one body serves every signature of the caller. An unknown selector, "bssid" among them, ends the process.
 *   cc -shared -fPIC -o fake-objc.so fake-objc.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
  long integer;
  double number;
};

static char behaviour[64];
static long pools, sent;
static const char *client = "CWWiFiClient", *name = "en0", *network = "Caf\xc3\xa9";
static int radio, channel, manager, asked;

/* "location-denied", "power-off", "unassociated", "no-radio" or "". */
void fake_behave(const char *how) { snprintf(behaviour, sizeof behaviour, "%s", how); }
long fake_open_pools(void) { return pools; }
long fake_messages(void) { return sent; }

void *objc_getClass(const char *class) {
  if (!strcmp(class, "CLLocationManager")) return &manager;
  return strcmp(class, "CWWiFiClient") ? NULL : (void *)client;
}
void *sel_registerName(const char *selector) { return strdup(selector); }
void *objc_autoreleasePoolPush(void) { return (void *)++pools; }
void objc_autoreleasePoolPop(void *pool) {
  if ((long)pool != pools--) abort();
}

static int is(const char *how) { return !strcmp(behaviour, how); }

struct answer objc_msgSend(void *object, const char *selector) {
  struct answer nothing = {0, 0}, a = nothing;
  int quiet = is("unassociated") || is("power-off");
  sent++;
  if (pools == 0) abort();
  if (!object) return nothing;
  if (!strcmp(selector, "sharedWiFiClient")) a.integer = (long)client;
  else if (!strcmp(selector, "interface")) a.integer = is("no-radio") ? 0 : (long)&radio;
  else if (!strcmp(selector, "interfaceName")) a.integer = (long)&name;
  else if (!strcmp(selector, "powerOn")) a.integer = !is("power-off");
  else if (!strcmp(selector, "rssiValue")) a.integer = quiet ? 0 : -61;
  else if (!strcmp(selector, "noiseMeasurement")) a.integer = quiet ? 0 : -94;
  else if (!strcmp(selector, "transmitRate")) a.number = quiet ? 0 : 866.5;
  else if (!strcmp(selector, "wlanChannel")) a.integer = quiet ? 0 : (long)&channel;
  else if (!strcmp(selector, "channelNumber")) a.integer = 44;
  else if (!strcmp(selector, "channelBand")) a.integer = 2;
  else if (!strcmp(selector, "ssid")) a.integer = quiet || is("location-denied") ? 0 : (long)&network;
  else if (!strcmp(selector, "UTF8String")) a.integer = (long)*(const char **)object;
  else if (object == &manager && (!strcmp(selector, "alloc") || !strcmp(selector, "init"))) a.integer = (long)&manager;
  /* An int: what stands above it is anything. */
  else if (object == &manager && !strcmp(selector, "authorizationStatus"))
    a.integer = 0x5eed00000000 | (is("location-denied") ? 2 : asked ? 4 : 0);
  else if (object == &manager && !strcmp(selector, "requestWhenInUseAuthorization")) asked = 1;
  else abort();
  return a;
}
