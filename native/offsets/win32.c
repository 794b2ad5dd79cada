/*
 * Prints every struct offset and constant that native/src/ffi/layout/win32.ts holds, as the headers of this compiler see them.
 *   x86_64-w64-mingw32-gcc -o win32.exe win32.c        cl win32.c
 */
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#include <iphlpapi.h>
#include <netioapi.h>
#include <icmpapi.h>
#include <wlanapi.h>
#include <sddl.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf(#type ".sizeof %u\n", (unsigned)sizeof(type))
#define SIZE_AS(name, type) printf(name ".sizeof %u\n", (unsigned)sizeof(type))
#define AT(type, field) printf(#type "." #field " %u\n", (unsigned)offsetof(type, field))
#define AT_AS(name, type, path) printf(name " %u\n", (unsigned)offsetof(type, path))
#define VALUE(name) printf(#name " %u\n", (unsigned)(name))

#ifdef __MINGW32__
/* Not in this compiler's headers: ipexport.h of the Windows SDK, whose address is packed. */
#pragma pack(push, 1)
typedef struct {
  USHORT sin6_port;
  ULONG sin6_flowinfo;
  USHORT sin6_addr[8];
  ULONG sin6_scope_id;
} PACKED_ADDRESS;
#pragma pack(pop)
typedef struct {
  PACKED_ADDRESS Address;
  ULONG Status;
  unsigned int RoundTripTime;
} ICMPV6_ECHO_REPLY;
/* Nor is this: wlanapi.h of the Windows SDK 10.0.26100, as its documentation prints it. */
enum { wlan_intf_opcode_realtime_connection_quality = 19 };
typedef struct {
  UCHAR ucLinkID;
  ULONG ulChannelCenterFrequencyMhz;
  ULONG ulBandwidth;
  LONG lRssi;
  WLAN_RATE_SET wlanRateSet;
} QUALITY_LINK;
typedef struct {
  DOT11_PHY_TYPE dot11PhyType;
  ULONG ulLinkQuality;
  ULONG ulRxRate;
  ULONG ulTxRate;
  BOOL bIsMLOConnection;
  ULONG ulNumLinks;
  QUALITY_LINK linksInfo[1];
} QUALITY;
#else
typedef WLAN_REALTIME_CONNECTION_QUALITY QUALITY;
#endif

static void sockets(void) {
  SIZE(SOCKADDR_IN);
  AT(SOCKADDR_IN, sin_port);
  AT(SOCKADDR_IN, sin_addr);
  SIZE(SOCKADDR_IN6);
  AT(SOCKADDR_IN6, sin6_port);
  AT(SOCKADDR_IN6, sin6_addr);
  AT(SOCKADDR_IN6, sin6_scope_id);
  SIZE(SOCKADDR_INET);
  VALUE(AF_UNSPEC);
  VALUE(AF_INET);
  VALUE(AF_INET6);
}

static void echoes(void) {
  SIZE(IP_OPTION_INFORMATION);
  AT(IP_OPTION_INFORMATION, Ttl);
  AT(IP_OPTION_INFORMATION, Flags);
  SIZE(ICMP_ECHO_REPLY);
  AT(ICMP_ECHO_REPLY, Address);
  AT(ICMP_ECHO_REPLY, Status);
  AT(ICMP_ECHO_REPLY, RoundTripTime);
  SIZE(ICMPV6_ECHO_REPLY);
  AT_AS("ICMPV6_ECHO_REPLY.sin6_addr", ICMPV6_ECHO_REPLY, Address.sin6_addr);
  AT(ICMPV6_ECHO_REPLY, Status);
  AT(ICMPV6_ECHO_REPLY, RoundTripTime);
  VALUE(IP_SUCCESS);
  VALUE(IP_DEST_NET_UNREACHABLE);
  VALUE(IP_DEST_HOST_UNREACHABLE);
  VALUE(IP_DEST_PROT_UNREACHABLE);
  VALUE(IP_DEST_PORT_UNREACHABLE);
  VALUE(IP_REQ_TIMED_OUT);
  VALUE(IP_TTL_EXPIRED_TRANSIT);
}

static void routes(void) {
  SIZE(MIB_IPFORWARD_ROW2);
  AT(MIB_IPFORWARD_ROW2, InterfaceIndex);
  AT(MIB_IPFORWARD_ROW2, DestinationPrefix);
  AT_AS("MIB_IPFORWARD_ROW2.PrefixLength", MIB_IPFORWARD_ROW2, DestinationPrefix.PrefixLength);
  AT(MIB_IPFORWARD_ROW2, NextHop);
  AT(MIB_IPFORWARD_ROW2, Metric);
  AT(MIB_IPFORWARD_TABLE2, Table);
}

