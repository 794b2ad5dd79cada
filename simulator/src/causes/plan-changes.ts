import type { Random } from '../domain/random.ts';
import { type Planned, pickSome } from './plan-estate.ts';
import { HOUR_MS, MINUTE_MS, type PlannedChange } from './scenario.ts';

/** Changes that a tenant tells of: the true one, and those that happen to be near in time, in place, or in neither. */

type Draft = Partial<PlannedChange> & Pick<PlannedChange, 'label' | 'title' | 'atMs'>;

export const change = (draft: Draft): PlannedChange => ({ kind: 'deploy', target: null, prefix: null, via: 'generic', ...draft });

const ELSEWHERE = [
  'intranet.example',
  'wiki.example',
  'crm.example',
  'files.example',
  'hr.example',
  'vpn.example',
  'reports.example',
];
const OTHERS = ['newsletter', 'backoffice', 'importer', 'thumbnails', 'audit-sink'];
const VERBS = ['Deploy', 'Roll out', 'Update'];

const version = (random: Random): string =>
  `${Math.floor(random.between(1, 9))}.${Math.floor(random.between(0, 40))}.${Math.floor(random.between(0, 9))}`;
const ago = (random: Random, fromMinutes: number, toMinutes: number): number =>
  -Math.round(random.between(fromMinutes, toMinutes) * MINUTE_MS);

/** In time, and about something else: hosts and services that have nothing to do with it. */
function near(random: Random, crowd: number): PlannedChange[] {
  const hosts = pickSome(random, ELSEWHERE, 3 + crowd).map((target, n) =>
    change({
      label: `near-host-${n}`,
      kind: random.pick(['config', 'deploy', 'iac']),
      title: `${random.pick(VERBS)} ${target} ${version(random)}`,
      target,
      atMs: ago(random, 1, 60),
    }),
  );
  const services = pickSome(random, OTHERS, 2 + crowd).map((target, n) =>
    change({
      label: `near-service-${n}`,
      title: `${random.pick(VERBS)} ${target} ${version(random)}`,
      target,
      atMs: ago(random, 1, 45),
    }),
  );
  return [...hosts, ...services];
}

/** Without a target, in another network, long ago, or when it was over. */
function far(random: Random, host: string): PlannedChange[] {
  return [
    change({ label: 'untargeted-1', kind: 'commit', title: 'Reword the read-me', atMs: ago(random, 3, 90) }),
    change({ label: 'untargeted-2', kind: 'commit', title: 'Bump a linter', atMs: ago(random, 60, 600) }),
    change({
      label: 'other-network',
      kind: 'route',
      title: 'Announce a network of the warehouse',
      prefix: '172.20.8.0/22',
      atMs: ago(random, 2, 30),
    }),
    change({
      label: 'same-target-old',
      kind: 'deploy',
      title: `Deploy ${host} ${version(random)}`,
      target: host,
      atMs: ago(random, 9 * 60, 20 * 60),
    }),
    change({
      label: 'same-target-after',
      kind: 'deploy',
      title: `Roll back ${host}`,
      target: host,
      atMs: Math.round(random.between(8, 14) * MINUTE_MS),
    }),
    change({
      label: 'other-iac',
      kind: 'iac',
      title: 'Resize the warehouse',
      target: 'warehouse.example',
      atMs: ago(random, 5, 200),
    }),
  ];
}

/** At least eleven changes that caused nothing. `crowd`: so many more of them, close before the harm. */
export function decoys(random: Random, { estate, beside }: Planned, crowd = 0): PlannedChange[] {
  const untouched = change({
    label: 'beside',
    title: `Deploy ${beside} ${version(random)}`,
    target: beside,
    atMs: ago(random, 70, 200),
  });
  return [...near(random, crowd), ...far(random, estate.host), ...(estate.services.length > 0 ? [untouched] : [])];
}

/** A deploy that went wrong: shortly before the harm. */
export const deployOf = (random: Random, target: string, more: Partial<PlannedChange> = {}): PlannedChange =>
  change({ label: 'culprit', title: `Deploy ${target} ${version(random)}`, target, atMs: ago(random, 0.5, 8), ...more });

export const longAgo = (random: Random, fromHours: number, toHours: number): number =>
  -Math.round(random.between(fromHours, toHours) * HOUR_MS);
