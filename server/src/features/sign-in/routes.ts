import type { FastifyInstance } from 'fastify';
import { createArtifacts } from './artifacts.ts';
import { issuerOf, type SignInConfig } from './config.ts';
import type { SignInContext } from './context.ts';
import { createFlows } from './flows.ts';
import { BUILTIN_CLIENT_ID, createIssuer, type Issuer } from './issuer.ts';
import { type IssuerKeys, loadIssuerKeys } from './issuer-keys.ts';
import { createRelyingParty } from './relying-party.ts';
import { mountIssuer } from './routes-issuer.ts';
import { mountJoin } from './routes-join.ts';
import { mountSignIn } from './routes-sign-in.ts';
import { prepareScope } from './scope.ts';
import { createStarts } from './starts.ts';

/** Mounts everything below /auth; gives the built-in issuer when there is one, for its end. */
export async function mountAuth(app: FastifyInstance, context: SignInContext): Promise<Issuer | undefined> {
  const { relational, clock, config, people, log } = context;
  const { cookies, sessions, vault, findAccount } = people;
  const storage = { relational, clock, vault };
  const keys = config.external ? undefined : await loadIssuerKeys(storage);
  const issuer = keys && (await createIssuer({ ...storage, config, keys, cookieNames: cookies.issuerNames, findAccount, log }));
  const relyingParty = createRelyingParty({ config, ...clientOf(config, keys), fetch: issuer?.fetch });
  const artifacts = createArtifacts(storage);
  const flows = createFlows({ artifacts, cookies, sessions, clock });
  const shared = { ...context, artifacts, flows, starts: createStarts(context) };
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
function clientOf(config: SignInConfig, keys: IssuerKeys | undefined) {
  if (config.external) return config.external;
  return { issuer: issuerOf(config), clientId: BUILTIN_CLIENT_ID, clientSecret: keys?.clientSecret };
}
