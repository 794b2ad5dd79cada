import { hash } from 'node:crypto';
import type { TenantId } from '#kernel';
import { Refusal } from './refusal.ts';

/** What is known of one token beside its hash. */
export interface TokenEntry {
  /** Id of its row; a token of SVC_OTLP_TOKENS has one too. */
  id: string;
  tenant: TenantId;
  expiresAtMs: number | null;
  revoked: boolean;
}

/** All tokens of this process: `hashes` holds 32 bytes each, in the order of `entries`. Goes to the worker as it is. */
export interface TokenTable {
  hashes: Uint8Array;
  entries: readonly TokenEntry[];
}

/** Nobody's token is longer. */
const MAX_CREDENTIAL_CHARS = 4096;
const BEARER = /^bearer +(\S+) *$/i;

// A copy in memory of its own: a Buffer may lie anywhere in its pool.
const wordsOf = (bytes: Uint8Array): Int32Array => new Int32Array(new Uint8Array(bytes).buffer);

/** Place of a hash among all of them, -1 for none. Reads every word of every hash, whatever matches and wherever. */
export function findHash(hashes: Int32Array, wanted: Int32Array): number {
  let found = -1;
  for (let at = 0, place = 0; at < hashes.length; at += 8, place += 1) {
    let difference = 0;
    for (let word = 0; word < 8; word += 1) difference |= (hashes[at + word] as number) ^ (wanted[word] as number);
    const isSame = ((difference | -difference) >>> 31) - 1;
    found = (found & ~isSame) | (place & isSame);
  }
  return found;
}

/** Whether the first bytes are these and as many; takes as long wherever they differ. */
function isSame(known: Uint8Array, bytes: Uint8Array, length: number): boolean {
  if (known.length !== length) return false;
  let difference = 0;
  for (let i = 0; i < length; i += 1) difference |= (known[i] as number) ^ (bytes[i] as number);
  return difference === 0;
}

interface Remembered {
  /** The whole header. */
  authorization: Uint8Array;
  place: number;
  table: TokenTable;
}

/**
 * Says whose token a request carries. Every known token is compared, over SHA-256 and without an early exit, until one is found on this connection: then its header is compared first, in constant time. That leaks nothing but the length
 * of a token of the same connection: a sender who sees that its own token was faster knows it already.
 * Expiry and revocation are looked up at every request.
 */
export function createTokenGate(nowMs: () => number = Date.now) {
  let table: TokenTable = { hashes: new Uint8Array(), entries: [] };
  let words = wordsOf(table.hashes);
  const remembered = new WeakMap<object, Remembered>();
  // Letters of a header that has just come cost a call of the runtime each: it is written here first.
  const header = Buffer.alloc(3 * MAX_CREDENTIAL_CHARS);

  /** Place of its token, -1 for one that nobody has, undefined without any. */
  const findPlace = (authorization: string, connection: object): number | undefined => {
    if (authorization.length > MAX_CREDENTIAL_CHARS) return undefined;
    const length = header.write(authorization);
    const last = remembered.get(connection);
    if (last?.table === table && isSame(last.authorization, header, length)) return last.place;
    const token = BEARER.exec(authorization)?.[1];
    if (!token) return undefined;
    const place = findHash(words, wordsOf(hash('sha256', token, 'buffer')));
    if (place >= 0) remembered.set(connection, { authorization: Uint8Array.from(header.subarray(0, length)), place, table });
    return place;
  };

  return {
    setTokens(next: TokenTable): void {
      table = next;
      words = wordsOf(next.hashes);
    },
    /** The token of an `authorization` header; a Refusal otherwise, and the entry with it where the token is known. */
    check(
      authorization: string | undefined,
      connection: object,
    ): { entry: TokenEntry } | { refusal: Refusal; entry?: TokenEntry } {
      const place = authorization === undefined ? undefined : findPlace(authorization, connection);
      if (place === undefined) return { refusal: new Refusal('missing_token', 'Send "authorization: Bearer <token>".') };
      const entry = table.entries[place];
      if (!entry) return { refusal: new Refusal('unknown_token', 'This token is not valid here.') };
      if (entry.revoked) return { refusal: new Refusal('revoked_token', 'This token was revoked.'), entry };
      if (entry.expiresAtMs !== null && entry.expiresAtMs <= nowMs())
        return { refusal: new Refusal('expired_token', 'This token has expired.'), entry };
      return { entry };
    },
    /** Tokens that would be accepted now. */
    countValid: (): number =>
      table.entries.filter(({ revoked, expiresAtMs }) => !revoked && (expiresAtMs === null || expiresAtMs > nowMs())).length,
  };
}

export type TokenGate = ReturnType<typeof createTokenGate>;