static void adapters(void) {
  AT(IP_ADAPTER_ADDRESSES, IfIndex);
  AT(IP_ADAPTER_ADDRESSES, Next);
  AT(IP_ADAPTER_ADDRESSES, AdapterName);
  AT(IP_ADAPTER_ADDRESSES, FirstDnsServerAddress);
  AT(IP_ADAPTER_ADDRESSES, DnsSuffix);
  AT(IP_ADAPTER_ADDRESSES, Description);
  AT(IP_ADAPTER_ADDRESSES, FriendlyName);
  AT(IP_ADAPTER_ADDRESSES, IfType);
  AT(IP_ADAPTER_ADDRESSES, OperStatus);
  AT(IP_ADAPTER_ADDRESSES, Ipv6IfIndex);
  AT(IP_ADAPTER_ADDRESSES, Ipv4Metric);
  AT(IP_ADAPTER_DNS_SERVER_ADDRESS, Next);
  AT_AS("IP_ADAPTER_DNS_SERVER_ADDRESS.lpSockaddr", IP_ADAPTER_DNS_SERVER_ADDRESS, Address.lpSockaddr);
  AT_AS("IP_ADAPTER_DNS_SERVER_ADDRESS.iSockaddrLength", IP_ADAPTER_DNS_SERVER_ADDRESS, Address.iSockaddrLength);
  VALUE(MibDeleteInstance);
  VALUE(GAA_FLAG_SKIP_UNICAST);
  VALUE(GAA_FLAG_SKIP_ANYCAST);
  VALUE(GAA_FLAG_SKIP_MULTICAST);
  VALUE(IF_TYPE_SOFTWARE_LOOPBACK);
  VALUE(IF_TYPE_PPP);
  VALUE(IF_TYPE_PROP_VIRTUAL);
  VALUE(IF_TYPE_TUNNEL);
  VALUE(IfOperStatusUp);
}

static void wireless(void) {
  AT(WLAN_INTERFACE_INFO_LIST, dwNumberOfItems);
  AT(WLAN_INTERFACE_INFO_LIST, InterfaceInfo);
  SIZE(WLAN_INTERFACE_INFO);
  AT(WLAN_INTERFACE_INFO, InterfaceGuid);
  AT(WLAN_INTERFACE_INFO, isState);
  SIZE(WLAN_CONNECTION_ATTRIBUTES);
  AT_AS("WLAN_CONNECTION_ATTRIBUTES.uSSIDLength", WLAN_CONNECTION_ATTRIBUTES, wlanAssociationAttributes.dot11Ssid.uSSIDLength);
  AT_AS("WLAN_CONNECTION_ATTRIBUTES.ucSSID", WLAN_CONNECTION_ATTRIBUTES, wlanAssociationAttributes.dot11Ssid.ucSSID);
  AT_AS("WLAN_CONNECTION_ATTRIBUTES.wlanSignalQuality", WLAN_CONNECTION_ATTRIBUTES, wlanAssociationAttributes.wlanSignalQuality);
  AT_AS("WLAN_CONNECTION_ATTRIBUTES.ulTxRate", WLAN_CONNECTION_ATTRIBUTES, wlanAssociationAttributes.ulTxRate);
  SIZE_AS("WLAN_REALTIME_CONNECTION_QUALITY", QUALITY);
  AT_AS("WLAN_REALTIME_CONNECTION_QUALITY.ulLinkQuality", QUALITY, ulLinkQuality);
  AT_AS("WLAN_REALTIME_CONNECTION_QUALITY.ulTxRate", QUALITY, ulTxRate);
  AT_AS("WLAN_REALTIME_CONNECTION_QUALITY.ulNumLinks", QUALITY, ulNumLinks);
  AT_AS("WLAN_REALTIME_CONNECTION_QUALITY.linksInfo", QUALITY, linksInfo);
  AT_AS("WLAN_REALTIME_CONNECTION_QUALITY.ulChannelCenterFrequencyMhz", QUALITY, linksInfo[0].ulChannelCenterFrequencyMhz);
  AT_AS("WLAN_REALTIME_CONNECTION_QUALITY.lRssi", QUALITY, linksInfo[0].lRssi);
  VALUE(wlan_interface_state_connected);
  VALUE(wlan_intf_opcode_current_connection);
  VALUE(wlan_intf_opcode_channel_number);
  VALUE(wlan_intf_opcode_realtime_connection_quality);
  VALUE(wlan_intf_opcode_statistics);
  VALUE(wlan_intf_opcode_rssi);
}

