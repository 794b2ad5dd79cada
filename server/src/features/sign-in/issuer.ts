import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify';
import Provider, { type Configuration, interactionPolicy } from 'oidc-provider';
import type { CustomFetch } from 'openid-client';
import { type ArtifactDeps, createIssuerAdapter } from './artifacts.ts';
import { callbackOf, ISSUER_PATH, issuerOf, type SignInConfig } from './config.ts';
import type { Cookies } from './context.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { html } from './pages/html.ts';
import { noticePage } from './pages/pages.ts';
import { LOGIN_UNLESS_SIGNED_IN } from './scope.ts';

export const BUILTIN_CLIENT_ID = 'console';
const SCOPE = 'openid email profile';
const MINUTE = 60;

export interface IssuerDeps extends ArtifactDeps {
  config: SignInConfig;
  keys: IssuerKeys;
  cookieNames: Cookies['issuerNames'];
  /** Who an account is; undefined when there is none. */
  findAccount: (id: string) => Promise<{ id: string; email: string; name: string } | undefined>;
  log: FastifyBaseLogger;
}

/** The built-in OpenID provider: certified code, our storage, our pages. */
export interface Issuer {
  provider: Provider;
  /** Hands a request of the listener over to the provider. */
  handle(request: FastifyRequest, reply: FastifyReply): void;
  /** How the relying party of this very process reaches it: never over the network, so never by TLS to itself. */
  fetch: CustomFetch;
  close(): Promise<void>;
}

/** The sign-in page before every answer, whatever the request says: what this issuer remembers of a browser signs nobody in. */
function askEachTime() {
  const { base, Check } = interactionPolicy;
  const policy = base();
  const isFresh = new Check('fresh', 'each sign-in asks anew', ({ oidc }) =>
    oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  );
  policy.get('login')?.checks.add(isFresh);
  return policy;
}

function configurationOf({ config, keys, cookieNames, findAccount, ...storage }: IssuerDeps): Configuration {
  const cookie = { httpOnly: true, secure: true, sameSite: 'lax' as const };
  return {
    adapter: (model) => createIssuerAdapter(storage, model),
    jwks: { keys: [keys.signing] },
    clients: [
      {
        client_id: BUILTIN_CLIENT_ID,
        client_secret: keys.clientSecret,
        redirect_uris: [callbackOf(config)],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: {
      names: cookieNames,
      keys: [keys.cookieSecret],
      // Without a path of ours each interaction has its own, so that two tabs sign in beside each other.
      short: { ...cookie, signed: true },
      long: { ...cookie, path: '/auth', signed: true },
    },
    pkce: { required: () => true },
    responseTypes: ['code'],
    scopes: SCOPE.split(' '),
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    // Claims travel in the ID token: the relying party needs no second request.
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      claimsParameter: { enabled: false },
    },
    interactions: {
      policy: askEachTime(),
      url: (_ctx, interaction) => `${ISSUER_PATH}/interaction/${interaction.uid}`,
    },
    // The console always asks for a fresh sign-in, so a session here lives no longer than one.
    ttl: {
      Session: 10 * MINUTE,
      Interaction: 10 * MINUTE,
      Grant: 10 * MINUTE,
      AuthorizationCode: MINUTE,
      AccessToken: 5 * MINUTE,
      IdToken: 10 * MINUTE,
    },
    findAccount: async (_ctx, id) => {
      const account = await findAccount(id);
      if (!account) return undefined;
      return { accountId: id, claims: async () => ({ sub: id, email: account.email, name: account.name }) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
    renderError: (ctx, out) => {
      ctx.type = 'html';
      ctx.body = noticePage({
        title: 'This sign-in cannot go on.',
        text: html`It took too long or was begun in another window (${out.error}).`,
        action: { href: LOGIN_UNLESS_SIGNED_IN, label: 'Begin again' },
      });
    },
  };
}

export async function createIssuer(deps: IssuerDeps): Promise<Issuer> {
  const provider = new Provider(issuerOf(deps.config), configurationOf(deps));
  // Below us TLS is a fact: what a peer claims in x-forwarded-* is replaced in `handle`, never believed.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error) => deps.log.error({ err: error }, 'the built-in identity provider failed'));
  const callback = provider.callback();
  const { host } = new URL(deps.config.publicUrl);

  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    const { raw } = request;
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    for (const name of Object.keys(raw.headers)) if (name.startsWith('x-forwarded-')) delete raw.headers[name];
    Object.assign(raw.headers, { 'x-forwarded-proto': 'https', 'x-forwarded-host': host });
    // Koa reads the mount point from the difference between the two.
    Object.assign(raw, { originalUrl: raw.url, url: (raw.url ?? '').replace(ISSUER_PATH, '') || '/' });
    void callback(raw, reply.raw);
  };

  const inner = Fastify({ logger: false });
  inner.removeAllContentTypeParsers();
  inner.addContentTypeParser('*', (_request, _payload, done) => done(null));
  inner.all('/*', handle);
  await inner.ready();

  return { provider, handle, fetch: createInnerFetch(inner), close: async () => await inner.close() };
}

const createInnerFetch =
  (inner: { inject: ReturnType<typeof Fastify>['inject'] }): CustomFetch =>
  async (address, options) => {
    const url = new URL(address);
    const answer = await inner.inject({
      method: options.method === 'POST' ? 'POST' : 'GET',
      url: `${url.pathname}${url.search}`,
      headers: { ...options.headers, host: url.host },
      ...(options.body ? { payload: String(options.body) } : {}),
    });
    const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one) => [name, String(one)]),
    );
    return new Response(new Uint8Array(answer.rawPayload), { status: answer.statusCode, headers: headers as [string, string][] });
  };
