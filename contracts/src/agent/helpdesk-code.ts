/**
 * The code that a person reads to the helpdesk: which device, and at which minute its figures were copied. `NOS-` and ten characters of
 * Crockford's base 32, 50 bits: the last 28 bits of the agent's id (random in a UUIDv7), the minute modulo 2^16 and six bits that show
 * every single wrong character and every two that changed places. It is no secret and opens nothing: whoever looks it up sees the devices
 * of their own tenant alone. Two of 100,000 devices share a code's 28 bits about once in 2,700 look-ups; the search then shows both.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHARACTERS = 10;
const MINUTE_MS = 60_000;
/** Codes come again after 45 days; what they point at is kept for 30. */
const MINUTES = 2 ** 16;
const CHECK_PRIME = 61;
const CHECK_STEP = 64;
/** A device's clock may be ahead of ours by this much. */
const AHEAD_MINUTES = 60;

const ID_TAIL = /[0-9a-f]{7}$/i;

/** The code of an agent at a point of Unix time. Throws RangeError for what is no agent id. */
export function encodeHelpdeskCode(agentId: string, atMs: number): string {
  const tail = ID_TAIL.exec(agentId)?.[0];
  if (!tail) throw new RangeError('This is no agent id.');
  const value = Number.parseInt(tail, 16) * MINUTES + (Math.floor(atMs / MINUTE_MS) % MINUTES);
  // The whole is a multiple of a prime above 32: one wrong character, or two swapped, never give another multiple.
  const shifted = value * CHECK_STEP;
  let rest = shifted + ((CHECK_PRIME - (shifted % CHECK_PRIME)) % CHECK_PRIME);
  let text = '';
  for (let i = 0; i < CHARACTERS; i += 1) {
    text = `${ALPHABET[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return `NOS-${text}`;
}

export interface HelpdeskCode {
  /** Last seven characters of the agent's id, lower case. */
  idTail: string;
  /** Unix milliseconds of the minute's beginning. */
  atMs: number;
}

/** What looks like a code, typed right or not: for telling it from other searches. */
export const looksLikeHelpdeskCode = (text: string): boolean => /^\s*nos[\s-]*[0-9a-z](?:[\s-]*[0-9a-z]){9}\s*$/i.test(text);

/**
 * Reads a code as people type it: any case, with spaces or hyphens, O for 0, I or L for 1. Null for what is none or was typed wrong.
 * The minute is the newest one that fits, at most an hour ahead of `nowMs`.
 */
export function readHelpdeskCode(text: string, nowMs: number): HelpdeskCode | null {
  if (!looksLikeHelpdeskCode(text)) return null;
  const digits = text.toUpperCase().replace(/[\s-]/g, '').slice('NOS'.length).replaceAll('O', '0').replace(/[IL]/g, '1');
  let whole = 0;
  for (const digit of digits) {
    const bits = ALPHABET.indexOf(digit);
    if (bits < 0) return null;
    whole = whole * 32 + bits;
  }
  const value = Math.floor(whole / CHECK_STEP);
  if (whole % CHECK_PRIME !== 0 || whole % CHECK_STEP >= CHECK_PRIME) return null;
  const newest = Math.floor(nowMs / MINUTE_MS) + AHEAD_MINUTES;
  const minute = newest - ((newest - (value % MINUTES) + MINUTES) % MINUTES);
  return {
    idTail: Math.floor(value / MINUTES)
      .toString(16)
      .padStart(7, '0'),
    atMs: minute * MINUTE_MS,
  };
}
