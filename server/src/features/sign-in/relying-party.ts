import * as oidc from 'openid-client';
import { AppError } from '#kernel';
import { callbackOf, type SignInConfig } from './config.ts';
import type { ProvenPerson } from './context.ts';
import { readAddress } from './domain/read-address.ts';

/** What one sign-in must remember until the callback. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

export interface RelyingParty {
  /** Where to send the browser, and what to remember. */
  begin(options: { fresh: boolean }): Promise<{ url: string; secrets: SignInSecrets }>;
  /** Checks the answer (state, nonce, PKCE, signature, audience, issuer) and says who it is; AppError `unauthorized` otherwise. */
  finish(callbackUrl: URL, secrets: SignInSecrets): Promise<ProvenPerson>;
  /** Where the browser ends the session of the identity provider; undefined where it offers no such place. */
  endSessionUrl(idToken: string | undefined): Promise<string | undefined>;
}

export interface RelyingPartyDeps {
  config: SignInConfig;
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** In process for the built-in issuer; undefined is the network. */
  fetch: oidc.CustomFetch | undefined;
}

const DISCOVERY_TIMEOUT_SECONDS = 10;

/** Fails closed: without an answer of the identity provider nobody signs in. */
export function createRelyingParty(deps: RelyingPartyDeps): RelyingParty {
  const redirectUri = callbackOf(deps.config);
  let known: Promise<oidc.Configuration> | undefined;

  const discover = async (): Promise<oidc.Configuration> => {
    const auth = deps.clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(deps.clientSecret);
    const options = { timeout: DISCOVERY_TIMEOUT_SECONDS, ...(deps.fetch ? { [oidc.customFetch]: deps.fetch } : {}) };
    const metadata = deps.config.external ? {} : { id_token_signed_response_alg: 'ES256' };
    return await oidc.discovery(new URL(deps.issuer), deps.clientId, metadata, auth, options);
  };

  const getConfiguration = async (): Promise<oidc.Configuration> => {
    known ??= discover();
    try {
      return await known;
    } catch (cause) {
      known = undefined;
      throw new AppError('unavailable', 'The identity provider does not answer. Try again.', { cause, retryAfterSeconds: 5 });
    }
  };

  return {
    async begin({ fresh }) {
      const configuration = await getConfiguration();
      const secrets = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
        ...(fresh ? { prompt: 'login' } : {}),
      });
      return { url: url.href, secrets };
    },

    async finish(callbackUrl, { state, nonce, verifier }) {
      const configuration = await getConfiguration();
      try {
        const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
        const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl, checks);
        const claims = tokens.claims();
        if (!claims) throw new Error('no ID token');
        const more = await readUserInfo(configuration, tokens.access_token, claims);
        return { ...toPerson(claims, more), issuer: claims.iss, subject: claims.sub, idToken: tokens.id_token };
      } catch (cause) {
        throw new AppError('unauthorized', 'The identity provider did not confirm this sign-in.', { cause });
      }
    },

    async endSessionUrl(idToken) {
      const configuration = await getConfiguration();
      if (!configuration.serverMetadata().end_session_endpoint) return undefined;
      const back = { post_logout_redirect_uri: `${deps.config.publicUrl}/auth/signed-out` };
      return oidc.buildEndSessionUrl(configuration, { ...back, ...(idToken ? { id_token_hint: idToken } : {}) }).href;
    },
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** Many providers name address and groups only there; where it is not offered, the ID token is all there is. */
async function readUserInfo(configuration: oidc.Configuration, accessToken: string, claims: oidc.IDToken): Promise<Claims> {
  const complete = claims.email !== undefined && claims.groups !== undefined;
  if (complete || !configuration.serverMetadata().userinfo_endpoint) return {};
  return await oidc.fetchUserInfo(configuration, accessToken, claims.sub);
}

const MAX_GROUPS = 1000;

function toPerson(idToken: Claims, userInfo: Claims): Omit<ProvenPerson, 'issuer' | 'subject' | 'idToken'> {
  const claims = { ...userInfo, ...idToken };
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 254) : '');
  const groups = Array.isArray(claims.groups)
    ? claims.groups.filter((group) => typeof group === 'string').slice(0, MAX_GROUPS)
    : [];
  return { ...readAddress(idToken, userInfo), name: text(claims.name), groups };
}