static void system_calls(void) {
  AT(WLAN_STATISTICS, dwNumberOfPhys);
  AT(WLAN_STATISTICS, PhyCounters);
  SIZE(WLAN_PHY_FRAME_STATISTICS);
  AT(WLAN_PHY_FRAME_STATISTICS, ullTransmittedFrameCount);
  AT(WLAN_PHY_FRAME_STATISTICS, ullFailedCount);
  AT(WLAN_PHY_FRAME_STATISTICS, ullRetryCount);
  SIZE(SYSTEM_POWER_STATUS);
  AT(SYSTEM_POWER_STATUS, ACLineStatus);
  VALUE(NO_ERROR);
  VALUE(ERROR_ACCESS_DENIED);
  VALUE(ERROR_NOT_SUPPORTED);
  VALUE(ERROR_INVALID_PARAMETER);
  VALUE(ERROR_BUFFER_OVERFLOW);
  VALUE(ERROR_IO_PENDING);
  VALUE(ERROR_SERVICE_NOT_ACTIVE);
  VALUE(ERROR_NOT_FOUND);
  VALUE(ERROR_NETWORK_UNREACHABLE);
  VALUE(ERROR_HOST_UNREACHABLE);
  VALUE(WAIT_IO_COMPLETION);
}

static void pipes(void) {
  SIZE(OVERLAPPED);
  AT(OVERLAPPED, Internal);
  SIZE(SECURITY_ATTRIBUTES);
  AT(SECURITY_ATTRIBUTES, nLength);
  AT(SECURITY_ATTRIBUTES, lpSecurityDescriptor);
  VALUE(ERROR_NO_DATA);
  VALUE(ERROR_PIPE_CONNECTED);
  VALUE(PIPE_ACCESS_DUPLEX);
  VALUE(PIPE_REJECT_REMOTE_CLIENTS);
  VALUE(FILE_FLAG_OVERLAPPED);
  VALUE(FILE_FLAG_FIRST_PIPE_INSTANCE);
  VALUE(SDDL_REVISION_1);
}

static void services(void) {
  SIZE(SERVICE_TABLE_ENTRYW);
  AT(SERVICE_TABLE_ENTRYW, lpServiceName);
  AT(SERVICE_TABLE_ENTRYW, lpServiceProc);
  SIZE(SERVICE_STATUS);
  AT(SERVICE_STATUS, dwServiceType);
  AT(SERVICE_STATUS, dwCurrentState);
  AT(SERVICE_STATUS, dwControlsAccepted);
  AT(SERVICE_STATUS, dwWin32ExitCode);
  AT(SERVICE_STATUS, dwServiceSpecificExitCode);
  AT(SERVICE_STATUS, dwCheckPoint);
  AT(SERVICE_STATUS, dwWaitHint);
  VALUE(ERROR_CALL_NOT_IMPLEMENTED);
  VALUE(ERROR_SERVICE_SPECIFIC_ERROR);
  VALUE(STILL_ACTIVE);
  VALUE(SERVICE_WIN32_OWN_PROCESS);
  VALUE(SERVICE_STOPPED);
  VALUE(SERVICE_START_PENDING);
  VALUE(SERVICE_STOP_PENDING);
  VALUE(SERVICE_RUNNING);
  VALUE(SERVICE_ACCEPT_STOP);
  VALUE(SERVICE_ACCEPT_SHUTDOWN);
  VALUE(SERVICE_ACCEPT_POWEREVENT);
  VALUE(SERVICE_CONTROL_STOP);
  VALUE(SERVICE_CONTROL_INTERROGATE);
  VALUE(SERVICE_CONTROL_SHUTDOWN);
  VALUE(SERVICE_CONTROL_POWEREVENT);
  VALUE(PBT_APMSUSPEND);
  VALUE(PBT_APMRESUMESUSPEND);
  VALUE(PBT_APMRESUMEAUTOMATIC);
}

int main(void) {
  sockets();
  echoes();
  routes();
  adapters();
  wireless();
  system_calls();
  pipes();
  services();
  return 0;
}
