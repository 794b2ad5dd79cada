import { TOPICS, type Topic } from '@svc/contracts/bus-topics';
import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import { type QuarantineRow, SET_ASIDE_REASONS } from '#bus';
import type { Relational } from '#relational';
import { listMessages, MAX_BYTES, MAX_MESSAGES, readTotals } from './store.ts';

const Time = z.iso.datetime();
const Sizes = z.object({ messages: z.number(), bytes: z.number() });

const SIGNALS: Readonly<Record<Topic, 'traces' | 'logs' | 'metrics' | 'results' | 'changes'>> = {
  [TOPICS.otlpTraces]: 'traces',
  [TOPICS.otlpLogs]: 'logs',
  [TOPICS.otlpMetrics]: 'metrics',
  [TOPICS.endpointResults]: 'results',
  [TOPICS.networkResults]: 'results',
  [TOPICS.rumEvents]: 'results',
  [TOPICS.changes]: 'changes',
};

const Message = z.object({
  id: z.uuid(),
  set_aside_at: Time,
  /** When it goes by itself. */
  expires_at: Time,
  signal: z.enum(['traces', 'logs', 'metrics', 'results', 'changes']),
  topic: z.string(),
  /** The consumer that could not handle it. */
  group: z.string(),
  reason: z.enum(SET_ASIDE_REASONS),
  /** Of the message as it was received. */
  bytes: z.number(),
  /** True once an operator asked for it to be tried again. */
  retrying: z.boolean(),
});

const Page = z.object({
  items: z.array(Message),
  next_cursor: z.string().nullable(),
  kept: Sizes,
  /** Of one tenant: beyond it the oldest go. */
  bound: Sizes,
  /** What went to make room over the last 31 days. */
  dropped: Sizes,
});

const Input = z.object({ limit: listLimit, cursor: z.uuid().optional() });
const query = Input.extend({ limit: listLimitQuery });

const toMessage = (row: QuarantineRow): z.infer<typeof Message> => ({
  id: row.id,
  set_aside_at: row.set_aside_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  signal: SIGNALS[row.topic],
  topic: row.topic,
  group: row.consumer_group,
  reason: row.reason,
  bytes: row.bytes,
  retrying: row.retry_at !== null,
});

/** `bus.*` over tRPC, and /v1/bus/* over REST. What a message holds and what its consumer reported stay with the operator. */
export function createQuarantineProcedures(relational: Relational) {
  const list = permitted('otlp.read', {
    rest: {
      method: 'GET',
      path: '/bus/quarantine',
      tags: ['otlp'],
      summary: 'Messages that were set aside, newest first',
      query,
    },
  })
    .input(Input)
    .output(Page)
    .query(async ({ ctx, input }) => {
      const { found, totals } = await relational.withTenantSql(ctx.principal.tenant, async (sql) => ({
        found: await listMessages(sql, { after: input.cursor, limit: input.limit + 1 }),
        totals: await readTotals(sql),
      }));
      const shown = found.slice(0, input.limit);
      return {
        items: shown.map(toMessage),
        next_cursor: found.length > input.limit ? (shown.at(-1)?.id ?? null) : null,
        kept: { messages: totals.messages, bytes: totals.bytes },
        bound: { messages: MAX_MESSAGES, bytes: MAX_BYTES },
        dropped: totals.dropped,
      };
    });
  return router({ quarantine: router({ list }) });
}
