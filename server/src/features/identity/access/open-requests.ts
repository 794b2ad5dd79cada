import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Permission } from '@svc/contracts/permissions';
import type { FastifyBaseLogger } from 'fastify';
import { whenClosed } from '#connections';
import { AppError, type Clock, type Ctx, type Principal } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { permissionsOf } from '../domain/roles.ts';
import { findMember } from '../people/members.ts';
import { standingOf } from './resolve.ts';
import type { SessionRow, Sessions } from './sessions.ts';
import { findTokenStanding, permissionsOfToken } from './tokens.ts';

/** Payload: the account or token whose access may have become less; the triggers of 0013_access_changes send it at commit. */
const ACCESS_CHANNEL = 'svc_access_changed';
/** Finds what ends by time alone: a session over its hours or idle, a token at its date. */
const SWEEP_MS = 15_000;
/** All connections may be busy, of the very requests that are to end. */
const CONFIRM_WITHIN_MS = 2000;

const GONE = new AppError('unauthorized', 'Your session, token or membership ended while this was being answered.');
const LESS = new AppError('forbidden', 'Your permissions changed while this was being answered. Try again.');
const LEFT = new AppError('unavailable', 'The connection was closed before this was answered.');
const UNKNOWN = new AppError('unavailable', 'Your permissions cannot be checked right now. Try again.');

interface OpenRequest {
  principal: Principal;
  response: ServerResponse;
  ending: AbortController;
}

interface OpenRequestsDeps {
  relational: Relational;
  clock: Clock;
  sessions: Sessions;
  log: FastifyBaseLogger;
}

/** Reads why a principal may not go on now; undefined when it may. `live` are the sessions of its account. */
function createAccessCheck({ relational, clock }: Pick<OpenRequestsDeps, 'relational' | 'clock'>) {
  /** Undefined for a token that may not be used any more and for somebody who is no member any more. */
  const heldNow = async (sql: TenantSql, { kind, id }: Principal): Promise<ReadonlySet<Permission> | undefined> => {
    if (kind === 'api_token') {
      const standing = await findTokenStanding(sql, id, new Date(clock.now()));
      return standing && permissionsOfToken(standing);
    }
    const member = await findMember(sql, id);
    return member && permissionsOf([...member.roles, ...member.group_roles]);
  };

  return async (principal: Principal, live: readonly SessionRow[]): Promise<AppError | undefined> => {
    if (principal.kind === 'account') {
      const session = live.find(({ id }) => id === standingOf(principal).sessionId);
      if (!session) return GONE;
      // Still signed in, elsewhere: not for a sign-in page.
      if (session.tenant_id !== principal.tenant) return LESS;
    }
    const held = await relational.withSystemSql(principal.tenant, (sql) => heldNow(sql, principal));
    if (!held) return GONE;
    return [...principal.permissions].every((permission) => held.has(permission)) ? undefined : LESS;
  };
}

/**
 * The signed-in requests that are open with this process. Each is asked again when its account or token lost something, on whichever
 * replica that happened; one that may no longer go on gets its `ended` signal, and its response is cut when it has begun already. `ended`
 * comes too when the connection is closed: nobody waits for the answer then.
 */
export function createOpenRequests({ relational, clock, sessions, log }: OpenRequestsDeps) {
  const findEnd = createAccessCheck({ relational, clock });
  // By account or token; a token's also by the account it acts for, whose roles cap it.
  const open = new Map<string, Set<OpenRequest>>();
  // Rises with every notification: a principal that was read from the database before it is asked for again.
  let changes = 0;
  let sweep: NodeJS.Timeout | undefined;
  let stopListening = async (): Promise<void> => {};

  const end = ({ ending, response }: OpenRequest, why: AppError) => {
    ending.abort(why);
    if (response.headersSent) response.destroy();
  };

  const findEnds = async (id: string): Promise<(() => void)[]> => {
    const requests = [...(open.get(id) ?? [])];
    const live = requests.some(({ principal }) => principal.kind === 'account') ? await sessions.list(id) : [];
    const ends: (() => void)[] = [];
    for (const request of requests) {
      const why = await findEnd(request.principal, live);
      if (why) ends.push(() => end(request, why));
    }
    return ends;
  };

  /** Something was taken from this account or token: what cannot be confirmed soon does not go on. */
  const recheck = async (id: string): Promise<void> => {
    if (!open.has(id)) return;
    const limit = sleep(CONFIRM_WITHIN_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('took too long')));
    try {
      for (const endOne of await Promise.race([findEnds(id), limit])) endOne();
    } catch (error) {
      log.warn({ err: error }, 'requests end: whether they may go on cannot be read');
      for (const request of open.get(id) ?? []) end(request, UNKNOWN);
    }
  };

  const recheckAll = async (): Promise<void> => {
    for (const id of [...open.keys()]) {
      try {
        for (const endOne of await findEnds(id)) endOne();
      } catch (error) {
        log.debug({ err: error }, 'open requests could not be checked; again at the next sweep');
      }
    }
  };

  return {
    /** Resolves who sent a request and follows it until its response is closed; gives the same with its `ended`. */
    async follow(response: ServerResponse, resolve: () => Promise<Ctx | undefined>): Promise<Ctx | undefined> {
      const before = changes;
      const ctx = await resolve();
      if (!ctx || ctx.principal.kind === 'system') return ctx;
      if (response.closed) return { ...ctx, ended: AbortSignal.abort(LEFT) };
      const { principal } = ctx;
      const request: OpenRequest = { principal, response, ending: new AbortController() };
      for (const id of new Set([principal.id, standingOf(principal).owner ?? principal.id])) {
        const own = open.get(id) ?? new Set();
        open.set(id, own.add(request));
        whenClosed(response, () => {
          own.delete(request);
          if (own.size === 0 && open.get(id) === own) open.delete(id);
        });
      }
      whenClosed(response, () => request.ending.abort(LEFT));
      if (before !== changes) await recheck(principal.id);
      return { ...ctx, ended: request.ending.signal };
    },
    async start(): Promise<void> {
      stopListening = await relational.listen(ACCESS_CHANNEL, (id) => {
        changes += 1;
        void (id === '' ? recheckAll() : recheck(id));
      });
      sweep = setInterval(() => void recheckAll(), SWEEP_MS);
      sweep.unref();
    },
    async close(): Promise<void> {
      clearInterval(sweep);
      await stopListening();
    },
  };
}
