import type { DevicesShareFact, EvidenceFact } from '@svc/contracts/causes/facts';
import type { SignalKind } from '@svc/contracts/incidents/kinds';
import { CAUSES, type Cause } from '@svc/contracts/verdict';
import { grownOf } from './situation.ts';
import { shownBy } from './symptoms.ts';

/** What the incident's own signals say, and when its harm began. */

export interface SignalTold {
  kind: SignalKind;
  site: string | null;
  attributes: Readonly<Record<string, string>>;
  atMs: number;
}

const MAX_NAMES = 20;
/** What was seen earlier than this before the first signal is another matter. */
const EARLIER_MS = 30 * 60_000;

const unique = (names: readonly (string | undefined)[]): string[] =>
  [...new Set(names.filter((name) => name !== undefined && name !== ''))].slice(0, MAX_NAMES) as string[];

/** Tests and services that signals name. */
export const namedBy = (signals: readonly SignalTold[]): { testIds: string[]; services: string[] } => ({
  testIds: unique(signals.map(({ attributes }) => attributes['test.id'])),
  services: unique(
    signals.flatMap(({ attributes }) => [attributes['service.name'], attributes['edge.target'], attributes['edge.source']]),
  ),
});

const isCause = (text: string | undefined): text is Cause => CAUSES.some((cause) => cause === text);

/** Devices that shared a cause: also when they do not any more. The worst of each place. */
export function sharesOf(signals: readonly SignalTold[]): DevicesShareFact[] {
  const found = new Map<string, DevicesShareFact>();
  for (const { kind, site, attributes, atMs } of signals) {
    const { cause } = attributes;
    if (kind !== 'endpoint.shared_cause' || site === null || !isCause(cause)) continue;
    const gateway = attributes['network.gateway.address'] ?? null;
    const affected = Number(attributes['devices.affected'] ?? 0);
    const key = JSON.stringify([site, gateway, cause]);
    const before = found.get(key);
    const of = Number(attributes['devices.total'] ?? affected);
    if (!before || affected > before.affected)
      found.set(key, { kind: 'devices.share', site, gateway, cause, affected, of, atMs: Math.min(atMs, before?.atMs ?? atMs) });
  }
  return [...found.values()];
}

const isHarm = (fact: EvidenceFact): boolean => {
  if (fact.kind === 'edge') return grownOf(fact).isBad;
  if (fact.kind === 'test.outcome') return fact.failed > 0;
  return fact.kind === 'devices.share' || (fact.kind === 'users' && Object.keys(shownBy(fact)).length > 0);
};

/** When the harm began: with the first signal, or with what was measured shortly before it. */
export function onsetOf(startedMs: number, facts: readonly EvidenceFact[]): number {
  const earlier = facts.filter((fact) => isHarm(fact) && fact.atMs >= startedMs - EARLIER_MS).map(({ atMs }) => atMs);
  return Math.min(startedMs, ...earlier);
}
