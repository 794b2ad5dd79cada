/*
 * Prints every struct offset and constant that native/src/ffi/layout/linux.ts holds, as the headers of this compiler see them.
 *   cc -o linux linux.c && ./linux
 */
#define _GNU_SOURCE
#include <sys/socket.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>

#define SIZE(name) printf(#name ".sizeof %u\n", (unsigned)sizeof(struct name))
#define AT(name, field) printf(#name "." #field " %u\n", (unsigned)offsetof(struct name, field))
#define VALUE(name) printf(#name " %u\n", (unsigned)(name))

static void structs(void) {
  SIZE(sockaddr_in);
  AT(sockaddr_in, sin_family);
  AT(sockaddr_in, sin_port);
  AT(sockaddr_in, sin_addr);
  SIZE(sockaddr_in6);
  AT(sockaddr_in6, sin6_port);
  AT(sockaddr_in6, sin6_addr);
  AT(sockaddr_in6, sin6_scope_id);
  SIZE(sockaddr_nl);
  AT(sockaddr_nl, nl_family);
  AT(sockaddr_nl, nl_groups);
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
  SIZE(sock_extended_err);
  AT(sock_extended_err, ee_errno);
  AT(sock_extended_err, ee_origin);
  AT(sock_extended_err, ee_type);
  AT(sock_extended_err, ee_code);
  SIZE(timespec);
  AT(timespec, tv_sec);
  AT(timespec, tv_nsec);
  SIZE(timeval);
  AT(timeval, tv_sec);
  AT(timeval, tv_usec);
  AT(epoll_event, events);
  SIZE(nlmsghdr);
  AT(nlmsghdr, nlmsg_len);
  AT(nlmsghdr, nlmsg_type);
  AT(nlmsghdr, nlmsg_flags);
  AT(nlmsghdr, nlmsg_seq);
  SIZE(nlattr);
  AT(nlattr, nla_len);
  AT(nlattr, nla_type);
  SIZE(genlmsghdr);
  AT(genlmsghdr, cmd);
  AT(genlmsghdr, version);
  SIZE(rtmsg);
  AT(rtmsg, rtm_family);
  AT(rtmsg, rtm_dst_len);
  AT(rtmsg, rtm_table);
  AT(rtmsg, rtm_type);
  SIZE(ifinfomsg);
  AT(ifinfomsg, ifi_type);
  AT(ifinfomsg, ifi_index);
  AT(ifinfomsg, ifi_flags);
  SIZE(ifaddrmsg);
  AT(ifaddrmsg, ifa_family);
  AT(ifaddrmsg, ifa_index);
}

