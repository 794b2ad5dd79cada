import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface OutsidePerson {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
  groups: string[];
}

export interface OutsideIssuer {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who signs in next, without being asked. */
  person: OutsidePerson;
  close(): Promise<void>;
}

/** An identity provider of somebody else on its own HTTPS port, which names address and groups only at its userinfo. */
export async function startOutsideIssuer(tls: { key: string; cert: string }, redirectUri: string): Promise<OutsideIssuer> {
  const server = createServer({ key: tls.key, cert: tls.cert });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const outside: OutsideIssuer = {
    issuer,
    clientId: 'svc',
    clientSecret: 'outside-secret-of-enough-length-0123456789',
    person: { sub: 'u1', email: 'ann@firm.test', email_verified: true, name: 'Ann', groups: [] },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' } as Record<string, string>] },
    clients: [
      {
        client_id: outside.clientId,
        client_secret: outside.clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [redirectUri.replace('/callback', '/signed-out')],
      },
    ],
    cookies: { keys: ['outside'] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...outside.person, sub: id }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response);
    const result = { login: { accountId: outside.person.sub, remember: false } };
    provider.interactionFinished(request, response, result).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  return outside;
}
