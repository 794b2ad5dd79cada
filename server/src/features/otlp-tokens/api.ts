import { SIGNALS } from '@svc/otlp-wire/signal';
import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import { actorOf, type Clock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { TokenRegistry } from './registry.ts';
import { listTokens, mintToken, revokeToken, type TokenDeps } from './store.ts';
import type { Usage } from './usage.ts';
import { readRefusals, readSignals } from './usage-store.ts';

const Time = z.iso.datetime();
const DAY_MS = 86_400_000;
const tags = ['otlp'];

const Token = z.object({
  id: z.string(),
  name: z.string(),
  /** Of SVC_OTLP_TOKENS: accepted only while it stands there. */
  configured: z.boolean(),
  state: z.enum(['valid', 'expired', 'revoked']),
  created_by: z.object({ id: z.string(), name: z.string().nullable() }),
  created_at: Time,
  expires_at: Time.nullable(),
  last_used_at: Time.nullable(),
  revoked_at: Time.nullable(),
  /** After decompression; days are UTC. */
  bytes_today: z.number(),
  bytes_30_days: z.number(),
});

const ListInput = z.object({ limit: listLimit, cursor: z.uuid().optional() });
const ListQuery = ListInput.extend({ limit: listLimitQuery });

const Listener = z.object({
  transport: z.enum(['grpc', 'http']),
  /** host:port as senders reach it; null where this listener is off. */
  address: z.string().nullable(),
});

const Status = z.object({
  listeners: z.array(Listener),
  /** PEM authority that senders check the receiver with; null where the system's do. */
  ca: z.string().nullable(),
  /** True where senders show a certificate of their own beside the token. */
  client_certificates: z.boolean(),
  valid_tokens: z.number(),
  /** Of this tenant over the last ten seconds, by this process; null where it does not receive. */
  accepted_per_second: z.number().nullable(),
  signals: z.array(
    z.object({
      signal: z.enum(['traces', 'logs', 'metrics']),
      first_at: Time.nullable(),
      /** Null: waiting for first data. */
      last_at: Time.nullable(),
      /** Spans, log records or points since the first. */
      items: z.number(),
    }),
  ),
  /** Always null, for clients of releases that could keep telemetry in memory. */
  memory: z.null(),
  /** Requests to this process without a token that is known, of whomever. */
  unknown_tokens: z.object({ count: z.number(), last_at: Time.nullable() }),
});

const Refusal = z.object({
  reason: z.string(),
  count: z.number(),
  last_at: Time,
  /** What the last sender was told. */
  message: z.string(),
  /** Attributes of the last resource that was to blame, where it could be told; never what it sent. */
  resource: z.record(z.string(), z.string()).nullable(),
});

/** The receiver of this process. */
export interface ReceiverFacts {
  listeners: z.infer<typeof Listener>[];
  ca: string | null;
  clientCertificates: boolean;
  receives: boolean;
}

export interface OtlpApiDeps extends TokenDeps {
  relational: Relational;
  registry: TokenRegistry;
  usage: Usage;
  clock: Clock;
  /** Writes what was counted of a tenant so far. */
  settle: (tenant: TenantId) => Promise<void>;
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  describeReceiver: () => ReceiverFacts;
}

const iso = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

const stateOf = (token: { expires_at: Date | null; revoked_at: Date | null }, nowMs: number): 'valid' | 'expired' | 'revoked' => {
  if (token.revoked_at) return 'revoked';
  return token.expires_at && token.expires_at.getTime() <= nowMs ? 'expired' : 'valid';
};

function createTokenProcedures(deps: OtlpApiDeps) {
  const { relational, clock, registry } = deps;
  const list = permitted('otlp.read', {
    rest: { method: 'GET', path: '/otlp/tokens', tags, summary: 'OTLP tokens, newest first', query: ListQuery },
  })
    .input(ListInput)
    .output(z.object({ items: z.array(Token), next_cursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const { tenant } = ctx.principal;
      const today = new Date(clock.now()).toISOString().slice(0, 10);
      await deps.settle(tenant);
      const page = { after: input.cursor, limit: input.limit + 1, today };
      const found = await relational.withTenantSql(tenant, (sql) => listTokens(sql, page));
      const shown = found.slice(0, input.limit);
      const isGone = (id: string) => deps.describeReceiver().receives && !registry.knows(id);
      const names = await deps.nameActors(tenant, [...new Set(shown.map((token) => token.created_by))]);
      const items = shown.map((token) => ({
        ...token,
        // Taken out of the configuration: of its members only those that receive know it.
        state: token.configured && isGone(token.id) ? ('revoked' as const) : stateOf(token, clock.now()),
        created_by: { id: token.created_by, name: names.get(token.created_by) ?? null },
        created_at: token.created_at.toISOString(),
        expires_at: iso(token.expires_at),
        last_used_at: iso(token.last_used_at),
        revoked_at: iso(token.revoked_at),
        bytes_today: Number(token.bytes_today),
        bytes_30_days: Number(token.bytes_30_days),
      }));
      return { items, next_cursor: found.length > input.limit ? (shown.at(-1)?.id ?? null) : null };
    });

  const mint = permitted('otlp.write', {
    rest: {
      method: 'POST',
      path: '/otlp/tokens',
      status: 201,
      tags,
      errors: ['conflict'],
      summary: 'Create an OTLP token; shown once',
    },
  })
    .input(z.object({ name: z.string().trim().min(1).max(200), expires_in_days: z.int().min(1).max(3650).optional() }))
    .output(z.object({ id: z.string(), token: z.string(), expires_at: Time.nullable() }))
    .mutation(async ({ ctx, input }) => {
      const days = input.expires_in_days;
      const expiresAt = days === undefined ? undefined : new Date(clock.now() + days * DAY_MS);
      const wish = { name: input.name, expiresAt, actor: actorOf(ctx.principal) };
      const minted = await mintToken(deps, ctx.principal.tenant, wish);
      await registry.refresh();
      return { ...minted, expires_at: iso(expiresAt) };
    });

  const revoke = permitted('otlp.write', {
    rest: {
      method: 'DELETE',
      path: '/otlp/tokens/:id',
      status: 204,
      tags,
      errors: ['not_found'],
      summary: 'Revoke an OTLP token at once',
    },
  })
    .input(z.object({ id: z.uuid() }))
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      await revokeToken(deps, ctx.principal.tenant, { id: input.id, actor: actorOf(ctx.principal) });
      // Answered when the receiver of this process judges by it; the other replicas hear of it at commit.
      await registry.refresh();
    });

  return router({ list, mint, revoke });
}

