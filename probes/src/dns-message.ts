import { domainToASCII } from 'node:url';

const HEADER = 12;
const RESPONSE_CODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const;

/** Wire form of a host name. Throws a RangeError on what is none. */
export function encodeName(name: string): Buffer {
  const ascii = domainToASCII(name.replace(/\.$/, ''));
  const labels = ascii.split('.');
  if (ascii === '' || ascii.length > 253 || labels.some((label) => label === '' || label.length > 63)) {
    throw new RangeError(`not a host name: ${name.slice(0, 64)}`);
  }
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

/** A recursive query for the A record. */
export function encodeQuery(id: number, name: string): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  return Buffer.concat([header, encodeName(name), Buffer.from([0, 1, 0, 1])]);
}

/** The response code of the answer to a query; undefined for bytes that are not its answer. */
export function parseResponse(query: Buffer, bytes: Buffer): string | undefined {
  if (bytes.length < HEADER || bytes.readUInt16BE(0) !== query.readUInt16BE(0)) return undefined;
  const flags = bytes.readUInt16BE(2);
  if ((flags & 0x8000) === 0) return undefined;
  // Servers that cannot read a query leave the question out; one that is there must be ours.
  const question = query.subarray(HEADER);
  const asked = bytes.readUInt16BE(4) > 0 ? bytes.subarray(HEADER, HEADER + question.length) : question;
  if (asked.toString('latin1').toLowerCase() !== question.toString('latin1').toLowerCase()) return undefined;
  const code = flags & 0xf;
  return RESPONSE_CODES[code] ?? `RCODE_${code}`;
}
