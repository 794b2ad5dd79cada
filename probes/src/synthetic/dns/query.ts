import { randomInt } from 'node:crypto';
import net from 'node:net';
import type { DnsParams } from '@svc/contracts/tests/params/network';
import packet from 'dns-packet';
import { RunFailure } from '../run-failure.ts';
import { TYPE_NAMES } from './record-text.ts';

/** What fits everywhere without fragments (DNS flag day 2020). */
const UDP_PAYLOAD = 1232;

export interface Query {
  readonly id: number;
  /** Without a dot at the end. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The name under which an address is looked up. */
function reverseName(address: string): string {
  if (net.isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const hostname = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = hostname.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups
    .map((group) => group.padStart(4, '0'))
    .join('')
    .split('')
    .reverse()
    .join('.')}.ip6.arpa`;
}

/** Throws a RunFailure on a name that no query can have. */
export function createQuery(target: string, params: DnsParams): Query {
  const isReverse = params.record === 'PTR' && net.isIP(target) !== 0;
  const name = isReverse ? reverseName(target) : target.replace(/\.$/, '');
  if (name !== '' && (name.length > 253 || name.split('.').some((label) => label === '' || label.length > 63)))
    throw new RunFailure(
      'internal',
      `${name.slice(0, 100)} is no name that can be asked for: a label is empty or longer than 63 characters.`,
    );
  const id = randomInt(0x10000);
  const type = TYPE_NAMES[params.record] ?? params.record;
  const wantsAuthentic = params.dnssec || params.assertions.authenticated !== undefined;
  const opt = { type: 'OPT', name: '.', udpPayloadSize: UDP_PAYLOAD, flags: packet.DNSSEC_OK, options: [] };
  const bytes = packet.encode({
    type: 'query',
    id,
    flags: (params.recursion_desired ? packet.RECURSION_DESIRED : 0) | (wantsAuthentic ? packet.AUTHENTIC_DATA : 0),
    questions: [{ type: type as packet.RecordType, name: name === '' ? '.' : name }],
    ...(params.dnssec ? { additionals: [opt as unknown as packet.Answer] } : {}),
  });
  return { id, name, type, bytes };
}

const RESPONSE = 0x8000;
const CODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const;

export interface Response {
  readonly code: string;
  readonly isTruncated: boolean;
  readonly isAuthentic: boolean;
  readonly answers: readonly packet.Answer[];
  readonly bytes: number;
}

/** The answer to this query, and to no other; words for why it is none. */
export function readResponse(query: Query, bytes: Buffer): Response | { readonly wrong: string } {
  if (bytes.length < 12) return { wrong: 'it is no DNS message' };
  if (bytes.readUInt16BE(0) !== query.id) return { wrong: 'it has another id' };
  if ((bytes.readUInt16BE(2) & RESPONSE) === 0) return { wrong: 'it is a query itself' };
  let decoded: packet.DecodedPacket;
  try {
    decoded = packet.decode(bytes);
  } catch {
    return { wrong: 'it cannot be read' };
  }
  const code = bytes.readUInt16BE(2) & 0xf;
  const [question] = decoded.questions ?? [];
  // Servers that cannot read a query leave the question out; with an answer it has to be there, and be ours.
  const isOurs =
    question !== undefined &&
    question.name.toLowerCase() === (query.name || '.').toLowerCase() &&
    question.type === query.type &&
    (question.class ?? 'IN') === 'IN';
  if (!isOurs && (question !== undefined || code === 0 || code === 3)) return { wrong: 'it answers another question' };
  return {
    code: CODES[code] ?? `RCODE_${code}`,
    isTruncated: decoded.flag_tc,
    isAuthentic: decoded.flag_ad,
    answers: (decoded.answers ?? []).filter(({ type }) => type !== 'OPT'),
    bytes: bytes.length,
  };
}
