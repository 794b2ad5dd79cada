import type packet from 'dns-packet';

/** dns-packet has no name for these two. */
export const TYPE_NAMES: Readonly<Record<string, string>> = { SVCB: 'UNKNOWN_64', HTTPS: 'UNKNOWN_65' };
const NAMED: Readonly<Record<string, string>> = { UNKNOWN_64: 'SVCB', UNKNOWN_65: 'HTTPS' };
const SVCB_KEYS = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint'] as const;

const dotted = (name: string): string => (name.endsWith('.') ? name : `${name}.`);
const escapeText = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

function readName(bytes: Buffer, from: number): { name: string; next: number } {
  const labels: string[] = [];
  for (let at = from; ; ) {
    const length = bytes.readUInt8(at);
    if (length === 0) return { name: `${labels.join('.')}.`, next: at + 1 };
    if (length > 63 || at + 1 + length > bytes.length) throw new RangeError('not a name');
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
}

const grouped = (value: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.floor(value.length / size) }, (_, i) => value.subarray(i * size, (i + 1) * size));

function svcbValue(key: string, value: Buffer): string | undefined {
  if (key === 'port') return value.length < 2 ? '' : String(value.readUInt16BE(0));
  if (key === 'ipv4hint')
    return grouped(value, 4)
      .map((part) => part.join('.'))
      .join(',');
  if (key === 'ipv6hint')
    return grouped(value, 16)
      .map((part) => new URL(`http://[${part.toString('hex').match(/.{4}/g)?.join(':')}]`).hostname.slice(1, -1))
      .join(',');
  if (key === 'mandatory')
    return grouped(value, 2)
      .map((part) => SVCB_KEYS[part.readUInt16BE(0)] ?? `key${part.readUInt16BE(0)}`)
      .join(',');
  if (key === 'ech') return value.toString('base64');
  if (key === 'no-default-alpn') return undefined;
  if (key !== 'alpn') return `"${escapeText(value.toString('latin1'))}"`;
  const names: string[] = [];
  for (let at = 0; at < value.length; at += 1 + value.readUInt8(at))
    names.push(value.toString('latin1', at + 1, at + 1 + value.readUInt8(at)));
  return names.join(',');
}

/** Priority, target and parameters (RFC 9460). */
function svcbText(bytes: Buffer): string {
  const { name, next } = readName(bytes, 2);
  const parts = [String(bytes.readUInt16BE(0)), name];
  for (let at = next; at + 4 <= bytes.length; ) {
    const key = SVCB_KEYS[bytes.readUInt16BE(at)] ?? `key${bytes.readUInt16BE(at)}`;
    const length = bytes.readUInt16BE(at + 2);
    const value = svcbValue(key, bytes.subarray(at + 4, at + 4 + length));
    parts.push(value === undefined ? key : `${key}=${value}`);
    at += 4 + length;
  }
  return parts.join(' ');
}

type Data = { readonly [Key: string]: unknown };

function textOfData(answer: packet.Answer): string {
  const data = Reflect.get(answer, 'data') as unknown;
  const of = (typeof data === 'object' && data !== null ? data : {}) as Data;
  const name = (key: string): string => dotted(String(of[key]));
  switch (answer.type as string) {
    case 'A':
    case 'AAAA':
      return String(data);
    case 'CNAME':
    case 'NS':
    case 'PTR':
    case 'DNAME':
      return dotted(String(data));
    case 'MX':
      return `${of.preference ?? 0} ${name('exchange')}`;
    case 'SRV':
      return `${of.priority ?? 0} ${of.weight ?? 0} ${of.port} ${name('target')}`;
    case 'SOA':
      return `${name('mname')} ${name('rname')} ${of.serial} ${of.refresh} ${of.retry} ${of.expire} ${of.minimum}`;
    case 'TXT':
      return [data]
        .flat()
        .map((part) => `"${escapeText(Buffer.from(part as Buffer).toString('utf8'))}"`)
        .join(' ');
    case 'CAA':
      return `${of.flags ?? 0} ${of.tag} "${escapeText(String(of.value))}"`;
    case 'DS':
      return `${of.keyTag} ${of.algorithm} ${of.digestType} ${hex(of.digest as Buffer)}`;
    case 'DNSKEY':
      return `${of.flags} 3 ${of.algorithm} ${(of.key as Buffer).toString('base64')}`;
    case 'TLSA':
      return `${of.usage} ${of.selector} ${of.matchingType} ${hex(of.certificate as Buffer)}`;
    case 'UNKNOWN_64':
    case 'UNKNOWN_65':
      return svcbText(data as Buffer);
    default:
      return Buffer.isBuffer(data) ? `\\# ${data.length} ${hex(data)}` : JSON.stringify(data ?? '');
  }
}

export interface RecordText {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  /** In presentation form (RFC 1035 and those after it). */
  readonly data: string;
}

/** What a record says; one whose data cannot be read says so. */
export function recordText(answer: packet.Answer): RecordText {
  const ttl = Reflect.get(answer, 'ttl') as unknown;
  let data: string;
  try {
    data = textOfData(answer);
  } catch {
    data = '(unreadable)';
  }
  return {
    name: dotted(answer.name),
    type: NAMED[answer.type] ?? answer.type,
    ttl: typeof ttl === 'number' ? ttl : 0,
    data: data.replaceAll(/\p{C}/gu, '�'),
  };
}

/** So that a dot at the end, capitals in a name and quotes make no difference where they have none. */
export const comparable = (text: string, type: string): string => {
  const bare = text.trim().replaceAll(/\s+/g, ' ');
  if (type === 'TXT') return bare.replaceAll(/" "/g, '').replaceAll(/^"|"$/g, '');
  if (type === 'DNSKEY') return bare.replaceAll('"', '');
  return bare
    .toLowerCase()
    .replaceAll('"', '')
    .replaceAll(/\.(?= |$)/g, '');
};
