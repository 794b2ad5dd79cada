/*
 * A stand-in for IOKit's power sources and CoreFoundation's strings.
 *   cc -shared -fPIC -o fake-power.so fake-power.c
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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
bool CFStringGetCString(void *string, char *out, int64_t size, uint32_t encoding) {
  if (string != source || encoding != 0x08000100 || (int64_t)strlen(source) >= size) return false;
  strcpy(out, source);
  return true;
}
void CFRelease(void *object) {
  if (object == &held) held--;
}
