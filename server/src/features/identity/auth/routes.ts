import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Clock } from '#kernel';
import type { Relational } from '#relational';
import type { Cookies } from '../access/cookies.ts';
import type { Sessions } from '../access/sessions.ts';
import { type IdentityConfig, issuerOf } from '../config.ts';
import { findAccount } from '../people/accounts.ts';
import type { AppendAudit } from '../people/members.ts';
import type { Vault } from '../secrets.ts';
import { createArtifacts } from './artifacts.ts';
import { createAttempts } from './attempts.ts';
import { createFlows } from './flows.ts';
import { BUILTIN_CLIENT_ID, createIssuer, type Issuer } from './issuer.ts';
import { type IssuerKeys, loadIssuerKeys } from './issuer-keys.ts';
import { createPasswords } from './passwords.ts';
import { createRelyingParty } from './relying-party.ts';
import { mountIssuer } from './routes-issuer.ts';
import { mountJoin } from './routes-join.ts';
import { mountSignIn } from './routes-sign-in.ts';
import { prepareScope } from './scope.ts';
import { createStarts } from './starts.ts';

export interface AuthDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
  config: IdentityConfig;
  cookies: Cookies;
  sessions: Sessions;
  vault: Vault;
  log: FastifyBaseLogger;
  /** As createPasswords. */
  passwordIterations?: (() => number | undefined) | undefined;
  /** As createStarts. */
  stepsPerMinute?: number | undefined;
}

/** Mounts everything below /auth; gives the built-in issuer when there is one, for its end. */
export async function mountAuth(app: FastifyInstance, deps: AuthDeps): Promise<Issuer | undefined> {
  const { relational, clock, vault, config } = deps;
  const storage = { relational, clock, vault };
  const keys = config.external ? undefined : await loadIssuerKeys(storage);
  const person = (id: string) => findAccount(relational, id);
  const issuer =
    keys &&
    (await createIssuer({ ...storage, config, keys, cookieNames: deps.cookies.issuerNames, findAccount: person, log: deps.log }));
  const relyingParty = createRelyingParty({ config, ...clientOf(config, keys), fetch: issuer?.fetch });
  const attempts = createAttempts(deps);
  const passwords = createPasswords(attempts, deps.passwordIterations);
  const artifacts = createArtifacts(storage);
  const flows = createFlows({ ...deps, artifacts });
  const shared = {
    ...deps,
    artifacts,
    flows,
    attempts,
    passwords,
    starts: createStarts({ clock, stepsPerMinute: deps.stepsPerMinute }),
  };
  await app.register(
    async (scope) => {
      await prepareScope(scope);
      mountSignIn(scope, { ...shared, relyingParty });
      mountJoin(scope, shared);
      if (issuer) await mountIssuer(scope, { ...shared, issuer });
    },
    { prefix: '/auth' },
  );
  return issuer;
}

/** Who we are at the identity provider outside, or at the built-in one. */
function clientOf(config: IdentityConfig, keys: IssuerKeys | undefined) {
  if (config.external) return config.external;
  return { issuer: issuerOf(config), clientId: BUILTIN_CLIENT_ID, clientSecret: keys?.clientSecret };
}
