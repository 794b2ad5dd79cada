import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import { AppError, createTenantTurns } from '#kernel';
import type { Relational } from '#relational';
import type { Checkpoint } from './checkpoint.ts';
import type { ChainPlace } from './domain/walk-chain.ts';
import { type NameActors, readTrail, TrailEntry } from './read-trail.ts';
import { type VerifyDeps, verifyChain } from './verify.ts';

export interface AuditApiDeps extends VerifyDeps {
  relational: Pick<Relational, 'withTenantSql'>;
  nameActors: NameActors;
}

const MAX_ENTRIES_A_CALL = 200_000;

const ListInput = z.object({
  limit: listLimit,
  cursor: z.string().max(200).optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  actor: z.string().min(1).max(200).optional(),
  action: z
    .string()
    .regex(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/, 'An action is noun.verb, or a noun for all of its verbs.')
    .max(100)
    .optional(),
});

/** Of a tenant at a time: each keeps a core busy. */
const ONE_WALK = { alone: 1, maxWaiting: 8, refusal: 'Too many concurrent verifications of this tenant.' } as const;

const VerifyInput = z.object({ cursor: z.string().max(200).optional() });

const Verified = z.object({
  ok: z.boolean(),
  complete: z.boolean(),
  checked: z.int(),
  head_seq: z.string(),
  /** Stands for the oldest entries, removed when their retention was over; null while all are there. */
  checkpoint: z.object({ seq: z.string(), hash: z.string(), signed_at: z.iso.datetime() }).nullable(),
  /** The end of the chain as the server that answers remembers it, which the chain was held against; null where it remembers none. */
  remembered: z.object({ seq: z.string(), at: z.iso.datetime() }).nullable(),
  broken: z.object({ seq: z.string(), id: z.string().nullable(), reason: z.string() }).nullable(),
  next_cursor: z.string().nullable(),
});

export function createAuditProcedures({ relational, signer, heads, nameActors }: AuditApiDeps) {
  const walks = createTenantTurns(ONE_WALK);
  const list = permitted('audit.read', {
    rest: {
      method: 'GET',
      path: '/audit',
      tags: ['audit'],
      summary: 'The audit trail, newest first',
      query: ListInput.extend({ limit: listLimitQuery }),
    },
  })
    .input(ListInput)
    .output(z.object({ items: z.array(TrailEntry), next_cursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const { tenant } = ctx.principal;
      const filter = {
        fromMs: input.from === undefined ? undefined : Date.parse(input.from),
        toMs: input.to === undefined ? undefined : Date.parse(input.to),
        actor: input.actor,
        action: input.action,
        beforeSeq: input.cursor === undefined ? undefined : decodeSeq(input.cursor),
      };
      const { items, isCut } = await readTrail({ relational, nameActors }, tenant, { filter, limit: input.limit });
      const last = items.at(-1);
      return { items, next_cursor: isCut && last ? Buffer.from(last.seq).toString('base64url') : null };
    });

  const verify = permitted('audit.read', {
    rest: {
      method: 'GET',
      path: '/audit/verify',
      tags: ['audit'],
      summary: 'Walk the hash chain and name the first broken entry',
    },
  })
    .input(VerifyInput)
    .output(Verified)
    .query(async ({ ctx, input }) => {
      const start = input.cursor === undefined ? undefined : decodePlace(input.cursor);
      const { tenant } = ctx.principal;
      const options = { start, maxEntries: MAX_ENTRIES_A_CALL };
      const found = await walks.use(tenant, () => verifyChain({ relational, signer, heads }, tenant, options));
      const broken = found.broken && { ...found.broken, seq: found.broken.seq.toString() };
      return {
        ok: found.ok,
        complete: found.ok && found.next === undefined,
        checked: found.checked,
        head_seq: found.headSeq.toString(),
        checkpoint: found.checkpoint ? presentCheckpoint(found.checkpoint) : null,
        remembered: found.remembered
          ? { seq: found.remembered.seq.toString(), at: new Date(found.remembered.atMs).toISOString() }
          : null,
        broken: broken ?? null,
        next_cursor: found.next ? encodePlace(found.next) : null,
      };
    });

  return router({ list, verify });
}

const presentCheckpoint = ({ seq, hash, atMs }: Checkpoint) => ({
  seq: seq.toString(),
  hash: hash.toString('hex'),
  signed_at: new Date(atMs).toISOString(),
});

const badCursor = () => new AppError('validation', 'Invalid cursor.', { faults: [{ path: 'cursor', message: 'unknown' }] });

function decodeSeq(cursor: string): bigint {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!/^\d{1,18}$/.test(text)) throw badCursor();
  return BigInt(text);
}

const encodePlace = ({ seq, hash }: ChainPlace): string => Buffer.from(`${seq}:${hash.toString('hex')}`).toString('base64url');

function decodePlace(cursor: string): ChainPlace {
  const match = /^(\d{1,18}):([0-9a-f]{64})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!match?.[1] || !match[2]) throw badCursor();
  return { seq: BigInt(match[1]), hash: Buffer.from(match[2], 'hex') };
}
