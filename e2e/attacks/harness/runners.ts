import { enrolCanary } from '@svc/runner/remote/enrol';
import type { Credentials } from '@svc/runner/remote/identity-store';
import type { Ground, Side } from './ground.ts';

export const enrolWith = async (ground: Ground, token: string): Promise<Credentials> =>
  await enrolCanary({ server: ground.server.url, token, version: '0.1.0', name: undefined, labels: {}, keyPem: undefined });

/** A runner of a tenant by a token that its administrator made. */
export async function enrolRunner(ground: Ground, side: Side): Promise<Credentials> {
  const minted = await ground.api('/v1/runner-tokens', { token: side.tokens.admin, json: { name: 'attacked' } });
  const { token } = JSON.parse(minted.body) as { token: string };
  return await enrolWith(ground, token);
}
