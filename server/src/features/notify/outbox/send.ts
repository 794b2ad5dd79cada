import type { Connection, Finding, Message, Outcome, Provider, Reference, TenantId, ToldIncident } from '#kernel';
import type { Connections } from '../connectors/connections.ts';
import { type IncidentNow, keyOf, type NotifyDeps } from '../context.ts';
import { nextStep, type Step, whyUntold } from '../domain/step.ts';
import type { ClaimedRow, Job } from './rows.ts';
import { tellCause } from './words.ts';

/** What came of a call, as it is written. `isNew`: the object is of the next generation. */
export type Result =
  | { is: 'outcome'; verb: ClaimedRow['verb']; outcome: Outcome; isNew: boolean; isRepeat: boolean }
  | { is: 'found'; reference: Reference; isNew: boolean }
  /** Asked again later; nothing was sent. */
  | { is: 'later'; afterMs: number | null; said: string }
  | { is: 'confirmed'; reference: Reference | null; said: string }
  | { is: 'pending'; afterMs: number | null }
  | { is: 'failed'; isFinal: boolean; said: string }
  | { is: 'assumed'; why: string; isNew: boolean }
  | { is: 'dropped'; why: string; isUntold: boolean }
  | { is: 'expired' };

export interface Sending {
  deps: NotifyDeps;
  connections: Connections;
  tenant: TenantId;
}

const told = ({ publicUrl }: NotifyDeps, incident: IncidentNow): ToldIncident => {
  const { openedAt: _opened, openSignalCount: _open, recoveredAt: _recovered, cause: _cause, ...rest } = incident;
  return { ...rest, url: `${publicUrl}/incidents/${incident.id}` };
};

type Given = Job['messages'][number];

async function toMessage(
  { deps, tenant }: Sending,
  { row, link, incident }: Given,
  more: { isNew: boolean; isRepeat: boolean; together: readonly Given[] },
): Promise<Message> {
  return {
    key: keyOf(incident.id),
    incident: told(deps, incident),
    isTest: false,
    words: await tellCause(deps, tenant, { row, incident }),
    at: row.created_at,
    generation: link.generation + (more.isNew ? 1 : 0),
    former: more.isNew ? link.reference : link.former,
    isPossibleRepeat: more.isRepeat,
    together: more.together.map((one) => told(deps, one.incident)),
  };
}

/** A provider's file that throws has a fault of its own: nobody knows what it sent. */
async function call(log: NotifyDeps['log'], work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    log.error({ err: error }, 'a provider of notifications failed');
    return { is: 'ambiguous', said: 'The call failed here, before its answer was read.' };
  }
}

function ask(provider: Provider, to: Connection, verb: ClaimedRow['verb']) {
  return async (message: Message, reference: Reference | null): Promise<Outcome> =>
    verb === 'open' ? await provider.open(to, message) : await provider[verb](to, message, reference);
}

function fromFinding(finding: Finding, isNew: boolean): Result | undefined {
  if (finding.is === 'found') return { is: 'found', reference: finding.reference, isNew };
  if (finding.is === 'unknown') return { is: 'later', afterMs: finding.afterMs, said: finding.said };
  if (finding.is === 'broken_credential') return { is: 'outcome', verb: 'open', outcome: finding, isNew, isRepeat: false };
  return undefined;
}

interface Spoken {
  provider: Provider;
  to: Connection;
}

async function find(
  sending: Sending,
  { provider, to }: Spoken,
  { given, step }: { given: Given; step: Extract<Step, { do: 'find' }> },
): Promise<Result> {
  const { isNew, isOver } = step;
  const message = await toMessage(sending, given, { isNew, isRepeat: false, together: [] });
  const sentAtMs = (given.row.doubt_at ?? given.row.created_at).getTime();
  const finding = await provider.find(to, message, sentAtMs).catch((error: unknown): Finding => {
    sending.deps.log.error({ err: error }, 'a provider of notifications failed');
    return { is: 'unknown', afterMs: null, said: 'The look-up failed here.' };
  });
  const known = fromFinding(finding, isNew);
  if (known) return known;
  if (isOver) return { is: 'dropped', why: 'the incident was resolved, and nothing was opened', isUntold: !isNew };
  const outcome = await call(sending.deps.log, () => provider.open(to, message));
  return { is: 'outcome', verb: 'open', outcome, isNew, isRepeat: false };
}

