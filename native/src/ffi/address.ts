import net from 'node:net';

/** Splits `fe80::1%eth0` or `fe80::1%3`. */
export function splitZone(address: string): { address: string; zone: string | undefined } {
  const at = address.indexOf('%');
  return at < 0 ? { address, zone: undefined } : { address: address.slice(0, at), zone: address.slice(at + 1) };
}

/** 4 for IPv4, 6 for IPv6 (a zone is allowed). Throws a RangeError on what is no numeric address. */
export function familyOf(address: string): 4 | 6 {
  const family = net.isIP(address);
  if (family !== 4 && family !== 6) throw new RangeError(`not a numeric IP address: ${address.slice(0, 64)}`);
  return family;
}

const dotted = (text: string): number[] => text.split('.').map(Number);

/** The address in network order, 4 or 16 bytes; a zone is dropped. Throws a RangeError on what is no numeric address. */
export function addressBytes(text: string): Buffer {
  if (familyOf(text) === 4) return Buffer.from(dotted(text));
  let { address } = splitZone(text);
  const tail = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (tail) {
    const bytes = Buffer.from(dotted(tail));
    const groups = `${bytes.readUInt16BE(0).toString(16)}:${bytes.readUInt16BE(2).toString(16)}`;
    address = address.slice(0, -tail.length) + groups;
  }
  const [head = '', rest] = address.split('::');
  const before = head ? head.split(':') : [];
  const after = rest ? rest.split(':') : [];
  const zeros = rest === undefined ? 0 : 8 - before.length - after.length;
  const out = Buffer.alloc(16);
  for (const [i, group] of [...before, ...Array<string>(zeros).fill('0'), ...after].entries()) {
    out.writeUInt16BE(Number.parseInt(group, 16), 2 * i);
  }
  return out;
}

/** Text of 4 or 16 bytes in network order, IPv6 in its canonical short form; undefined for any other length. */
export function addressText(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return new net.SocketAddress({ family: 'ipv6', address: groups.join(':') }).address;
}
