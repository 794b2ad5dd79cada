import { AppError, isTenantId, type TenantId } from '#kernel';
import { MAX_HEADER_BYTES, MAX_MESSAGE_BYTES, type OutgoingMessage, type SubscribeOptions } from './port.ts';

/** A message that may be published, its headers as they are stored: JSON, or nothing where there are none. */
export interface CheckedMessage {
  tenant: TenantId;
  value: Buffer;
  headersJson: string;
  headersBytes: number;
  crc?: number | undefined;
}

function checkMessage({ tenant, value, headers, crc }: OutgoingMessage): CheckedMessage {
  const headersJson = headers ? JSON.stringify(headers) : '';
  const headersBytes = Buffer.byteLength(headersJson);
  if (!isTenantId(tenant)) throw new AppError('validation', 'A bus message needs a tenant.');
  if (value.length > MAX_MESSAGE_BYTES)
    throw new AppError('too_large', `A message of ${value.length} bytes is over the bus's ${MAX_MESSAGE_BYTES}.`);
  if (headersBytes > MAX_HEADER_BYTES)
    throw new AppError('too_large', `The headers of a message are over the bus's ${MAX_HEADER_BYTES} bytes.`);
  return { tenant, value, headersJson, headersBytes, crc };
}

/** Throws `too_large` or `validation` before anything of the call is published. */
export const checkMessages = (messages: readonly OutgoingMessage[]): CheckedMessage[] => messages.map(checkMessage);

export interface BatchBounds {
  maxMessages: number;
  maxBytes: number;
  lingerMs: number;
}

const GROUP_NAME = /^[a-z0-9.-]{1,100}$/;

/** The bounds of a subscription with their defaults: 1000 messages, 4 MiB, no waiting. */
export function batchBounds(options: SubscribeOptions): BatchBounds {
  if (!GROUP_NAME.test(options.group))
    throw new AppError('validation', 'A consumer group is 1 to 100 characters of a-z, 0-9, "." and "-".');
  const { maxMessages = 1000, maxBytes = 4 * 1024 * 1024, lingerMs = 0 } = options;
  if (!(maxMessages >= 1) || !(maxBytes >= 1) || !(lingerMs >= 0))
    throw new AppError('validation', 'Batch bounds are at least one message and one byte, the linger at least 0 ms.');
  return { maxMessages, maxBytes, lingerMs };
}

/** A tenant may hold so many times what is left: two thirds where it is alone, two fifths each where two do. */
const SHARE_OF_FREE = 2;

/** Whether unread bytes of one tenant are more than its share of an embedded bus: what is left then belongs to those that hold less. */
export const holdsTooMuch = (unreadBytes: number, freeBytes: number): boolean =>
  unreadBytes > 0 && unreadBytes > SHARE_OF_FREE * freeBytes;

export const overShare = (): AppError =>
  unavailable('The bus holds this tenant’s share of what is not stored yet: its consumers are behind.', 5);

/** `unavailable` with the seconds after which trying again makes sense. */
export const unavailable = (message: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, { retryAfterSeconds, cause });
