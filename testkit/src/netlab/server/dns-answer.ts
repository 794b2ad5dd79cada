import net from 'node:net';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const TTL_S = 5;
const NXDOMAIN = 3;

const SERVFAIL = 2;

/** Addresses by name; an absent one is answered with no record. */
export type DnsTable = Readonly<Record<string, { readonly v4?: string; readonly v6?: string }>>;
type Host = DnsTable[string];

/** Answers one DNS query out of a small table; undefined for what is no query. */
export function answerQuery(query: Buffer, table: DnsTable | ((name: string) => Host | undefined)): Buffer | undefined {
  const question = readQuestion(query);
  if (!question) return undefined;
  const host = typeof table === 'function' ? table(question.name) : table[question.name];
  const records = host ? recordOf(host, question.type) : [];
  return reply(query, question.end, { code: host ? 0 : NXDOMAIN, records });
}

/** The server could not find out. */
export function refuseQuery(query: Buffer): Buffer | undefined {
  const question = readQuestion(query);
  return question && reply(query, question.end, { code: SERVFAIL, records: [] });
}

function reply(query: Buffer, end: number, { code, records }: { code: number; records: readonly Buffer[] }): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]; length; length = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return at + 5 > query.length ? undefined : { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf({ v4, v6 }: Host, type: number): Buffer[] {
  const address =
    type === TYPE_A && v4 ? Buffer.from(v4.split('.').map(Number)) : type === TYPE_AAAA && v6 ? ipv6Bytes(v6) : undefined;
  if (!address) return [];
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(TTL_S, 6);
  head.writeUInt16BE(address.length, 10);
  return [Buffer.concat([head, address])];
}

/** Addresses of the lab's table: groups with at most one `::`. */
function ipv6Bytes(address: string): Buffer {
  if (!net.isIPv6(address)) throw new RangeError(`not an IPv6 address: ${address}`);
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)];
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
