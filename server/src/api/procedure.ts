import type { Permission } from '@svc/contracts/permissions';
import { initTRPC } from '@trpc/server';
import { AppError, type Ctx, createTenantTurns, readUntil } from '#kernel';
import type { ProcedureMeta } from './meta.ts';
import { missingPermission, toTrpcError } from './trpc-errors.ts';

/** What a request brings before a principal is demanded; `ctx` is undefined without a valid session or API token. */
export interface RequestContext {
  requestId: string;
  ctx: Ctx | undefined;
}

const t = initTRPC
  .meta<ProcedureMeta>()
  .context<RequestContext>()
  .create({
    isDev: false,
    errorFormatter({ shape, error, ctx }) {
      const cause = error.cause;
      const known = cause instanceof AppError;
      // tRPC's own validation messages name the caller's input; anything else that is not ours stays inside.
      const message = known || error.code !== 'INTERNAL_SERVER_ERROR' ? shape.message : 'Internal error.';
      const data = { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path };
      return {
        ...shape,
        message,
        data: {
          ...data,
          requestId: ctx?.requestId,
          appCode: known ? cause.code : undefined,
          faults: known ? cause.faults : undefined,
          more: known ? cause.more : undefined,
        },
      };
    },
  });

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

const translated = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (!result.ok && result.error.cause instanceof AppError) throw toTrpcError(result.error.cause);
  return result;
});

/** Rejects with the signal's reason as soon as it is aborted, whatever `work` is still waiting for. */
async function untilEnded<T>(work: Promise<T>, ended: AbortSignal | undefined): Promise<T> {
  if (!ended) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const refuse = () =>
    reject(ended.reason instanceof AppError ? toTrpcError(ended.reason) : new Error('aborted without a reason of ours'));
  if (ended.aborted) refuse();
  ended.addEventListener('abort', refuse, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    ended.removeEventListener('abort', refuse);
  }
}

/**
 * A procedure for any signed-in person of the tenant, whatever their roles. Reading ends with the access of whoever reads and with their
 * connection, and so does all that it asks of the column store; a mutation is one transaction of bounded length, and its answer is what
 * became of it.
 */
export const signedIn = translated.use(async ({ ctx, next, type }) => {
  if (!ctx.ctx) throw toTrpcError(new AppError('unauthorized', 'Sign in, or send a valid API token.'));
  const principal = ctx.ctx;
  if (type === 'mutation') return await next({ ctx: principal });
  const { ended } = principal;
  return await untilEnded(
    readUntil(ended, () => next({ ctx: principal })),
    ended,
  );
});

/** What makes a file, over REST or tRPC: one of a tenant at a time, since it takes a connection and tens of megabytes. */
const exports = createTenantTurns({ alone: 1, maxWaiting: 4, refusal: 'Too many concurrent exports of this tenant.' });

/** A procedure for principals that hold the permission; default deny. Give REST meta as `permitted('agent.read', { rest: ... })`. */
export const permitted = (permission: Permission, meta: Omit<ProcedureMeta, 'permission'> = {}) =>
  signedIn.meta({ ...meta, permission }).use(({ ctx, next }) => {
    if (!ctx.principal.permissions.has(permission)) {
      throw toTrpcError(missingPermission(permission));
    }
    if (meta.rest?.contentType === undefined) return next({ ctx });
    return exports
      .use(ctx.principal.tenant, () => next({ ctx }), ctx.ended)
      .catch((error: unknown) => {
        throw error instanceof AppError ? toTrpcError(error) : error;
      });
  });