/** `otlp.*` over tRPC, and /v1/otlp/* over REST. */
export function createOtlpProcedures(deps: OtlpApiDeps) {
  const { relational, usage, registry } = deps;
  const status = permitted('otlp.read', {
    rest: { method: 'GET', path: '/otlp/status', tags, summary: 'Where OTLP is received and what came last' },
  })
    .input(z.object({}))
    .output(Status)
    .query(async ({ ctx }) => {
      const { tenant } = ctx.principal;
      await deps.settle(tenant);
      const rows = await relational.withTenantSql(tenant, readSignals);
      const { listeners, ca, clientCertificates, receives } = deps.describeReceiver();
      const { count, lastAtMs } = usage.unknownTokens();
      return {
        listeners,
        ca,
        client_certificates: clientCertificates,
        valid_tokens: registry.countValid(tenant),
        accepted_per_second: receives ? usage.itemsPerSecond(tenant) : null,
        signals: SIGNALS.map((signal) => {
          const row = rows.find((one) => one.signal === signal);
          return { signal, first_at: iso(row?.first_at), last_at: iso(row?.last_at), items: Number(row?.items ?? 0) };
        }),
        memory: null,
        unknown_tokens: { count, last_at: count > 0 ? new Date(lastAtMs).toISOString() : null },
      };
    });

  const RefusalsInput = z.object({ days: z.int().min(1).max(30).default(7) });
  const refusals = permitted('otlp.read', {
    rest: {
      ...{ method: 'GET', path: '/otlp/refusals', tags, summary: 'What was refused of OTLP, by reason' },
      query: z.object({ days: z.coerce.number().int().min(1).max(30).default(7) }),
    },
  })
    .input(RefusalsInput)
    .output(z.object({ items: z.array(Refusal) }))
    .query(async ({ ctx, input }) => {
      const { tenant } = ctx.principal;
      await deps.settle(tenant);
      const rows = await relational.withTenantSql(tenant, (sql) => readRefusals(sql, input.days));
      return { items: rows.map((row) => ({ ...row, count: Number(row.count), last_at: row.last_at.toISOString() })) };
    });

  return router({ tokens: createTokenProcedures(deps), status, refusals });
}
