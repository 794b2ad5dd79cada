import { isIP } from 'node:net';

export interface HostPort {
  /** Without brackets. */
  host: string;
  port: number;
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;

export const isHost = (text: string): boolean => isIP(text) !== 0 || HOST_NAME.test(text);

/** Any text of at most `maxLength` characters without control characters. */
export const parseText =
  (maxLength: number) =>
  (text: string): string => {
    if (text.length > maxLength) throw new Error(`is longer than ${maxLength} characters`);
    if (/\p{Cc}/u.test(text)) throw new Error('contains a control character');
    return text;
  };

export const parseInteger =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d{1,15}$/.test(text) || value < min || value > max) throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  };

export function parseBoolean(text: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  if (/^(false|0|no|off)$/i.test(text)) return false;
  throw new Error('must be true or false');
}

export const parseOneOf =
  <const T extends readonly string[]>(words: T) =>
  (text: string): T[number] => {
    const word = words.find((known) => known === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`);
    return word;
  };

/** Comma-separated, without empty entries and repetitions; the fault names the entry's place, since it may hold a secret. */
export const parseList =
  <T>(parseEntry: (text: string) => T, maxEntries = 1000) =>
  (text: string): readonly T[] => {
    const entries = [
      ...new Set(
        text
          .split(',')
          .map((entry) => entry.trim())
          .filter(Boolean),
      ),
    ];
    if (entries.length > maxEntries) throw new Error(`has more than ${maxEntries} entries`);
    return entries.map((entry, index) => {
      try {
        return parseEntry(entry);
      } catch (error) {
        throw new Error(`entry ${index + 1}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  };

/** `host:port`, `[v6]:port`; with `hostOptional` also `:port` for every address. */
export function parseHostPort(text: string): HostPort {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  if (!match || port > 65_535 || !isHost(host)) throw new Error('must be host:port, for example 0.0.0.0:8443 or [::1]:8443');
  return { host, port };
}

/** host:port as text, with brackets where needed. */
export const formatHostPort = ({ host, port }: HostPort): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

export function parseHost(text: string): string {
  if (!isHost(text)) throw new Error('must be a host name or an IP address');
  return text.toLowerCase();
}

/** An absolute URL of one of the schemes, without a trailing slash. */
export const parseUrl =
  (...schemes: readonly string[]) =>
  (text: string): string => {
    const wanted = schemes.map((scheme) => `${scheme}://`).join(' or ');
    if (!URL.canParse(text) || !schemes.includes(new URL(text).protocol.replace(':', '')) || !new URL(text).hostname) {
      throw new Error(`must be a URL that begins with ${wanted}`);
    }
    return text.replace(/\/+$/, '');
  };

/** scheme://host[:port] and nothing behind it. */
export function parseHttpsOrigin(text: string): string {
  const plain = parseUrl('https')(text);
  if (new URL(plain).origin !== plain.toLowerCase()) throw new Error('must be https://host[:port] without a path');
  return new URL(plain).origin;
}

/** An address or a network in CIDR form. */
export function parseNetwork(text: string): string {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const valid = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
  if (family === 0 || !valid || rest.length > 0) throw new Error('must be an IP address or a network such as 10.0.0.0/8');
  return text.toLowerCase();
}

export function parseEmail(text: string): string {
  if (!/^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,255}$/.test(text)) throw new Error('must be an e-mail address');
  return text.toLowerCase();
}

/** 32 bytes as base64 or base64url. */
export function parseKey32(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32 || !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) {
    throw new Error('must be 32 bytes in base64; make one with: openssl rand -base64 32');
  }
  return bytes;
}
