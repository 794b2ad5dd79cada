import { RaisedSignal, type SignalKind } from '@svc/contracts/incidents/signal';
import { AppError, canonicalTarget, type TenantId } from '#kernel';
import type { Fence } from '#relational';
import type { IncidentsDeps } from './context.ts';
import { endEpisodes, findGone, type Scope, type TakenSignal, takeSignals } from './take-signals.ts';
import { changeIncidents } from './work.ts';

/** Of one call: each is one transaction. */
const MAX_SIGNALS = 10_000;
/** Of signals that no evaluator settles. */
const NO_SCOPE = '';

/** A failing that has not recovered. */
export interface OpenFailing {
  dedupKey: string;
  scope: string;
  occurredAt: Date;
  heldBack: string | null;
  attributes: Record<string, string>;
  incident: { id: string; number: number } | null;
}

export interface SettleScope extends Scope {
  /** Of the leased work that evaluates. */
  fence?: Fence;
}

function parse(signals: readonly RaisedSignal[]): ReturnType<typeof RaisedSignal.parse>[] {
  if (signals.length > MAX_SIGNALS) throw new AppError('too_large', `At most ${MAX_SIGNALS} signals at once.`);
  return signals.map((signal) => {
    const parsed = RaisedSignal.safeParse(signal);
    if (!parsed.success) throw new AppError('validation', 'A signal is not well formed.', { cause: parsed.error });
    return parsed.data;
  });
}

/** Asks for maintenance before the transaction, since the answer needs a connection of its own. */
async function askHeldBack(
  { heldBackBy, clock }: IncidentsDeps,
  tenant: TenantId,
  signals: readonly ReturnType<typeof RaisedSignal.parse>[],
): Promise<TakenSignal[]> {
  const taken: TakenSignal[] = [];
  for (const signal of signals) {
    const what = {
      testId: signal.attributes['test.id'],
      target: signal.target === undefined ? undefined : canonicalTarget(signal.target),
      site: signal.site,
    };
    const words =
      signal.held_back ?? (signal.recovered ? null : await heldBackBy?.(tenant, what, new Date(clock.now()))) ?? undefined;
    const { held_back: _asked, ...rest } = signal;
    taken.push({ ...rest, ...(words === undefined ? {} : { held_back: words.slice(0, 200) }), scope: NO_SCOPE });
  }
  return taken;
}

/**
 * Takes signals of a tenant: each opens an episode, goes on with it or ends it. Idempotent: what comes twice, or late, changes nothing.
 * Rejects with `validation` for one that is not well formed, and then takes none.
 */
export async function raiseSignals(deps: IncidentsDeps, tenant: TenantId, signals: readonly RaisedSignal[]): Promise<void> {
  const taken = await askHeldBack(deps, tenant, parse(signals));
  if (taken.length > 0) await changeIncidents(deps, { tenant }, async (work) => await takeSignals(work, taken));
}

/**
 * All that fails in one scope, as one evaluation found it: opens what is new, goes on with what was known, and ends what is not among
 * them any more. One transaction, under the fence of the work that evaluates; idempotent.
 */
export async function settleSignals(
  deps: IncidentsDeps,
  { tenant, ...of }: SettleScope & { tenant: TenantId },
  present: readonly RaisedSignal[],
): Promise<void> {
  const parsed = parse(present);
  const wrong = parsed.find(({ plane, kind }) => plane !== of.plane || kind !== of.kind);
  if (wrong) throw new AppError('internal', `A signal ${wrong.kind} does not belong into the scope of ${of.kind}.`);
  const taken = (await askHeldBack(deps, tenant, parsed)).map((signal) => ({ ...signal, scope: of.scope }));
  const keys = new Set(taken.filter(({ recovered }) => !recovered).map(({ dedup_key: key }) => key));
  await changeIncidents(deps, { tenant, fence: of.fence }, async (work) => {
    await endEpisodes(work, await findGone(work, of, keys), work.now);
    await takeSignals(work, taken, work.now);
  });
}

/** What fails now of one kind. */
export async function readOpenFailings(
  { relational }: IncidentsDeps,
  tenant: TenantId,
  kind: SignalKind,
): Promise<OpenFailing[]> {
  return await relational.withSystemSql(tenant, async (sql) => {
    const { rows } = await sql.query<Omit<OpenFailing, 'incident'> & { id: string | null; number: number | null }>(
      `SELECT s.dedup_key AS "dedupKey", s.scope, s.occurred_at AS "occurredAt", s.held_back AS "heldBack", s.attributes, i.id,
         i.number::float8 AS number
       FROM signals s LEFT JOIN incidents i ON i.tenant_id = s.tenant_id AND i.id = s.incident_id
       WHERE s.recovered_at IS NULL AND s.kind = $1 ORDER BY s.dedup_key`,
      [kind],
    );
    return rows.map(({ id, number, ...row }) => ({ ...row, incident: id === null || number === null ? null : { id, number } }));
  });
}
