import { LINUX } from '../ffi/layout/linux.ts';
import { SystemCallError } from '../ffi/libc.ts';
import { NETLINK_GENERIC, type Netlink, withNetlink } from '../ffi/netlink/netlink.ts';
import { encodeAttribute, encodeU32 } from '../ffi/netlink/netlink-message.ts';
import {
  type AssociatedCell,
  encodeGeneric,
  parseAssociatedCell,
  parseFamilyId,
  parseInterface,
  parseStation,
  parseSurvey,
  STATION_MODE,
  type StationLink,
  type SurveyChannel,
  type WirelessInterface,
} from './nl80211.ts';

const C = LINUX.constants;

/** Raw replies of nl80211, one message each. A recording answers in its place in tests. */
export interface Nl80211 {
  interfaces: () => Buffer[];
  station: (ifindex: number) => Buffer[];
  survey: (ifindex: number) => Buffer[];
  /** The kernel's cache; never starts a scan. */
  cachedScan: (ifindex: number) => Buffer[];
}

/** Speaks to the kernel's nl80211 for the time of `use`. Throws a SystemCallError where there is no Wi-Fi support. */
export function withNl80211<T>(use: (nl80211: Nl80211) => T): T {
  return withNetlink(NETLINK_GENERIC, (netlink) => use(openNl80211(netlink)));
}

function openNl80211(netlink: Netlink): Nl80211 {
  const name = encodeAttribute(C.CTRL_ATTR_FAMILY_NAME, Buffer.from('nl80211\0'));
  const [answer] = netlink.request({ type: C.GENL_ID_CTRL, payload: encodeGeneric(C.CTRL_CMD_GETFAMILY, name) });
  const family = answer && parseFamilyId(answer);
  if (family === undefined) throw new SystemCallError('nl80211', 2);
  const dump = (command: number, attributes: Buffer): Buffer[] =>
    netlink.request({ type: family, payload: encodeGeneric(command, attributes), dump: true });
  const ofInterface = (ifindex: number): Buffer => encodeAttribute(C.NL80211_ATTR_IFINDEX, encodeU32(ifindex));
  return {
    interfaces: () => dump(C.NL80211_CMD_GET_INTERFACE, Buffer.alloc(0)),
    station: (ifindex) => dump(C.NL80211_CMD_GET_STATION, ofInterface(ifindex)),
    survey: (ifindex) => dump(C.NL80211_CMD_GET_SURVEY, ofInterface(ifindex)),
    cachedScan: (ifindex) => dump(C.NL80211_CMD_GET_SCAN, ofInterface(ifindex)),
  };
}

/** Interfaces in station mode: the ones a person's device is connected by. */
export function listStations(nl80211: Nl80211): WirelessInterface[] {
  return nl80211.interfaces().flatMap((message) => {
    const found = parseInterface(message);
    return found?.mode === STATION_MODE ? [found] : [];
  });
}

export interface RadioLink {
  readonly station: StationLink | undefined;
  readonly survey: SurveyChannel | undefined;
  readonly cell: AssociatedCell | undefined;
  readonly frequencyMhz: number | undefined;
}

/**
 * Gathers what nl80211 tells of one interface; a part that the driver or the system refuses is left out. The cached scan is
 * opened only for what is still missing: kernels from 6.0 on leave the SSID out of the interface in some set-ups.
 */
export function readRadioLink(nl80211: Nl80211, wireless: WirelessInterface, collectSsid: boolean): RadioLink {
  const station = tryRead(() => firstOf(nl80211.station(wireless.index), parseStation));
  // Without a station there is no association, and the cached scan has nothing of ours.
  const complete =
    station?.rssiDbm !== undefined && wireless.frequencyMhz !== undefined && (wireless.ssid !== undefined || !collectSsid);
  const cell = !station || complete ? undefined : tryRead(() => firstOf(nl80211.cachedScan(wireless.index), parseAssociatedCell));
  const frequencyMhz = wireless.frequencyMhz ?? cell?.frequencyMhz;
  const channels = tryRead(() => nl80211.survey(wireless.index).flatMap((message) => parseSurvey(message) ?? [])) ?? [];
  const survey = channels.find((c) => c.inUse) ?? channels.find((c) => c.frequencyMhz === frequencyMhz);
  return { station, survey, cell, frequencyMhz };
}

function firstOf<T>(messages: Buffer[], parse: (message: Buffer) => T | undefined): T | undefined {
  for (const message of messages) {
    const found = parse(message);
    if (found !== undefined) return found;
  }
  return undefined;
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SystemCallError) return undefined;
    throw error;
  }
}
