/**
 * Signing in: the pages and redirects below /auth, on the HTTPS listener (docs/people-and-audit.md).
 * In: a browser. Out: a session's cookie. Who people are, what proves it and which tenant they come into is identity's, given by compose/.
 * The built-in OpenID provider lives at {public URL}/auth/oidc; SVC_OIDC_ISSUER replaces it by one outside.
 */
import type { FastifyInstance } from 'fastify';
import { EVERY_ROLE, type Slice } from '#kernel';
import type { SignInContext } from './context.ts';
import type { Issuer } from './issuer.ts';
import { mountAuth } from './routes.ts';

export function createSignIn(context: SignInContext) {
  let issuer: Issuer | undefined;
  return {
    name: 'sign-in',
    roles: EVERY_ROLE,
    routes: async (app: FastifyInstance): Promise<void> => {
      issuer = await mountAuth(app, context);
    },
    // Keys of the installation, and sign-ins under way, which end within minutes: nothing of a tenant's.
    data: {
      owns: { relational: ['identity_keys', 'oidc_artifacts'] },
      async *exportRows() {},
      eraseTenant: async () => ({}),
      eraseSubject: async () => ({}),
    },
    close: async (): Promise<void> => await issuer?.close(),
  } satisfies Slice;
}
