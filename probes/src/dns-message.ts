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

export interface DnsAnswer {
  /** Response code, such as NOERROR, NXDOMAIN, SERVFAIL. */
  readonly code: string;
  /** Of its A records; empty also where the answer is cut short or malformed. */
  readonly addresses: readonly string[];
}

/** The answer to a query; undefined for bytes that are not its answer. */
export function parseResponse(query: Buffer, bytes: Buffer): DnsAnswer | undefined {
  if (bytes.length < HEADER || bytes.readUInt16BE(0) !== query.readUInt16BE(0)) return undefined;
  const flags = bytes.readUInt16BE(2);
  if ((flags & 0x8000) === 0) return undefined;
  // Servers that cannot read a query leave the question out; one that is there must be ours.
  const question = query.subarray(HEADER);
  const asked = bytes.readUInt16BE(4) > 0 ? bytes.subarray(HEADER, HEADER + question.length) : question;
  if (asked.toString('latin1').toLowerCase() !== question.toString('latin1').toLowerCase()) return undefined;
  const code = flags & 0xf;
  return { code: RESPONSE_CODES[code] ?? `RCODE_${code}`, addresses: readAddresses(bytes) };
}

const TYPE_A = 1;
const CLASS_IN = 1;
const RECORD_HEADER = 10;
const MAX_RECORDS = 64;

/** Every A record of the answer section, whatever aliases lead to it. */
function readAddresses(bytes: Buffer): string[] {
  const addresses: string[] = [];
  const records = Math.min(bytes.readUInt16BE(6), MAX_RECORDS);
  let at: number | undefined = HEADER;
  if (bytes.readUInt16BE(4) > 0) at = skipName(bytes, at, 4);
  for (let record = 0; record < records && at !== undefined; record += 1) {
    const head = skipName(bytes, at, 0);
    if (head === undefined || head + RECORD_HEADER > bytes.length) break;
    const length = bytes.readUInt16BE(head + 8);
    const body = head + RECORD_HEADER;
    if (body + length > bytes.length) break;
    const isAddress = bytes.readUInt16BE(head) === TYPE_A && bytes.readUInt16BE(head + 2) === CLASS_IN && length === 4;
    if (isAddress) addresses.push(bytes.subarray(body, body + 4).join('.'));
    at = body + length;
  }
  return addresses;
}

/** The offset after a name and `further` bytes; a compressed name ends with its pointer, which nobody follows here. */
function skipName(bytes: Buffer, from: number, further: number): number | undefined {
  let at = from;
  for (;;) {
    const length = bytes[at];
    if (length === undefined) return undefined;
    if (length === 0) return at + 1 + further;
    if (length >= 0xc0) return at + 2 + further;
    at += 1 + length;
  }
}
