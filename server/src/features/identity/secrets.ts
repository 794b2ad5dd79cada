import { randomToken, type Sealer, sha256 } from '#crypto';

/** A secret of 256 random bits. */
export const newSecret = (prefix = ''): string => `${prefix}${randomToken(32)}`;

/** What is kept of a secret of ours. They are random, so one SHA-256 is enough and a look-up by it leaks no time. */
export const hashSecret = (secret: string): Buffer => sha256(secret);

/** Sealed JSON values. */
export interface Vault {
  seal(value: unknown, context: string): Buffer;
  open<T>(sealed: Buffer, context: string): T;
}

export const createVault = (sealer: Sealer): Vault => ({
  seal: (value, context) => sealer.seal(JSON.stringify(value), `identity/${context}`),
  open: <T>(sealed: Buffer, context: string) => JSON.parse(sealer.open(sealed, `identity/${context}`).toString('utf8')) as T,
});
