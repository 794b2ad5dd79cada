/**
 * Struct layouts and constants of 64-bit macOS (arm64 and x86_64 agree) that the adapters use, by the names of the SDK's headers.
 * offsets/darwin.c prints this very table on a Mac; until it has run there, they are what those headers say in Apple's open sources.
 */
export const DARWIN = {
  structs: {
    // netinet/in.h, netinet6/in6.h
    sockaddr_in: { sizeof: 16, sin_len: 0, sin_family: 1, sin_port: 2, sin_addr: 4 },
    sockaddr_in6: { sizeof: 28, sin6_port: 2, sin6_addr: 8, sin6_scope_id: 24 },
    // net/route.h
    rt_msghdr: { sizeof: 92, rtm_msglen: 0, rtm_version: 2, rtm_type: 3, rtm_index: 4, rtm_flags: 8, rtm_addrs: 12 },
    // net/if.h
    if_msghdr: { ifm_flags: 8, ifm_index: 12 },
    ifa_msghdr: { ifam_index: 12 },
    // sys/socket.h, sys/uio.h
    msghdr: {
      sizeof: 48,
      msg_name: 0,
      msg_namelen: 8,
      msg_iov: 16,
      msg_iovlen: 24,
      msg_control: 32,
      msg_controllen: 40,
      msg_flags: 44,
    },
    iovec: { sizeof: 16, iov_base: 0, iov_len: 8 },
    cmsghdr: { sizeof: 12, cmsg_len: 0, cmsg_level: 4, cmsg_type: 8 },
    // sys/_types/_timeval.h, sys/_types/_timespec.h
    timeval: { sizeof: 16, tv_sec: 0, tv_usec: 8 },
    timespec: { sizeof: 16, tv_sec: 0, tv_nsec: 8 },
  },
  constants: {
    // sys/socket.h
    AF_UNSPEC: 0,
    AF_INET: 2,
    AF_LINK: 18,
    AF_INET6: 30,
    PF_ROUTE: 17,
    SOCK_DGRAM: 2,
    SOCK_RAW: 3,
    SOL_SOCKET: 0xffff,
    SO_TIMESTAMP: 0x400,
    SCM_TIMESTAMP: 2,
    MSG_DONTWAIT: 0x80,
    // sys/sysctl.h, sys/socket.h
    CTL_NET: 4,
    NET_RT_DUMP: 1,
    // net/route.h
    RTM_VERSION: 5,
    RTM_ADD: 0x1,
    RTM_DELETE: 0x2,
    RTM_CHANGE: 0x3,
    RTM_NEWADDR: 0xc,
    RTM_DELADDR: 0xd,
    RTM_IFINFO: 0xe,
    RTF_UP: 0x1,
    RTF_GATEWAY: 0x2,
    RTF_HOST: 0x4,
    RTF_REJECT: 0x8,
    RTF_BLACKHOLE: 0x1000,
    RTF_IFSCOPE: 0x1000000,
    RTAX_DST: 0,
    RTAX_GATEWAY: 1,
    RTAX_NETMASK: 2,
    RTAX_MAX: 8,
    // netinet/in.h, netinet6/in6.h
    IPPROTO_IP: 0,
    IPPROTO_ICMP: 1,
    IPPROTO_IPV6: 41,
    IPPROTO_ICMPV6: 58,
    IP_TTL: 4,
    IP_DONTFRAG: 28,
    IPV6_UNICAST_HOPS: 4,
    IPV6_DONTFRAG: 62,
    // net/if.h
    IF_NAMESIZE: 16,
    IFF_UP: 0x1,
    // time.h
    CLOCK_REALTIME: 0,
    // CoreFoundation/CFString.h
    kCFStringEncodingUTF8: 0x08000100,
    // CoreWLAN/CoreWLANTypes.h
    kCWChannelBand2GHz: 1,
    kCWChannelBand5GHz: 2,
    kCWChannelBand6GHz: 3,
  },
} as const;