async function confirm({ deps }: Sending, { provider, to }: Spoken, { row }: Given): Promise<Result> {
  if (row.request === null) return { is: 'pending', afterMs: null };
  try {
    const said = await provider.confirm(to, row.request);
    if (said.is === 'confirmed') return said;
    return said.is === 'pending' ? said : { is: 'failed', isFinal: said.isFinal, said: said.said };
  } catch (error) {
    deps.log.error({ err: error }, 'a provider of notifications failed');
    return { is: 'pending', afterMs: null };
  }
}

/** Before it is sent: whoever dies then has counted it. */
const countRepeat = async ({ deps, tenant }: Sending, id: string): Promise<void> =>
  void (await deps.relational.withSystemSql(tenant, (sql) =>
    sql.query('UPDATE notify_outbox SET repeats = repeats + 1 WHERE id = $1', [id]),
  ));

async function carryOut(sending: Sending, spoken: Spoken, messages: Job['messages']): Promise<Result> {
  const [given, ...together] = messages;
  if (!given) return { is: 'expired' };
  const { row, link, incident } = given;
  const isExpired = row.expires_at.getTime() <= sending.deps.clock.now();
  const step = nextStep(
    { verb: row.verb, isConfirming: row.state === 'confirming', inDoubt: row.in_doubt, isDelayed: row.is_delayed, isExpired },
    {
      link: { state: link.state, hasReference: link.reference !== null },
      incident,
      capabilities: spoken.provider.capabilities(spoken.to),
    },
  );
  if (step.do === 'expire') return { is: 'expired' };
  if (step.do === 'drop') return { is: 'dropped', why: step.why, isUntold: step.isUntold };
  if (step.do === 'assume') return { is: 'assumed', why: step.why, isNew: step.isNew };
  if (step.do === 'confirm') return await confirm(sending, spoken, given);
  if (step.do === 'find') return await find(sending, spoken, { given, step });
  const { verb, isNew, isPossibleRepeat: isRepeat } = step;
  if (isRepeat) await countRepeat(sending, row.id);
  const message = await toMessage(sending, given, { isNew, isRepeat, together });
  const outcome = await call(sending.deps.log, () => ask(spoken.provider, spoken.to, verb)(message, link.reference));
  return { is: 'outcome', verb, outcome, isNew, isRepeat };
}

/** Those of a shared message that are not to be told any more stay out of it, and are done on their own. */
const isStillToTell = ({ row, incident }: Given, nowMs: number): boolean =>
  whyUntold(row.is_delayed, incident) === undefined && row.expires_at.getTime() > nowMs;

/** Does what a job asks for: one call of the provider at most, but for a look-up before it. Writes nothing. */
export async function sendJob(sending: Sending, job: Job): Promise<{ messages: Job['messages']; result: Result }[]> {
  const { deps, connections, tenant } = sending;
  const provider = deps.providers[job.connector.provider];
  const to = connections.open(tenant, job.connector);
  if (!provider || !to) {
    const said =
      'What the connector was given cannot be read: its entry in SVC_NOTIFY_CONNECTORS is gone, or its seal does not open.';
    const result: Result = { is: 'later', afterMs: 60_000, said };
    return [{ messages: job.messages, result }];
  }
  const spoken = { provider, to };
  if (job.messages.length === 1) return [{ messages: job.messages, result: await carryOut(sending, spoken, job.messages) }];
  const nowMs = deps.clock.now();
  const shared = job.messages.filter((one) => isStillToTell(one, nowMs));
  const done: { messages: Job['messages']; result: Result }[] = [];
  for (const one of job.messages)
    if (!shared.includes(one)) done.push({ messages: [one], result: await carryOut(sending, spoken, [one]) });
  if (shared.length > 0) done.push({ messages: shared, result: await carryOut(sending, spoken, shared) });
  return done;
}
