/*
 * A stand-in for wlanapi.dll: one radio with canned values, so that the binding runs end to end under wine. SVC_TEST_WLAN says how it
 * behaves: "denied" (no location permission), "old" (before Windows 11 24H2), "disconnected", "no-service", "no-radio", "denied-old".
 * The access point's address is filled with 0xEE: a reading that shows it is wrong.
 *   x86_64-w64-mingw32-gcc -shared -o fake-wlan.dll fake-wlan.c
 */
#include <windows.h>
#include <wlanapi.h>
#include <stdlib.h>
#include <string.h>

static const GUID RADIO = {0x12345678, 0x9abc, 0xdef0, {1, 2, 3, 4, 5, 6, 7, 8}};
static HANDLE const SESSION = (HANDLE)(ULONG_PTR)0x4242;
static LONG blocks;

static int behaves(const char *how) {
  const char *set = getenv("SVC_TEST_WLAN");
  return set && strstr(set, how) != NULL;
}

static void *block(SIZE_T bytes) {
  blocks++;
  return HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, bytes);
}

/* Blocks that nobody has given back: a leak of the binding. */
__declspec(dllexport) LONG fake_wlan_blocks(void) { return blocks; }

__declspec(dllexport) DWORD WINAPI WlanOpenHandle(DWORD version, PVOID reserved, PDWORD negotiated, PHANDLE session) {
  if (version != 2) return ERROR_NOT_SUPPORTED;
  if (behaves("no-service")) return ERROR_SERVICE_NOT_ACTIVE;
  *negotiated = 2;
  *session = SESSION;
  return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD WINAPI WlanCloseHandle(HANDLE session, PVOID reserved) {
  return session == SESSION ? ERROR_SUCCESS : ERROR_INVALID_HANDLE;
}

__declspec(dllexport) void WINAPI WlanFreeMemory(PVOID memory) {
  blocks--;
  HeapFree(GetProcessHeap(), 0, memory);
}

__declspec(dllexport) DWORD WINAPI WlanEnumInterfaces(HANDLE session, PVOID reserved, PWLAN_INTERFACE_INFO_LIST *list) {
  if (session != SESSION) return ERROR_INVALID_HANDLE;
  *list = block(sizeof(WLAN_INTERFACE_INFO_LIST) + sizeof(WLAN_INTERFACE_INFO));
  (*list)->dwNumberOfItems = behaves("no-radio") ? 0 : 1;
  (*list)->InterfaceInfo[0].InterfaceGuid = RADIO;
  wcscpy((*list)->InterfaceInfo[0].strInterfaceDescription, L"Fake Wi-Fi 6 radio");
  (*list)->InterfaceInfo[0].isState =
      behaves("disconnected") ? wlan_interface_state_disconnected : wlan_interface_state_connected;
  return ERROR_SUCCESS;
}

static DWORD give(PVOID *data, PDWORD size, const void *bytes, DWORD length) {
  *data = block(length);
  memcpy(*data, bytes, length);
  *size = length;
  return ERROR_SUCCESS;
}

static DWORD give_connection(PVOID *data, PDWORD size) {
  WLAN_CONNECTION_ATTRIBUTES now = {0};
  WLAN_ASSOCIATION_ATTRIBUTES *at = &now.wlanAssociationAttributes;
  now.isState = wlan_interface_state_connected;
  wcscpy(now.strProfileName, L"Caf\u00e9");
  at->dot11Ssid.uSSIDLength = 5;
  memcpy(at->dot11Ssid.ucSSID, "Caf\xc3\xa9", 5);
  memset(at->dot11Bssid, 0xEE, sizeof at->dot11Bssid);
  at->dot11PhyType = 10;
  at->wlanSignalQuality = 82;
  at->ulRxRate = 866700;
  at->ulTxRate = 780000;
  return give(data, size, &now, sizeof now);
}

/* WLAN_REALTIME_CONNECTION_QUALITY with one link, as native/offsets/win32.c declares it. */
static DWORD give_quality(PVOID *data, PDWORD size) {
  DWORD now[74] = {10, 84, 866700, 720500, 0, 1, 0, 5220, 80};
  ((LONG *)now)[9] = -59;
  return give(data, size, now, sizeof now);
}

/* Two generations of 802.11, each with frames sent, given up and sent again. */
static DWORD give_statistics(PVOID *data, PDWORD size) {
  struct {
    WLAN_STATISTICS first;
    WLAN_PHY_FRAME_STATISTICS second;
  } now = {0};
  now.first.dwNumberOfPhys = 2;
  for (int i = 0; i < 2; i++) {
    now.first.PhyCounters[i].ullTransmittedFrameCount = 1000 * (i + 1);
    now.first.PhyCounters[i].ullFailedCount = 2 * (i + 1);
    now.first.PhyCounters[i].ullRetryCount = 100 * (i + 1);
  }
  return give(data, size, &now, sizeof now);
}

__declspec(dllexport) DWORD WINAPI WlanQueryInterface(HANDLE session, const GUID *radio, WLAN_INTF_OPCODE opcode, PVOID reserved,
                                                      PDWORD size, PVOID *data, PWLAN_OPCODE_VALUE_TYPE type) {
  const LONG rssi = -59;
  const ULONG channel = 44;
  if (session != SESSION) return ERROR_INVALID_HANDLE;
  if (memcmp(radio, &RADIO, sizeof RADIO)) return ERROR_NOT_FOUND;
  if (behaves("disconnected")) return ERROR_INVALID_STATE;
  switch ((int)opcode) {
    case wlan_intf_opcode_current_connection:
      return behaves("denied") ? ERROR_ACCESS_DENIED : give_connection(data, size);
    case wlan_intf_opcode_rssi:
      return give(data, size, &rssi, sizeof rssi);
    case wlan_intf_opcode_channel_number:
      return give(data, size, &channel, sizeof channel);
    case wlan_intf_opcode_statistics:
      return give_statistics(data, size);
    case 19:
      return behaves("old") ? ERROR_INVALID_PARAMETER : give_quality(data, size);
    default:
      return ERROR_INVALID_PARAMETER;
  }
}
