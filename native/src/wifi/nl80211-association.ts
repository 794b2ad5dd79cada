import { createHmac } from 'node:crypto';
import { LINUX } from '../ffi/layout/linux.ts';
import { decodeAttributes, nested } from '../ffi/netlink/netlink-message.ts';

const C = LINUX.constants;

const digest = (key: Buffer, bytes: Buffer | string): string => createHmac('sha256', key).update(bytes).digest('base64');

/**
 * Digests of the network and of the cell in a station's message, under a key that is made anew in each process and never leaves it.
 * The cell's address goes from the message straight into the digest; undefined where the message has no station.
 */
export function digestAssociation(
  message: Buffer,
  { key, ssid = '' }: { key: Buffer; ssid?: string },
): { network: string; cell: string } | undefined {
  const attributes = decodeAttributes(message.subarray(LINUX.structs.genlmsghdr.sizeof));
  const cell = attributes.get(C.NL80211_ATTR_MAC);
  if (cell?.length !== 6 || !nested(attributes, C.NL80211_ATTR_STA_INFO)) return undefined;
  return { network: digest(key, ssid), cell: digest(key, cell) };
}
