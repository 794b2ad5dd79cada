import { addressBytes, addressText } from './address.ts';
import { allocate } from './memory.ts';

export const AF_INET = 2;
export const AF_INET6 = 10;

export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** Interface index, for link-local IPv6. */
  readonly scope?: number;
}

/** struct sockaddr_in or sockaddr_in6 of Linux. */
export function encodeSockaddr(endpoint: Endpoint): Buffer {
  const bytes = addressBytes(endpoint.address);
  const v4 = bytes.length === 4;
  const out = allocate(v4 ? 16 : 28);
  out.writeUInt16LE(v4 ? AF_INET : AF_INET6, 0);
  out.writeUInt16BE(endpoint.port, 2);
  bytes.copy(out, v4 ? 4 : 8);
  if (!v4) out.writeUInt32LE(endpoint.scope ?? 0, 24);
  return out;
}

/** Reads a sockaddr that begins at `offset`; undefined for another family or one that does not fit into `bytes`. */
export function decodeSockaddr(bytes: Buffer, offset: number): Endpoint | undefined {
  if (offset + 2 > bytes.length) return undefined;
  const family = bytes.readUInt16LE(offset);
  const [skip, length] = family === AF_INET ? [4, 4] : family === AF_INET6 ? [8, 16] : [0, 0];
  if (length === 0 || offset + skip + length > bytes.length) return undefined;
  const address = addressText(bytes.subarray(offset + skip, offset + skip + length));
  return address === undefined ? undefined : { address, port: bytes.readUInt16BE(offset + 2) };
}
