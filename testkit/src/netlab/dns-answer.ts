import net from 'node:net';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const TTL_S = 5;
const NXDOMAIN = 3;

/** Answers one DNS query out of a small table; undefined for what is no query. */
export function answerQuery(query: Buffer, table: Readonly<Record<string, { v4: string; v6: string }>>): Buffer | undefined {
  const question = readQuestion(query);
  if (!question) return undefined;
  const host = table[question.name];
  const records = host ? recordOf(host, question.type) : [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (host ? 0 : NXDOMAIN), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(12, question.end), ...records]);
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

function recordOf(host: { v4: string; v6: string }, type: number): Buffer[] {
  if (type !== TYPE_A && type !== TYPE_AAAA) return [];
  const address = type === TYPE_A ? Buffer.from(host.v4.split('.').map(Number)) : ipv6Bytes(host.v6);
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
