/*
 * A stand-in for macOS's libSystem on Linux: Darwin's numbers and layouts, written down here once more and apart from the adapters'
 * table, over a path of two routers that lives in this file. Whatever is asked with another system's numbers is refused with EINVAL.
 *   cc -shared -fPIC -o fake-system.so fake-system.c
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { D_INET = 2, D_INET6 = 30, D_LINK = 18, D_DONTWAIT = 0x80, D_SOCKET = 0xffff, D_TIMESTAMP = 0x400, SOCKETS = 64 };

struct d_sockaddr {
  uint8_t len, family;
  uint16_t port;
  uint8_t rest[24];
};
struct d_message {
  struct d_sockaddr *name;
  uint32_t namelen;
  struct {
    void *base;
    uint64_t len;
  } * iov;
  int32_t iovlen;
  void *control;
  uint32_t controllen;
  int32_t flags;
};
struct d_route {
  uint16_t msglen;
  uint8_t version, type;
  uint16_t index;
  int32_t flags, addrs, pid, seq, error, use;
  uint32_t inits, metrics[14];
};
/* What travels from the path to the socket. */
struct letter {
  struct d_sockaddr from;
  struct timespec at;
  uint32_t length;
  uint8_t bytes[512];
};

static char behaviour[64];
static struct {
  int inner, outer, family, ttl, stamps;
} sockets[SOCKETS];

/* "silent", "unreachable", "vpn", "no-route", "refused", "local-network-denied", "gateway-gone" or "". */
void fake_behave(const char *how) { snprintf(behaviour, sizeof behaviour, "%s", how); }
static int is(const char *how) { return !strcmp(behaviour, how); }
int fake_open_sockets(void) {
  int open = 0;
  for (int i = 0; i < SOCKETS; i++) open += sockets[i].outer != 0;
  return open;
}

/* The other end of the routing socket that was opened last. */
static int announcer = -1;
void fake_announce(const void *bytes, size_t length) { syscall(SYS_write, announcer, bytes, length); }

static long fail(int error) {
  errno = error;
  return -1;
}
static int find(int fd) {
  for (int i = 0; i < SOCKETS; i++)
    if (fd && sockets[i].outer == fd) return i;
  return -1;
}

int socket(int family, int type, int protocol) {
  int pair[2], free = 0;
  if (is("refused")) return (int)fail(EPERM);
  if (family == 17 && type == 3 && protocol == 0) {
    if (syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair)) return -1;
    announcer = pair[1];
    return pair[0];
  }
  if (type != 2 || !((family == D_INET && protocol == 1) || (family == D_INET6 && protocol == 58))) return (int)fail(EINVAL);
  while (free < SOCKETS && sockets[free].outer) free++;
  if (free == SOCKETS) return (int)fail(EMFILE);
  if (syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair)) return -1;
  sockets[free].outer = pair[0];
  sockets[free].inner = pair[1];
  sockets[free].family = family;
  sockets[free].ttl = 64;
  sockets[free].stamps = 0;
  return pair[0];
}

int close(int fd) {
  int i = find(fd);
  if (i >= 0) {
    syscall(SYS_close, sockets[i].inner);
    sockets[i].outer = 0;
  }
  return (int)syscall(SYS_close, fd);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length) {
  int i = find(fd), v4 = i >= 0 && sockets[i].family == D_INET;
  if (i < 0 || length != 4) return (int)fail(EINVAL);
  if (level == D_SOCKET && name == D_TIMESTAMP) sockets[i].stamps = *(const int *)value;
  else if (level == (v4 ? 0 : 41) && name == 4) sockets[i].ttl = *(const int *)value;
  else return (int)fail(EINVAL);
  return 0;
}

