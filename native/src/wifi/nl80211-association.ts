import { createHmac } from 'node:crypto';
import { decodeAttributes, nested } from '../ffi/netlink-message.ts';

const GENL_HEADER = 4;
const ATTR = { mac: 6, staInfo: 21 } as const;

const digest = (key: Buffer, bytes: Buffer | string): string => createHmac('sha256', key).update(bytes).digest('base64');

/**
 * Digests of the network and of the cell in a station's message, under a key that is made anew in each process and never leaves it.
 * The cell's address goes from the message straight into the digest; undefined where the message has no station.
 */
export function digestAssociation(
  message: Buffer,
  { key, ssid = '' }: { key: Buffer; ssid?: string },
): { network: string; cell: string } | undefined {
  const attributes = decodeAttributes(message.subarray(GENL_HEADER));
  const cell = attributes.get(ATTR.mac);
  if (cell?.length !== 6 || !nested(attributes, ATTR.staInfo)) return undefined;
  return { network: digest(key, ssid), cell: digest(key, cell) };
}
