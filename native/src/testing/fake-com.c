/*
 * A stand-in for ole32.dll with Windows' network list manager, on x64 Linux: one object whose table of functions has GetCost in its
 * fourth place. Whatever is asked with another GUID, or of another object, is refused.
 *   cc -shared -fPIC -o fake-com.so fake-com.c
 */
#include <stdint.h>
#include <string.h>

static const uint8_t class_id[16] = {0x01, 0x0c, 0xb0, 0xdc, 0x0f, 0x57, 0x9b, 0x4a, 0x8d, 0x69, 0x19, 0x9f, 0xdb, 0xa5, 0x72, 0x3b};
static const uint8_t interface_id[16] = {0x08, 0x00, 0xb0, 0xdc, 0x0f, 0x57, 0x9b, 0x4a, 0x8d, 0x69, 0x19, 0x9f, 0xdb, 0xa5, 0x72, 0x3b};
static uint32_t cost, failure;
static int held;

void fake_cost(uint32_t now) { cost = now; }
void fake_failure(uint32_t status) { failure = status; }
int fake_held(void) { return held; }

static uint32_t never(void *object) { return 0x80004001; }
static uint32_t release(void *object);
static uint32_t get_cost(void *object, uint32_t *out, void *address);
static void *functions[] = {(void *)never, (void *)never, (void *)release, (void *)get_cost};
static struct {
  void **functions;
} manager = {functions};

static uint32_t release(void *object) { return object == &manager ? (uint32_t)--held : 99; }
static uint32_t get_cost(void *object, uint32_t *out, void *address) {
  if (object != &manager || address) return 0x80070057;
  *out = cost;
  return 0;
}

/* Set up in another manner already: the caller has to go on. */
uint32_t CoInitializeEx(void *reserved, uint32_t mode) { return reserved || mode ? 0x80070057 : 0x80010106; }
uint32_t CoCreateInstance(const void *class, void *outer, uint32_t context, const void *interface, void **out) {
  if (failure) return failure;
  if (memcmp(class, class_id, 16) || memcmp(interface, interface_id, 16) || outer || context != 23) return 0x80040154;
  held++;
  *out = &manager;
  return 0;
}
