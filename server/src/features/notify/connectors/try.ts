import { randomUUID } from 'node:crypto';
import type { CheckConnector, Trial, TrialStep } from '@svc/contracts/notify/connector';
import type { z } from 'zod';
import { AppError, actorOf, type Connection, type Ctx, type Message, type Outcome, type Provider } from '#kernel';
import { type ConnectorsDeps, parseValues, providerOf } from './change.ts';
import { readRow } from './present.ts';

const isFine = ({ is }: Outcome): boolean => is === 'sent' || is === 'accepted';

async function take(
  log: ConnectorsDeps['log'],
  step: TrialStep['step'],
  call: () => Promise<Outcome>,
): Promise<{ step: TrialStep; outcome: Outcome }> {
  const outcome = await call().catch((error: unknown): Outcome => {
    log.error({ err: error }, 'a provider of notifications failed');
    return { is: 'final', said: 'The call failed here.' };
  });
  return { step: { step, outcome: outcome.is, said: outcome.said }, outcome };
}

/** Each takes as long as the other side lets it: a tenant has few at once, and those of others go on. */
export const TRIALS = { total: 16, alone: 4, beside: 2, maxWaiting: 8, refusal: 'Too many connectors are tried at once.' };

/** Whether what was filled in is taken; writes nothing, there or here. */
export async function checkConnector(deps: ConnectorsDeps, ctx: Ctx, wish: z.infer<typeof CheckConnector>): Promise<Trial> {
  const { tenant } = ctx.principal;
  const provider = providerOf(deps, wish.provider);
  const to = { ...parseValues(provider, wish.values), tenant };
  const { step, outcome } = await deps.trials.use(tenant, () => take(deps.log, 'check', () => provider.check(to)), ctx.ended);
  return { ok: isFine(outcome), steps: [step] };
}

function testMessage({ publicUrl, clock }: ConnectorsDeps, connector: string): Message {
  const now = new Date(clock.now());
  const id = randomUUID();
  return {
    key: `svc-test-${id}`,
    incident: {
      ...{ id, number: 0, status: 'open', severity: 'info', title: 'Test of this connector: nothing is wrong', target: null },
      ...{ prefix: null, site: null, planes: [], startedAt: now, resolvedAt: null, signalCount: 0 },
      url: `${publicUrl}/notify?open=${connector}`,
    },
    isTest: true,
    words: 'This is a test. Nothing is wrong, and it is closed again at once.',
    at: now,
    ...{ generation: 1, former: null, isPossibleRepeat: false, together: [] },
  };
}

async function openAndResolve(
  deps: ConnectorsDeps,
  provider: Provider,
  { id, to }: { id: string; to: Connection },
): Promise<Trial> {
  const checked = await take(deps.log, 'check', () => provider.check(to));
  const steps = [checked.step];
  if (!isFine(checked.outcome)) return { ok: false, steps };
  const message = testMessage(deps, id);
  const opened = await take(deps.log, 'open', () => provider.open(to, message));
  steps.push(opened.step);
  if (!isFine(opened.outcome)) return { ok: false, steps };
  if (!provider.capabilities(to).canResolve)
    return { ok: true, steps: [...steps, { step: 'resolve', outcome: 'not_needed', said: '' }] };
  const reference = 'reference' in opened.outcome ? opened.outcome.reference : null;
  const now = new Date(deps.clock.now());
  const closing: Message = { ...message, incident: { ...message.incident, status: 'resolved', resolvedAt: now }, at: now };
  const resolved = await take(deps.log, 'resolve', () => provider.resolve(to, closing, reference));
  return { ok: isFine(resolved.outcome), steps: [...steps, resolved.step] };
}

const ANSWER = `UPDATE notify_connectors SET last_answer = $2, last_answer_at = $3,
  last_success_at = CASE WHEN $4 THEN $3 ELSE last_success_at END WHERE id = $1`;

/** A message that says it is a test, opened and closed again. Past the outbox: whoever asks sees what came of it. */
export async function testConnector(deps: ConnectorsDeps, ctx: Ctx, id: string): Promise<Trial> {
  const { principal } = ctx;
  const { tenant } = principal;
  const row = await deps.relational.withTenantSql(tenant, async (sql) => {
    const found = await readRow(sql, id, deps.clock.now());
    const object = { type: 'notify_connector', id };
    await deps.appendAudit(sql, { actor: actorOf(principal), action: 'notify_connector.test', object });
    return found;
  });
  const to = deps.connections.open(tenant, row);
  if (!to) throw new AppError('conflict', 'What this connector was given cannot be read. Give it again.');
  const provider = providerOf(deps, row.provider);
  const trial = await deps.trials.use(tenant, () => openAndResolve(deps, provider, { id, to }), ctx.ended);
  const said = trial.steps.at(-1)?.said ?? '';
  await deps.relational.withTenantSql(tenant, (sql) => sql.query(ANSWER, [id, said, new Date(deps.clock.now()), trial.ok]));
  return trial;
}
