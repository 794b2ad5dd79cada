import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomToken } from '#crypto';
import { AppError } from '#kernel';
import { findTenant } from '#relational';
import type { Artifacts } from './artifacts.ts';
import type { LinkKind, PresentedLink, SignInContext } from './context.ts';
import { haveAccountPage, type JoinPage, joinOutsidePage, joinPage, newPasswordPage } from './pages/pages.ts';
import { TICKET, TICKET_SECONDS } from './routes-issuer.ts';
import { leadToPublicHost } from './routes-sign-in.ts';
import { readFields, sendLinkGone, sendPage } from './scope.ts';

export type JoinRouteDeps = Pick<SignInContext, 'relational' | 'config' | 'people'> & { artifacts: Artifacts };

/** /auth/claim and /auth/invite: a link that works once, a page that asks for e-mail and password, then the ordinary sign-in. */
export function mountJoin(scope: FastifyInstance, deps: JoinRouteDeps): void {
  for (const kind of ['claim', 'invite'] as const) {
    scope.get(`/${kind}`, (request, reply) => showJoin(deps, kind, { request, reply }));
    scope.post(`/${kind}`, (request, reply) => join(deps, kind, { request, reply }));
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** The open link of this secret; a wrong one counts as an attempt. */
async function findOpenLink(deps: JoinRouteDeps, kind: LinkKind, presented: { secret: string; request: FastifyRequest }) {
  const link = presented.secret === '' ? undefined : await deps.people.findLink(presented.secret);
  if (link?.kind === kind && link.state === 'open') return link;
  await deps.people.countAttempt(presented.request.ip);
  return undefined;
}

const tenantName = async ({ relational }: JoinRouteDeps, { tenant }: PresentedLink): Promise<string> =>
  (await findTenant(relational, tenant))?.name ?? tenant;

async function showJoin(deps: JoinRouteDeps, kind: LinkKind, { request, reply }: Exchange): Promise<FastifyReply> {
  if (leadToPublicHost(deps, request, reply)) return reply;
  const { token } = readFields(request.query, ['token']);
  const link = await findOpenLink(deps, kind, { secret: token, request });
  if (!link || (deps.config.external && link.accountId !== undefined)) return sendLinkGone(reply);
  const page = { kind, token, tenantName: await tenantName(deps, link) };
  if (deps.config.external) return sendPage(reply, joinOutsidePage(page));
  return sendPage(reply, pageOf(link, { ...page, email: link.email, name: '', isBound: link.email !== '' }));
}

async function join(deps: JoinRouteDeps, kind: LinkKind, { request, reply }: Exchange): Promise<FastifyReply> {
  deps.people.demandOwnOrigin(request);
  if (deps.config.external) throw new AppError('forbidden', 'Sign-in uses an external identity provider.');
  await deps.people.countAttempt(request.ip);
  const fields = readFields(request.body, ['token', 'email', 'name', 'password', 'again']);
  const link = await findOpenLink(deps, kind, { secret: fields.token, request });
  if (!link) return sendLinkGone(reply);
  try {
    const { accountId, ...joined } = await deps.people.join(link, { ...fields, address: request.ip });
    if (accountId === undefined) {
      const { token, email, again } = fields;
      // Who chose a new password has not been asked for the old one yet.
      const fault = again === '' && 'fault' in joined ? joined.fault : undefined;
      return sendPage(reply, haveAccountPage({ kind, token, email, tenantName: await tenantName(deps, link), fault }), 422);
    }
    const ticket = randomToken(32);
    await deps.artifacts.put(TICKET, ticket, { value: accountId, lifeSeconds: TICKET_SECONDS });
    deps.people.cookies.set(reply, 'ticket', { value: ticket, maxAgeSeconds: TICKET_SECONDS });
    return reply.redirect(`/auth/login?tenant=${encodeURIComponent(link.tenant)}`, 303);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error;
    const { token, email, name } = fields;
    const isBound = link.email !== '';
    const page = { kind, token, email, name, isBound, tenantName: await tenantName(deps, link), fault: error.message };
    return sendPage(reply, pageOf(link, page), 422);
  }
}

const pageOf = (link: PresentedLink, page: JoinPage): string =>
  link.accountId === undefined ? joinPage(page) : newPasswordPage({ ...page, email: link.email });
