import { z } from 'zod';

/**
 * A text that may hold `${secret:NAME}`: the runner puts the secret's value there when it sends, and nothing that it reports ever
 * holds it. Only the fields that say so take references.
 */
export const WithSecrets = (max: number) => z.string().max(max);

export const SECRET_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Characters of a secret: a chain of certificates with its key is a third of it. */
export const SECRET_LENGTH = 16_384;
/** That one test may refer to. */
export const SECRETS_OF_TEST = 20;
const SECRET_REFERENCE = /\$\{secret:([A-Za-z0-9_.-]{1,64})\}/g;

/** Names of the secrets that a text refers to, each once. */
export const secretsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(SECRET_REFERENCE)].map((match) => match[1] ?? '')),
];

/** The text with each reference replaced; `resolve` throws where there is no such secret. */
export const putSecrets = (text: string, resolve: (name: string) => string): string =>
  text.replace(SECRET_REFERENCE, (_, name: string) => resolve(name));

/** A pattern for RE2: linear in the text, whatever was written. Its syntax is checked where it is compiled. */
export const Expression = z.string().min(1).max(1000);

/** 0: whichever answers first, as browsers do. */
export const AddressFamily = z.union([z.literal(0), z.literal(4), z.literal(6)]);

export const HeaderName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'A header name as in RFC 9110.');

export const HostName = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9_.:-]+$/, 'A host name or an address.');

/** Parts of TLS that several types share. */
export const TlsParams = z.strictObject({
  /** Server name that is asked for and checked; default: the target's host. */
  server_name: HostName.optional(),
  /** PEM certificates that are trusted beside the system's. */
  ca_pem: z.string().max(65_536).optional(),
  /** Name of the secret with the client's certificate chain and key, PEM. */
  client_certificate: z.string().regex(SECRET_NAME).optional(),
  /** An untrusted or expired certificate is told and does not fail the run. */
  accept_invalid: z.boolean().default(false),
});
export type TlsParams = z.infer<typeof TlsParams>;

/** A bound of time, milliseconds. */
export const Milliseconds = z.number().positive().max(300_000);
