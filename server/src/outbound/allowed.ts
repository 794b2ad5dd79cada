import { isHost, parseNetwork } from '#kernel';

/** An entry of SVC_OUTBOUND_ALLOW. Without ports: those that are usual for what is spoken. */
export interface Allowed {
  /** An address, a network or a host name, without brackets. */
  host: string;
  ports: { from: number; to: number } | undefined;
}

const WRONG_PORT = 'must end with a port such as :8443, or with a range of ports such as :8443-8450';

function readPorts(text: string | undefined): Allowed['ports'] {
  if (text === undefined) return undefined;
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === '' || from < 1 || to > 65_535 || from > to) throw new Error(WRONG_PORT);
  return { from, to };
}

/** `host`, `host:8443`, `10.0.0.0/8:443-450`, `[::1]:8443`. What stands before a port of IPv6 is in brackets. */
export function splitAllowed(text: string): Allowed {
  const bracketed = /^\[([^\]]+)\](?::(.*))?$/.exec(text);
  if (bracketed) return { host: bracketed[1] ?? '', ports: readPorts(bracketed[2]) };
  const parts = text.split(':');
  // More than one colon is an IPv6 address or network.
  if (parts.length !== 2) return { host: text, ports: undefined };
  return { host: parts[0] ?? '', ports: readPorts(parts[1]) };
}

/** The same text, checked; an Error says what is wrong. */
export function parseAllowed(text: string): string {
  const { host } = splitAllowed(text);
  if (!isHost(host)) parseNetwork(host);
  return text.toLowerCase();
}
