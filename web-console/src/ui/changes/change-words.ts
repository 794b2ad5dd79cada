import type { Change, IncidentChanges } from '@svc/contracts/changes/change';
import type { ChangeKind, ChangeState } from '@svc/contracts/changes/kinds';
import { writeInstant } from '../address/time-range.ts';
import { plural } from '../words/format.ts';

export const KIND_NAMES: Readonly<Record<ChangeKind, string>> = {
  deploy: 'Deployment',
  config: 'Configuration',
  route: 'Route',
  iac: 'Infrastructure',
  commit: 'Commit',
  release: 'Release',
  other: 'Other',
};

export const STATE_NAMES: Readonly<Record<ChangeState, string>> = {
  waiting: 'waits',
  running: 'runs',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  replaced: 'replaced since',
};

/** A target with its prefix; '' for neither. */
export const placeOf = ({ target, prefix }: Pick<Change, 'target' | 'prefix'>): string =>
  [target, prefix].filter((text) => text !== null).join(', ');

/** A commit as people say it. */
export const shortRef = (ref: string): string => (/^[0-9a-f]{40,64}$/.test(ref) ? ref.slice(0, 7) : ref);

/** What of a change stands below its title. */
export const aboutChange = (change: Change): string =>
  [
    change.repository ?? change.source,
    change.environment,
    change.ref === null ? null : shortRef(change.ref),
    change.actor === null ? null : `by ${change.actor}`,
    change.state === null ? null : STATE_NAMES[change.state],
  ]
    .filter((text) => text !== null)
    .join(', ');

const HALF_MS = 30 * 60_000;

/** One change on the timeline, with the half hours around it: they are kept for longer than any range reaches back. */
export const searchOfChange = (number: number, occurredAt: string): { text: string; from: string; to: string } => ({
  text: `#${number}`,
  from: writeInstant(Date.parse(occurredAt) - HALF_MS),
  to: writeInstant(Date.parse(occurredAt) + HALF_MS),
});

/** What was looked at to find candidates, and what was dropped. */
export function tellLookedAt({
  looked_at: { changes, candidates, elsewhere, untargeted, bounded },
  window,
}: IncidentChanges): string {
  const dropped = [
    elsewhere > 0 ? `${elsewhere} happened elsewhere` : '',
    untargeted > 0 ? `${untargeted} ${untargeted === 1 ? 'names' : 'name'} no target` : '',
  ].filter(Boolean);
  const ranked = bounded ? `the newest ${candidates} were ranked` : `${candidates} ${candidates === 1 ? 'fits' : 'fit'}`;
  const within = `${plural(changes, 'change')} in the ${window.hours} h before it and ${window.grace_minutes} min after its start`;
  return `${within}: ${[ranked, ...dropped].join(', ')}.`;
}
