import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#kernel';
import type { Relational } from '#relational';
import type { Cookies } from '../access/cookies.ts';
import { demandOwnOrigin } from '../access/own-origin.ts';
import type { Sessions } from '../access/sessions.ts';
import { ISSUER_PATH } from '../config.ts';
import { normaliseEmail } from '../domain/password-rules.ts';
import { signInPage } from '../pages/pages.ts';
import { findPasswordAccount } from '../people/accounts.ts';
import type { Artifacts } from './artifacts.ts';
import type { Attempts } from './attempts.ts';
import type { Flows } from './flows.ts';
import type { Issuer } from './issuer.ts';
import type { Passwords } from './passwords.ts';
import { readFields, sendPage } from './scope.ts';
import type { Starts } from './starts.ts';

/** A one-time stand-in for the password, set right after a claim: the person has just chosen it. */
export const TICKET = 'LoginTicket';
export const TICKET_SECONDS = 120;

export interface IssuerRouteDeps {
  issuer: Issuer;
  relational: Relational;
  artifacts: Artifacts;
  cookies: Cookies;
  flows: Flows;
  passwords: Passwords;
  attempts: Attempts;
  sessions: Pick<Sessions, 'findPasswordEnd'>;
  starts: Starts;
}

/** /auth/oidc: the built-in identity provider with our own sign-in page. */
export async function mountIssuer(scope: FastifyInstance, deps: IssuerRouteDeps): Promise<void> {
  scope.get('/oidc/interaction/:uid', (request, reply) => showSignIn(deps, request, reply));
  scope.post('/oidc/interaction/:uid', (request, reply) => signIn(deps, request, reply));
  await scope.register(async (inner) => {
    // The provider reads its own bodies: leave the stream to it.
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', (_request, _payload, done) => done(null));
    inner.route({
      method: ['GET', 'POST', 'OPTIONS'],
      url: '/oidc/*',
      handler: (request, reply) => {
        // Whoever comes here without /auth/login begins something too; which path does, the provider's router alone knows.
        deps.starts.count(request.ip);
        deps.issuer.handle(request, reply);
      },
    });
  });
}

async function readInteraction({ issuer }: IssuerRouteDeps, request: FastifyRequest, reply: FastifyReply) {
  try {
    return await issuer.provider.interactionDetails(request.raw, reply.raw);
  } catch (cause) {
    throw new AppError('bad_request', 'No sign-in is in progress in this browser, or it took too long.', { cause });
  }
}

async function showSignIn(deps: IssuerRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { uid, params } = await readInteraction(deps, request, reply);
  const ticket = deps.cookies.read(request, 'ticket');
  if (ticket !== undefined) {
    deps.cookies.clear(reply, 'ticket');
    const accountId = await deps.artifacts.take<string>(TICKET, ticket);
    if (accountId !== undefined) return await confirm(deps, { request, reply, accountId });
  }
  const wayPast = await deps.flows.findWayPast({ request, reply }, String(params.state));
  if (wayPast !== undefined) return reply.redirect(wayPast, 303);
  const ended = deps.cookies.read(request, 'session');
  const changedAt = ended === undefined ? undefined : await deps.sessions.findPasswordEnd(ended);
  return sendPage(reply, signInPage({ action: `${ISSUER_PATH}/interaction/${uid}`, email: '', changedAt }));
}

async function signIn(deps: IssuerRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  demandOwnOrigin(request);
  await deps.attempts.count(request.ip);
  const { uid } = await readInteraction(deps, request, reply);
  const { email, password } = readFields(request.body, ['email', 'password']);
  const known = normaliseEmail(email);
  const account = known === undefined ? undefined : await findPasswordAccount(deps.relational, known);
  const stored = account?.password_hash ?? undefined;
  const proven = await deps.passwords.prove({ address: request.ip, email: known ?? '', password, stored });
  if (!account || !proven) {
    request.log.info({ address: request.ip }, 'a sign-in was refused: wrong e-mail address or password');
    const fault = 'E-mail address or password is wrong.';
    return sendPage(reply, signInPage({ action: `${ISSUER_PATH}/interaction/${uid}`, email, fault }), 401);
  }
  return await confirm(deps, { request, reply, accountId: account.id });
}

type Confirmation = { request: FastifyRequest; reply: FastifyReply; accountId: string };

async function confirm({ issuer, cookies }: IssuerRouteDeps, { request, reply, accountId }: Confirmation): Promise<FastifyReply> {
  const result = { login: { accountId, remember: false, amr: ['pwd'] } };
  const next = await issuer.provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
  // Another tab may have signed somebody else in since this one began.
  cookies.clearIssuer(reply);
  return reply.redirect(next, 303);
}
