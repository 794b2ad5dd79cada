import { Refusal } from '../refusal.ts';

/** Compressed flag and length before each message. */
export const PREFIX_BYTES = 5;

export interface Prefix {
  isCompressed: boolean;
  length: number;
}

export function readPrefix(prefix: Buffer): Prefix {
  const flag = prefix[0] as number;
  if (flag > 1) throw new Refusal('malformed', 'The compressed flag of the message is neither 0 nor 1.');
  return { isCompressed: flag === 1, length: prefix.readUInt32BE(1) };
}

/** One uncompressed message with its prefix. */
export function frame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  message.copy(framed, PREFIX_BYTES);
  return framed;
}

/** `grpc-message`: UTF-8 with everything but printable ASCII, and "%", percent-encoded. */
export const encodeMessage = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\x20-\x24\x26-\x7e]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** `grpc-timeout` in milliseconds; undefined without one. */
export function readTimeout(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const match = /^(\d{1,8})([HMSmun])$/.exec(header);
  if (!match) throw new Refusal('malformed', 'grpc-timeout is not a timeout.');
  return Number(match[1]) * (UNIT_MS[match[2] as string] as number);
}
