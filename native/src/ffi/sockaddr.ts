import { addressBytes, addressText } from './address.ts';
import { DARWIN } from './layout/darwin.ts';
import { LINUX } from './layout/linux.ts';
import { WIN32 } from './layout/win32.ts';
import { allocate } from './memory.ts';

export const { AF_INET, AF_INET6 } = LINUX.constants;

export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** Interface index, for link-local IPv6. */
  readonly scope?: number;
}

/** In what the systems' sockaddr_in and sockaddr_in6 differ: the family's number and BSD's length in the first byte. */
export interface SockaddrKind {
  readonly inet6: number;
  readonly leadsWithLength: boolean;
}
const LINUX_SOCKADDR: SockaddrKind = { inet6: AF_INET6, leadsWithLength: false };
export const WIN32_SOCKADDR: SockaddrKind = { inet6: WIN32.constants.AF_INET6, leadsWithLength: false };
export const DARWIN_SOCKADDR: SockaddrKind = { inet6: DARWIN.constants.AF_INET6, leadsWithLength: true };

/** struct sockaddr_in or sockaddr_in6: beyond the first two bytes the systems agree. */
export function encodeSockaddr(endpoint: Endpoint, kind = LINUX_SOCKADDR): Buffer {
  const bytes = addressBytes(endpoint.address);
  const v4 = bytes.length === 4;
  const out = allocate(v4 ? 16 : 28);
  const family = v4 ? AF_INET : kind.inet6;
  if (kind.leadsWithLength) {
    out.writeUInt8(out.length, 0);
    out.writeUInt8(family, 1);
  } else out.writeUInt16LE(family, 0);
  out.writeUInt16BE(endpoint.port, 2);
  bytes.copy(out, v4 ? 4 : 8);
  if (!v4) out.writeUInt32LE(endpoint.scope ?? 0, 24);
  return out;
}

/** Reads a sockaddr that begins at `offset`; undefined for another family or one that does not fit into `bytes`. */
export function decodeSockaddr(bytes: Buffer, offset: number, kind = LINUX_SOCKADDR): Endpoint | undefined {
  if (offset + 2 > bytes.length) return undefined;
  const family = kind.leadsWithLength ? bytes.readUInt8(offset + 1) : bytes.readUInt16LE(offset);
  const [skip, length] = family === AF_INET ? [4, 4] : family === kind.inet6 ? [8, 16] : [0, 0];
  if (length === 0 || offset + skip + length > bytes.length) return undefined;
  const address = addressText(bytes.subarray(offset + skip, offset + skip + length));
  return address === undefined ? undefined : { address, port: bytes.readUInt16BE(offset + 2) };
}
