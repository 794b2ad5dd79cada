/*
 * Prints every struct offset and constant that native/src/ffi/layout/darwin.ts holds, as the headers of this Mac's SDK see them.
 *   cc -x objective-c -framework CoreWLAN -framework CoreFoundation -o darwin darwin.c && ./darwin
 */
#include <CoreFoundation/CoreFoundation.h>
#import <CoreWLAN/CoreWLAN.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#define SIZE(name) printf(#name ".sizeof %u\n", (unsigned)sizeof(struct name))
#define AT(name, field) printf(#name "." #field " %u\n", (unsigned)offsetof(struct name, field))
#define VALUE(name) printf(#name " %u\n", (unsigned)(name))

static void structs(void) {
  SIZE(sockaddr_in);
  AT(sockaddr_in, sin_len);
  AT(sockaddr_in, sin_family);
  AT(sockaddr_in, sin_port);
  AT(sockaddr_in, sin_addr);
  SIZE(sockaddr_in6);
  AT(sockaddr_in6, sin6_port);
  AT(sockaddr_in6, sin6_addr);
  AT(sockaddr_in6, sin6_scope_id);
  SIZE(rt_msghdr);
  AT(rt_msghdr, rtm_msglen);
  AT(rt_msghdr, rtm_version);
  AT(rt_msghdr, rtm_type);
  AT(rt_msghdr, rtm_index);
  AT(rt_msghdr, rtm_flags);
  AT(rt_msghdr, rtm_addrs);
  AT(if_msghdr, ifm_flags);
  AT(if_msghdr, ifm_index);
  AT(ifa_msghdr, ifam_index);
  SIZE(msghdr);
  AT(msghdr, msg_name);
  AT(msghdr, msg_namelen);
  AT(msghdr, msg_iov);
  AT(msghdr, msg_iovlen);
  AT(msghdr, msg_control);
  AT(msghdr, msg_controllen);
  AT(msghdr, msg_flags);
  SIZE(iovec);
  AT(iovec, iov_base);
  AT(iovec, iov_len);
  SIZE(cmsghdr);
  AT(cmsghdr, cmsg_len);
  AT(cmsghdr, cmsg_level);
  AT(cmsghdr, cmsg_type);
  SIZE(timeval);
  AT(timeval, tv_sec);
  AT(timeval, tv_usec);
  SIZE(timespec);
  AT(timespec, tv_sec);
  AT(timespec, tv_nsec);
}

static void constants(void) {
  VALUE(AF_UNSPEC);
  VALUE(AF_INET);
  VALUE(AF_LINK);
  VALUE(AF_INET6);
  VALUE(PF_ROUTE);
  VALUE(SOCK_DGRAM);
  VALUE(SOCK_RAW);
  VALUE(SOL_SOCKET);
  VALUE(SO_TIMESTAMP);
  VALUE(SCM_TIMESTAMP);
  VALUE(MSG_DONTWAIT);
  VALUE(CTL_NET);
  VALUE(NET_RT_DUMP);
  VALUE(RTM_VERSION);
  VALUE(RTM_ADD);
  VALUE(RTM_DELETE);
  VALUE(RTM_CHANGE);
  VALUE(RTM_NEWADDR);
  VALUE(RTM_DELADDR);
  VALUE(RTM_IFINFO);
  VALUE(RTF_UP);
  VALUE(RTF_GATEWAY);
  VALUE(RTF_HOST);
  VALUE(RTF_REJECT);
  VALUE(RTF_BLACKHOLE);
  VALUE(RTF_IFSCOPE);
  VALUE(RTAX_DST);
  VALUE(RTAX_GATEWAY);
  VALUE(RTAX_NETMASK);
  VALUE(RTAX_MAX);
  VALUE(IPPROTO_IP);
  VALUE(IPPROTO_ICMP);
  VALUE(IPPROTO_IPV6);
  VALUE(IPPROTO_ICMPV6);
  VALUE(IP_TTL);
  VALUE(IP_DONTFRAG);
  VALUE(IPV6_UNICAST_HOPS);
  VALUE(IPV6_DONTFRAG);
  VALUE(IF_NAMESIZE);
  VALUE(IFF_UP);
  VALUE(CLOCK_REALTIME);
  VALUE(kCFStringEncodingUTF8);
  VALUE(kCWChannelBand2GHz);
  VALUE(kCWChannelBand5GHz);
  VALUE(kCWChannelBand6GHz);
}

int main(void) {
  structs();
  constants();
  return 0;
}
