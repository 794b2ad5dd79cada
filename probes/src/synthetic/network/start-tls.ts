import type net from 'node:net';
import type { STARTTLS } from '@svc/contracts/tests/params/network';
import { cut, RunFailure } from '../run-failure.ts';
import { type ReplyReader, readReplies } from './line-reader.ts';

export type StartTls = (typeof STARTTLS)[number];

/** The end of the first line that `isLast` takes, or undefined. */
const lines =
  (isLast: (line: string) => boolean) =>
  (bytes: Buffer): number | undefined => {
    for (let from = 0; ; ) {
      const end = bytes.indexOf(10, from);
      if (end < 0) return undefined;
      if (isLast(bytes.toString('latin1', from, end).trimEnd())) return end + 1;
      from = end + 1;
    }
  };

const refused = (reply: string): RunFailure =>
  new RunFailure(
    'protocol',
    `The server does not begin TLS: ${cut(reply.trim().replaceAll(/[\p{C}\s]+/gu, ' '), 200) || 'no words'}`,
  );

async function expectLine(reader: ReplyReader, isLast: (line: string) => boolean, good: RegExp): Promise<string> {
  const reply = (await reader.read(lines(isLast))).toString('latin1');
  const last = reply.trimEnd().split('\n').at(-1) ?? '';
  if (!good.test(last)) throw refused(last);
  return reply;
}

/** Of SMTP and FTP: three digits, a dash behind them while more follows. */
const coded = (line: string): boolean => /^\d{3}(?: |$)/.test(line) || !/^\d{3}-/.test(line);

async function smtp(reader: ReplyReader): Promise<void> {
  await expectLine(reader, coded, /^220/);
  reader.send('EHLO svc-canary\r\n');
  const offered = await expectLine(reader, coded, /^250/);
  if (!/^250[ -]STARTTLS\s*$/im.test(offered)) throw new RunFailure('protocol', 'The server does not offer STARTTLS.');
  reader.send('STARTTLS\r\n');
  await expectLine(reader, coded, /^220/);
}

async function imap(reader: ReplyReader): Promise<void> {
  await expectLine(reader, () => true, /^\* (?:OK|PREAUTH)/i);
  reader.send('a1 STARTTLS\r\n');
  await expectLine(reader, (line) => !line.startsWith('* '), /^a1 OK/i);
}

async function pop3(reader: ReplyReader): Promise<void> {
  await expectLine(reader, () => true, /^\+OK/);
  reader.send('STLS\r\n');
  await expectLine(reader, () => true, /^\+OK/);
}

async function ftp(reader: ReplyReader): Promise<void> {
  // What stands between the lines of a long greeting may begin with anything.
  await expectLine(reader, (line) => /^\d{3}(?: |$)/.test(line), /^220/);
  reader.send('AUTH TLS\r\n');
  await expectLine(reader, coded, /^(?:234|334)/);
}

/** ExtendedRequest 1.3.6.1.4.1.1466.20037 as message 1 (RFC 4511). */
const LDAP_START_TLS = Buffer.concat([Buffer.from('301d02010177188016', 'hex'), Buffer.from('1.3.6.1.4.1.1466.20037')]);

/** Length of the BER element that the bytes begin with, and of its head. */
function berLength(bytes: Buffer): { head: number; whole: number } | undefined {
  const first = bytes[1];
  if (first === undefined) return undefined;
  if (first < 0x80) return { head: 2, whole: 2 + first };
  const size = first & 0x7f;
  if (size < 1 || size > 3) return { head: 2, whole: 2 };
  return bytes.length < 2 + size ? undefined : { head: 2 + size, whole: 2 + size + bytes.readUIntBE(2, size) };
}

/** An ExtendedResponse: message, its number, the response, and in it the code first. */
function ldapCode(reply: Buffer): number | undefined {
  const message = berLength(reply);
  if (reply[0] !== 0x30 || !message) return undefined;
  const number = reply.subarray(message.head);
  const afterNumber = number.subarray(berLength(number)?.whole ?? 0);
  const response = berLength(afterNumber);
  if (number[0] !== 0x02 || afterNumber[0] !== 0x78 || !response) return undefined;
  const code = afterNumber.subarray(response.head);
  return code[0] === 0x0a && code[1] === 1 ? code[2] : undefined;
}

async function ldap(reader: ReplyReader): Promise<void> {
  reader.send(LDAP_START_TLS);
  const reply = await reader.read((bytes) => {
    const whole = berLength(bytes)?.whole;
    return whole === undefined || bytes.length < whole ? undefined : whole;
  });
  const code = ldapCode(reply);
  if (code === undefined) throw new RunFailure('protocol', 'What answers there speaks no LDAP.');
  if (code !== 0) throw refused(`result code ${code}`);
}

/** SSLRequest. */
const POSTGRES_SSL = Buffer.from('0000000804d2162f', 'hex');

async function postgres(reader: ReplyReader): Promise<void> {
  reader.send(POSTGRES_SSL);
  const reply = (await reader.read((bytes) => (bytes.length > 0 ? 1 : undefined))).toString('latin1');
  if (reply !== 'S')
    throw reply === 'N' ? refused('it has none') : new RunFailure('protocol', 'What answers there is no PostgreSQL.');
}

const DIALOGUES: Readonly<Record<StartTls, (reader: ReplyReader) => Promise<void>>> = { smtp, imap, pop3, ftp, ldap, postgres };

/** Asks for TLS in the protocol's own words; afterwards the handshake may begin on the same socket. */
export async function startTls(socket: net.Socket, protocol: StartTls, signal: AbortSignal): Promise<void> {
  const reader = readReplies(socket, signal);
  await DIALOGUES[protocol](reader);
  reader.release();
}