static uint16_t checksum(const uint8_t *bytes, size_t length) {
  uint32_t sum = 0;
  for (size_t i = 0; i + 1 < length; i += 2) sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

static size_t header4(uint8_t *out, const char *from, const uint8_t *to) {
  memset(out, 0, 20);
  out[0] = 0x45;
  out[9] = 1;
  inet_pton(AF_INET, from, out + 12);
  memcpy(out + 16, to, 4);
  return 20;
}
static size_t header6(uint8_t *out, const char *from, const uint8_t *to) {
  memset(out, 0, 40);
  out[0] = 0x60;
  out[6] = 58;
  inet_pton(AF_INET6, from, out + 8);
  memcpy(out + 24, to, 16);
  return 40;
}

/* Answers a request as the path would: routers at distance 1 and 2, the destination behind them. */
static void answer(int i, const uint8_t *request, size_t length, const struct d_sockaddr *to) {
  static const uint8_t here4[4] = {192, 168, 7, 20};
  struct letter out = {0};
  int v4 = sockets[i].family == D_INET, ttl = sockets[i].ttl, far = ttl > 2;
  const char *routers4[] = {"192.168.7.1", "198.51.100.2"}, *routers6[] = {"2001:db8:1::1", "2001:db8:2::1"};
  const uint8_t *target = to->rest + (v4 ? 0 : 4);
  uint8_t *at = out.bytes;
  if (ttl == 2 && is("silent")) return;
  out.from.len = v4 ? 16 : 28;
  out.from.family = (uint8_t)sockets[i].family;
  if (far && !is("unreachable")) memcpy(out.from.rest, to->rest, v4 ? 4 : 20);
  else if (v4) inet_pton(AF_INET, routers4[far ? 1 : ttl - 1], out.from.rest);
  else inet_pton(AF_INET6, routers6[far ? 1 : ttl - 1], out.from.rest + 4);
  if (v4) at += header4(at, "192.0.2.99", here4);
  if (far && !is("unreachable")) {
    memcpy(at, request, length);
    at[0] = v4 ? 0 : 129;
    at += length;
  } else {
    at[0] = far ? (v4 ? 3 : 1) : (v4 ? 11 : 3);
    at += 8;
    at += v4 ? header4(at, "192.168.7.20", target) : header6(at, "2001:db8:1::20", target);
    memcpy(at, request, 8);
    at += 8;
  }
  out.length = (uint32_t)(at - out.bytes);
  clock_gettime(CLOCK_REALTIME, &out.at);
  /* A stranger's answer comes first: every ICMP socket hears all of them. */
  struct letter other = out;
  other.bytes[out.length - 3] ^= 0xff;
  other.bytes[out.length - 4] ^= 0xff;
  if (!(far && !is("unreachable"))) syscall(SYS_write, sockets[i].inner, &other, sizeof other);
  syscall(SYS_write, sockets[i].inner, &out, sizeof out);
}

ssize_t sendto(int fd, const void *bytes, size_t length, int flags, const struct sockaddr *address, socklen_t size) {
  const struct d_sockaddr *to = (const void *)address;
  const uint8_t *request = bytes;
  int i = find(fd), v4 = i >= 0 && sockets[i].family == D_INET;
  if (i < 0 || flags != D_DONTWAIT || to->len != size || to->family != sockets[i].family) return fail(EINVAL);
  if (size != (v4 ? 16 : 28) || request[0] != (v4 ? 8 : 128)) return fail(EINVAL);
  if (v4 && checksum(request, length) != 0) return fail(EINVAL);
  if (is("local-network-denied") || is("gateway-gone")) {
    static const uint8_t lan[2] = {192, 168};
    if (v4 && !memcmp(to->rest, lan, 2)) return fail(is("gateway-gone") ? EHOSTDOWN : EHOSTUNREACH);
  }
  answer(i, request, length, to);
  return (ssize_t)length;
}

ssize_t recv(int fd, void *bytes, size_t length, int flags) {
  if (flags != D_DONTWAIT) return fail(EINVAL);
  return syscall(SYS_recvfrom, fd, bytes, length, MSG_DONTWAIT, NULL, NULL);
}

ssize_t recvmsg(int fd, struct msghdr *header, int flags) {
  struct d_message *message = (void *)header;
  struct letter in;
  struct {
    uint32_t len;
    int32_t level, type;
    int64_t seconds;
    int32_t micros, pad;
  } __attribute__((packed)) *stamp = message->control;
  int i = find(fd);
  if (i < 0 || !(flags & D_DONTWAIT) || message->iovlen != 1) return fail(EINVAL);
  if (syscall(SYS_recvfrom, fd, &in, sizeof in, MSG_DONTWAIT, NULL, NULL) != sizeof in) return -1;
  memcpy(message->name, &in.from, in.from.len);
  message->namelen = in.from.len;
  message->controllen = 0;
  if (sockets[i].stamps) {
    stamp->len = message->controllen = sizeof *stamp;
    stamp->level = D_SOCKET;
    stamp->type = 2;
    stamp->seconds = in.at.tv_sec;
    stamp->micros = (int32_t)(in.at.tv_nsec / 1000);
  }
  memcpy(message->iov->base, in.bytes, in.length);
  return in.length;
}

static uint8_t table[4096];
static size_t filled;

static void put(const void *bytes, size_t length) {
  memcpy(table + filled, bytes, length);
  filled += (length + 3) & ~(size_t)3;
}

static void put_address(int family, const char *text) {
  struct d_sockaddr address = {family == D_INET ? 16 : 28, (uint8_t)family, 0, {0}};
  inet_pton(family == D_INET ? AF_INET : AF_INET6, text, address.rest + (family == D_INET ? 0 : 4));
  /* The kernel keeps a link-local address' scope within it. */
  if (family == D_INET6 && address.rest[4] == 0xfe) address.rest[7] = 4;
  put(&address, address.len);
}

/* A mask without its trailing zeros; an empty one is a length of zero. */
static void put_mask(int family, int bits) {
  uint8_t mask[28] = {0};
  int start = family == D_INET ? 4 : 8, bytes = (bits + 7) / 8;
  if (bits == 0) {
    put(mask, 4);
    return;
  }
  mask[0] = (uint8_t)(start + bytes);
  for (int bit = 0; bit < bits; bit++) mask[start + bit / 8] |= (uint8_t)(0x80 >> bit % 8);
  put(mask, mask[0]);
}

struct route {
  int family, flags, index, bits;
  const char *to, *gateway;
};

static void put_route(struct route route) {
  size_t begins = filled;
  struct d_route header = {0, 5, 4, (uint16_t)route.index, route.flags, route.bits < 0 ? 3 : 7, 0, 0, 0, 0, 0, {0}};
  /* A link's address has a hardware address in it: what shows 0xee is wrong. */
  uint8_t link[20] = {20, D_LINK, (uint8_t)route.index, 0, 6, 3, 6, 0, 'e', 'n', '0', 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0, 0, 0};
  put(&header, sizeof header);
  put_address(route.family, route.to);
  if (route.gateway) put_address(route.family, route.gateway);
  else put(link, sizeof link);
  if (route.bits >= 0) put_mask(route.family, route.bits);
  ((struct d_route *)(table + begins))->msglen = (uint16_t)(filled - begins);
}

static void fill(int family) {
  const int up = 0x1, gateway = 0x2, host = 0x4, reject = 0x8, scoped = 0x1000000;
  filled = 0;
  if (is("no-route")) return;
  if (family == D_INET) {
    put_route((struct route){family, up | gateway | scoped, 9, 0, "0.0.0.0", "10.0.0.1"});
    put_route((struct route){family, up | gateway, 4, 0, "0.0.0.0", "192.168.7.1"});
    put_route((struct route){family, up, 4, 24, "192.168.7.0", NULL});
    put_route((struct route){family, up | host, 4, -1, "192.168.7.1", NULL});
    put_route((struct route){family, up | reject, 1, 16, "198.18.0.0", NULL});
    if (is("vpn")) put_route((struct route){family, up | gateway, 12, 1, "128.0.0.0", "10.8.0.1"});
  } else {
    put_route((struct route){family, up | gateway, 4, 0, "::", "fe80::1"});
    put_route((struct route){family, up, 4, 64, "2001:db8:1::", NULL});
  }
}

int sysctl(const int *name, uint32_t names, void *out, size_t *size, void *set, size_t set_size) {
  if (names != 6 || name[0] != 4 || name[1] != 17 || name[2] || name[4] != 1 || name[5] || set || set_size) return (int)fail(EINVAL);
  if (name[3] != D_INET && name[3] != D_INET6) return (int)fail(EINVAL);
  fill(name[3]);
  if (out && *size < filled) return (int)fail(ENOMEM);
  if (out) memcpy(out, table, filled);
  *size = filled;
  return 0;
}

char *if_indextoname(unsigned index, char *out) {
  const char *found = index == 4 ? "en0" : index == 9 ? "en7" : index == 12 ? "utun3" : NULL;
  if (!found) return fail(ENXIO), NULL;
  return strcpy(out, found);
}
