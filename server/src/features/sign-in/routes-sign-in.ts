import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, isTenantId } from '#kernel';
import type { SignInContext } from './context.ts';
import { labelClient } from './domain/client-label.ts';
import { safeReturnPath } from './domain/return-path.ts';
import type { Flows } from './flows.ts';
import { html } from './pages/html.ts';
import { noticePage } from './pages/pages.ts';
import type { RelyingParty } from './relying-party.ts';
import { readFields, sendPage } from './scope.ts';
import type { Starts } from './starts.ts';

const MAX_SECRET_LENGTH = 200;

export interface SignInDeps extends Pick<SignInContext, 'config' | 'people'> {
  flows: Flows;
  relyingParty: RelyingParty;
  starts: Starts;
}

/** A page load by another name than the public one: cookies and redirects of a sign-in would not meet there. */
export function leadToPublicHost({ config }: Pick<SignInDeps, 'config'>, request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.host === new URL(config.publicUrl).host) return false;
  const there = `${config.publicUrl}${request.url}`;
  if (config.publicUrlIsSet) {
    reply.redirect(there, 302);
    return true;
  }
  const text = html`You reached it by another name. If people should use that one, start the server with <code>SVC_PUBLIC_URL=https://${request.host}</code>.`;
  const page = noticePage({
    title: `This server answers at ${config.publicUrl}`,
    text,
    action: { href: there, label: 'Go there' },
  });
  sendPage(reply, page, 421);
  return true;
}

/** /auth/login, /auth/callback, /auth/logout, /auth/signed-out: the relying party's side of a sign-in. */
export function mountSignIn(scope: FastifyInstance, deps: SignInDeps): void {
  scope.get('/login', (request, reply) => begin(deps, request, reply));
  scope.get('/callback', (request, reply) => finish(deps, request, reply));
  scope.post('/logout', (request, reply) => signOut(deps, request, reply));
  scope.get('/signed-out', (_request, reply) =>
    sendPage(
      reply,
      noticePage({
        title: 'You are signed out.',
        text: html`Your session on this server has ended.`,
        action: { href: '/auth/login', label: 'Sign in again' },
      }),
    ),
  );
}

async function begin(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (leadToPublicHost(deps, request, reply)) return reply;
  const query = readFields(request.query, ['return_to', 'link', 'tenant']);
  // Whoever is led here from elsewhere has not seen which tenant a link joins them to.
  if (query.link !== '' && request.headers['sec-fetch-site'] !== 'same-origin')
    throw new AppError('forbidden', 'Open the link that you were sent and sign in from its page.');
  if (query.link.length > MAX_SECRET_LENGTH) throw new AppError('bad_request', 'This is not a link of this server.');
  const returnTo = safeReturnPath(query.return_to, deps.config.publicUrl);
  // A page of the console that lost its session, in a browser that another tab has signed in since. Who comes without a page to go back
  // to wants to sign in, perhaps as somebody else; so does a link or a tenant that was just joined.
  const isLate = query.return_to !== '' && query.link === '' && query.tenant === '';
  if (isLate && (await deps.flows.isSignedIn(request))) return reply.redirect(returnTo, 302);
  deps.starts.count(request.ip);
  const { url, secrets } = await deps.relyingParty.begin({ fresh: deps.config.external === undefined });
  const link = query.link === '' ? undefined : query.link;
  const tenant = isTenantId(query.tenant) ? query.tenant : undefined;
  await deps.flows.begin({ request, reply }, { secrets, returnTo, link, tenant });
  // Each sign-in begins afresh: what the built-in issuer remembers of another person must not meet this one.
  deps.people.cookies.clearIssuer(reply);
  return reply.redirect(url, 302);
}

async function finish(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { flows, config } = deps;
  const { cookies, sessions } = deps.people;
  const { state } = readFields(request.query, ['state']);
  const flow = await flows.take({ request, reply }, state);
  // An answer that was used, loaded again: it proves nothing, and whoever has a session needs nothing proved.
  if (!flow && (await flows.isSignedIn(request))) return reply.redirect('/', 303);
  if (!flow) throw new AppError('bad_request', 'No sign-in is in progress in this browser, or it took too long.');
  const person = await deps.relyingParty.finish(new URL(request.url, config.publicUrl), flow.secrets);
  const since = new Date(flow.startedAtMs);
  const { accountId, tenant } = await deps.people.admit(person, { ...flow, since });
  const old = cookies.read(request, 'session');
  if (old !== undefined) await sessions.close(old);
  const secret = await sessions.open({
    accountId,
    tenant,
    since,
    client: labelClient(request.headers['user-agent'] ?? ''),
    idToken: config.external ? person.idToken : undefined,
  });
  deps.starts.know(request.ip);
  cookies.set(reply, 'session', { value: secret });
  return reply.redirect(flow.returnTo, 303);
}

async function signOut(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { cookies, sessions, demandOwnOrigin } = deps.people;
  demandOwnOrigin(request);
  const secret = cookies.read(request, 'session');
  const closed = secret === undefined ? undefined : await sessions.close(secret);
  cookies.clear(reply, 'session');
  cookies.clearIssuer(reply);
  const outside =
    deps.config.external && closed ? await deps.relyingParty.endSessionUrl(closed.idToken).catch(() => undefined) : undefined;
  return reply.redirect(outside ?? '/auth/signed-out', 303);
}
