import { secretsIn } from '@svc/contracts/tests/params/shared';
import type { TestSpec } from '@svc/contracts/tests/test';

/** Names of the secrets that a test refers to, each once: in texts that take references, and its client certificate. */
export function secretsOfTest({ params }: Pick<TestSpec, 'params'>): string[] {
  const { tls } = params as { tls?: { client_certificate?: string | undefined } };
  const certificate = tls?.client_certificate;
  return [...new Set([...secretsIn(JSON.stringify(params)), ...(certificate === undefined ? [] : [certificate])])];
}
