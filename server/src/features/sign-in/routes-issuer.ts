import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#kernel';
import type { Artifacts } from './artifacts.ts';
import { ISSUER_PATH } from './config.ts';
import type { People } from './context.ts';
import type { Flows } from './flows.ts';
import type { Issuer } from './issuer.ts';
import { signInPage } from './pages/pages.ts';
import { readFields, sendPage } from './scope.ts';
import type { Starts } from './starts.ts';

/** A one-time stand-in for the password, set right after a claim: the person has just chosen it. */
export const TICKET = 'LoginTicket';
export const TICKET_SECONDS = 120;

export interface IssuerRouteDeps {
  issuer: Issuer;
  artifacts: Artifacts;
  flows: Flows;
  starts: Starts;
  people: Pick<People, 'cookies' | 'sessions' | 'demandOwnOrigin' | 'countAttempt' | 'provePassword'>;
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
  const { cookies, sessions } = deps.people;
  const ticket = cookies.read(request, 'ticket');
  if (ticket !== undefined) {
    cookies.clear(reply, 'ticket');
    const accountId = await deps.artifacts.take<string>(TICKET, ticket);
    if (accountId !== undefined) return await confirm(deps, { request, reply, accountId });
  }
  const wayPast = await deps.flows.findWayPast({ request, reply }, String(params.state));
  if (wayPast !== undefined) return reply.redirect(wayPast, 303);
  const ended = cookies.read(request, 'session');
  const changedAt = ended === undefined ? undefined : await sessions.findPasswordEnd(ended);
  return sendPage(reply, signInPage({ action: `${ISSUER_PATH}/interaction/${uid}`, email: '', changedAt }));
}

async function signIn(deps: IssuerRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  deps.people.demandOwnOrigin(request);
  await deps.people.countAttempt(request.ip);
  const { uid } = await readInteraction(deps, request, reply);
  const { email, password } = readFields(request.body, ['email', 'password']);
  const accountId = await deps.people.provePassword({ address: request.ip, email, password });
  if (accountId === undefined) {
    request.log.info({ address: request.ip }, 'a sign-in was refused: wrong e-mail address or password');
    const fault = 'E-mail address or password is wrong.';
    return sendPage(reply, signInPage({ action: `${ISSUER_PATH}/interaction/${uid}`, email, fault }), 401);
  }
  return await confirm(deps, { request, reply, accountId });
}

type Confirmation = { request: FastifyRequest; reply: FastifyReply; accountId: string };

async function confirm({ issuer, people }: IssuerRouteDeps, { request, reply, accountId }: Confirmation): Promise<FastifyReply> {
  const result = { login: { accountId, remember: false, amr: ['pwd'] } };
  const next = await issuer.provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
  // Another tab may have signed somebody else in since this one began.
  people.cookies.clearIssuer(reply);
  return reply.redirect(next, 303);
}