static void constants(void) {
  VALUE(AF_INET);
  VALUE(AF_INET6);
  VALUE(AF_NETLINK);
  VALUE(SOCK_DGRAM);
  VALUE(SOCK_RAW);
  VALUE(SOCK_NONBLOCK);
  VALUE(SOCK_CLOEXEC);
  VALUE(EPOLL_CLOEXEC);
  VALUE(EPOLL_CTL_ADD);
  VALUE(EPOLLIN);
  VALUE(CLOCK_REALTIME);
  VALUE(MSG_TRUNC);
  VALUE(MSG_DONTWAIT);
  VALUE(MSG_ERRQUEUE);
  VALUE(SOL_IP);
  VALUE(SOL_SOCKET);
  VALUE(SOL_IPV6);
  VALUE(SO_RCVTIMEO);
  VALUE(SO_BINDTODEVICE);
  VALUE(SO_TIMESTAMPNS);
  VALUE(IPPROTO_ICMP);
  VALUE(IPPROTO_ICMPV6);
  VALUE(IP_TTL);
  VALUE(IP_MTU_DISCOVER);
  VALUE(IP_PMTUDISC_PROBE);
  VALUE(IP_RECVERR);
  VALUE(IPV6_UNICAST_HOPS);
  VALUE(IPV6_MTU_DISCOVER);
  VALUE(IPV6_PMTUDISC_PROBE);
  VALUE(IPV6_RECVERR);
  VALUE(SO_EE_ORIGIN_ICMP);
  VALUE(SO_EE_ORIGIN_ICMP6);
  VALUE(EOVERFLOW);
  VALUE(NETLINK_ROUTE);
  VALUE(NETLINK_GENERIC);
  VALUE(NLM_F_REQUEST);
  VALUE(NLM_F_ACK);
  VALUE(NLM_F_DUMP);
  VALUE(NLMSG_ERROR);
  VALUE(NLMSG_DONE);
  /* Of a type of 16 bits. */
  printf("NLA_TYPE_MASK %u\n", (unsigned)(NLA_TYPE_MASK & 0xffff));
  VALUE(RTMGRP_LINK);
  VALUE(RTMGRP_IPV4_IFADDR);
  VALUE(RTMGRP_IPV4_ROUTE);
  VALUE(RTMGRP_IPV6_IFADDR);
  VALUE(RTMGRP_IPV6_ROUTE);
  VALUE(RTM_NEWLINK);
  VALUE(RTM_DELLINK);
  VALUE(RTM_GETLINK);
  VALUE(RTM_NEWADDR);
  VALUE(RTM_DELADDR);
  VALUE(RTM_NEWROUTE);
  VALUE(RTM_DELROUTE);
  VALUE(RTM_GETROUTE);
  VALUE(RT_TABLE_LOCAL);
  VALUE(RTA_DST);
  VALUE(RTA_OIF);
  VALUE(RTA_GATEWAY);
  VALUE(RTA_PRIORITY);
  VALUE(RTA_PREFSRC);
  VALUE(RTA_VIA);
  VALUE(RTN_UNICAST);
  VALUE(RTN_LOCAL);
  VALUE(IFA_ADDRESS);
  VALUE(IFA_LOCAL);
  VALUE(IFF_UP);
  VALUE(IFF_LOWER_UP);
  VALUE(IFLA_IFNAME);
  VALUE(IFLA_WIRELESS);
  VALUE(IFLA_LINKINFO);
  VALUE(IFLA_INFO_KIND);
  VALUE(ARPHRD_PPP);
  VALUE(ARPHRD_TUNNEL);
  VALUE(ARPHRD_TUNNEL6);
  VALUE(ARPHRD_SIT);
  VALUE(ARPHRD_IPGRE);
  VALUE(ARPHRD_IP6GRE);
  VALUE(GENL_ID_CTRL);
  VALUE(CTRL_CMD_GETFAMILY);
  VALUE(CTRL_ATTR_FAMILY_ID);
  VALUE(CTRL_ATTR_FAMILY_NAME);
  VALUE(NL80211_CMD_GET_INTERFACE);
  VALUE(NL80211_CMD_GET_STATION);
  VALUE(NL80211_CMD_GET_SCAN);
  VALUE(NL80211_CMD_GET_SURVEY);
  VALUE(NL80211_ATTR_IFINDEX);
  VALUE(NL80211_ATTR_IFNAME);
  VALUE(NL80211_ATTR_IFTYPE);
  VALUE(NL80211_ATTR_MAC);
  VALUE(NL80211_ATTR_STA_INFO);
  VALUE(NL80211_ATTR_WIPHY_FREQ);
  VALUE(NL80211_ATTR_BSS);
  VALUE(NL80211_ATTR_SSID);
  VALUE(NL80211_ATTR_SURVEY_INFO);
  VALUE(NL80211_ATTR_MLO_LINKS);
  VALUE(NL80211_IFTYPE_STATION);
  VALUE(NL80211_STA_INFO_SIGNAL);
  VALUE(NL80211_STA_INFO_TX_BITRATE);
  VALUE(NL80211_STA_INFO_TX_PACKETS);
  VALUE(NL80211_STA_INFO_TX_RETRIES);
  VALUE(NL80211_STA_INFO_TX_FAILED);
  VALUE(NL80211_STA_INFO_SIGNAL_AVG);
  VALUE(NL80211_STA_INFO_CONNECTED_TIME);
  VALUE(NL80211_STA_INFO_BEACON_LOSS);
  VALUE(NL80211_RATE_INFO_BITRATE);
  VALUE(NL80211_RATE_INFO_BITRATE32);
  VALUE(NL80211_SURVEY_INFO_FREQUENCY);
  VALUE(NL80211_SURVEY_INFO_NOISE);
  VALUE(NL80211_SURVEY_INFO_IN_USE);
  VALUE(NL80211_SURVEY_INFO_TIME);
  VALUE(NL80211_SURVEY_INFO_TIME_BUSY);
  VALUE(NL80211_SURVEY_INFO_TIME_TX);
  VALUE(NL80211_BSS_FREQUENCY);
  VALUE(NL80211_BSS_INFORMATION_ELEMENTS);
  VALUE(NL80211_BSS_SIGNAL_MBM);
  VALUE(NL80211_BSS_SIGNAL_UNSPEC);
  VALUE(NL80211_BSS_STATUS);
  VALUE(NL80211_BSS_BEACON_IES);
  VALUE(NL80211_BSS_STATUS_ASSOCIATED);
}

int main(void) {
  structs();
  constants();
  return 0;
}
