import type { AddedItem, CollectItem } from '@svc/contracts/agent/ipc';
import { exceeds, type Scope } from '../choices/scope.ts';
import { COLLECT_KEYS } from '../privacy/collect.ts';

type Item = Omit<CollectItem, 'last'>;

/** Whose interval an item has. */
const INTERVAL_OF: Partial<Record<Item['item'], keyof Scope['intervals'] & ('wifi' | 'gateway' | 'path' | 'session')>> = {
  wifi: 'wifi',
  gateway: 'gateway',
  path: 'path',
  session: 'session',
  resolver: 'session',
  agent: 'session',
  context: 'session',
};

const shownTargets = (item: Item, shown: Scope): readonly string[] => {
  if (item.item === 'path') return shown.traceTargets;
  return shown.server === null ? shown.sessionTargets : [...shown.sessionTargets, shown.server];
};

function addedOf(item: Item, shown: Scope): AddedItem | undefined {
  const identifier = COLLECT_KEYS.find((key) => key === item.item);
  if (identifier) {
    const isNew = item.on && !shown.collect[identifier];
    return isNew ? { item: item.item, targets: [], everySeconds: null, wasEverySeconds: null } : undefined;
  }
  const interval = INTERVAL_OF[item.item];
  if (!interval || !item.on || item.everySeconds === null) return undefined;
  const known = shownTargets(item, shown);
  const targets = item.targets.filter((target) => !known.includes(target));
  const wasSeconds = shown.intervals[interval] / 1000;
  const isOftener = item.everySeconds < wasSeconds;
  if (targets.length === 0 && !isOftener) return undefined;
  // Without targets before it was not measured at all.
  const wasMeasured = item.item !== 'path' || known.length > 0;
  const wasEverySeconds = isOftener && wasMeasured ? wasSeconds : null;
  return { item: item.item, targets, everySeconds: item.everySeconds, wasEverySeconds };
}

/** What `asked` takes beyond what was shown, item by item; null where nothing was shown yet, or another reader is new to the person. */
export function addedTo(shown: Scope | undefined, asked: Scope, items: readonly Item[]): AddedItem[] | null {
  if (!shown || shown.server !== asked.server || !exceeds(asked, shown)) return null;
  return items.flatMap((item) => addedOf(item, shown) ?? []);
}
