/**
 * How a secret of a test travels to a runner (docs/contract/tests.md): for every value a P-256 key is made, agreed with the runner's by ECDH, derived by
 * HKDF-SHA-256 with `info`, and AES-256-GCM seals it. Bytes: version, the made key's point (65, uncompressed), nonce (12), ciphertext, tag (16).
 */
export const SEALED_SECRET = { version: 1, pointBytes: 65, nonceBytes: 12, tagBytes: 16 } as const;

/** Binds a value to its tenant, its runner and its name, so that it cannot be given out as another one's. */
export const sealedSecretInfo = ({ tenant, runnerId, name }: { tenant: string; runnerId: string; name: string }): string =>
  `svc runner secret v1\n${tenant}\n${runnerId}\n${name}`;
