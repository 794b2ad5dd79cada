import { addressBytes, addressText } from '@svc/native/ffi/address';

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);
const startsWith = (bytes: Buffer, hex: string): boolean => bytes.subarray(0, hex.length / 2).toString('hex') === hex;
const at = (bytes: Buffer, offset: number): Buffer => bytes.subarray(offset, offset + 4);

/** Bytes around the reserved eighth one, as RFC 6052 lays an IPv4 address over prefixes of 32 to 64 bits. */
const around = (bytes: Buffer, offset: number): Buffer =>
  Buffer.from([...bytes.subarray(offset, 8), ...bytes.subarray(9)].slice(0, 4));

/** IPv4 addresses that an IPv6 address stands for, or hides, when a translator or a tunnel is on the way. */
function embedded(bytes: Buffer): Buffer[] {
  // IPv4-mapped, -compatible and -translated.
  if (isZero(bytes.subarray(0, 10)) && (startsWith(bytes.subarray(10), 'ffff') || isZero(bytes.subarray(10, 12))))
    return [at(bytes, 12)];
  if (isZero(bytes.subarray(0, 8)) && startsWith(bytes.subarray(8), 'ffff0000')) return [at(bytes, 12)];
  // NAT64: the well-known prefix, and the local ones, whose length nobody tells (RFC 8215).
  if (startsWith(bytes, '0064ff9b0000')) return [at(bytes, 12)];
  if (startsWith(bytes, '0064ff9b0001'))
    return [around(bytes, 6), around(bytes, 7), around(bytes, 8), at(bytes, 12)].filter((form) => form[0] !== 0);
  // 6to4.
  if (startsWith(bytes, '2002')) return [at(bytes, 2)];
  // Teredo: its server, and its client with every bit turned.
  if (startsWith(bytes, '20010000')) return [at(bytes, 4), Buffer.from(at(bytes, 12).map((byte) => byte ^ 0xff))];
  // ISATAP.
  if (/^0[02]005efe$/.test(bytes.subarray(8, 12).toString('hex'))) return [at(bytes, 12)];
  return [];
}

/**
 * The address without its zone in the canonical form, and each IPv4 address that it may lead to: mapped ones reach IPv4 at once, the
 * others through a translator or a tunnel. Throws a RangeError on what is no numeric address.
 */
export function formsOf(address: string): string[] {
  const bytes = addressBytes(address);
  const inside = bytes.length === 16 ? embedded(bytes) : [];
  return [bytes, ...inside].flatMap((form) => addressText(form) ?? []);
}
