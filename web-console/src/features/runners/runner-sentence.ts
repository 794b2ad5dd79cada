import type { RunnerView } from '@svc/contracts/tests/views';
import { formatCount, joinWords, plural } from '../../ui/words/format.ts';

const MOST_NAMED = 3;

const named = (runners: readonly RunnerView[]): string =>
  runners.length > MOST_NAMED ? plural(runners.length, 'runner') : joinWords(runners.map(({ name }) => name));

/** Who is silent, else how many are there. */
export function runnersSentence(runners: readonly RunnerView[]): string {
  const silent = runners.filter(({ connected, upgrade_required }) => !connected && !upgrade_required);
  const old = runners.filter(({ upgrade_required }) => upgrade_required);
  const parts = [
    silent.length > 0 ? `${named(silent)} ${silent.length === 1 ? 'has' : 'have'} no contact` : '',
    old.length > 0 ? `${named(old)} must be upgraded` : '',
  ].filter(Boolean);
  if (parts.length > 0) return `${joinWords(parts)}.`;
  if (runners.length === 1) return 'One runner, inside of this server.';
  return `All ${formatCount(runners.length)} runners are connected.`;
}

/** What waits for those that are silent. */
export function runnersRemainder(runners: readonly RunnerView[]): string {
  const waiting = runners.filter(({ connected }) => !connected).reduce((sum, { tests }) => sum + tests, 0);
  if (waiting > 0) return `${plural(waiting, 'test')} ${waiting === 1 ? 'waits' : 'wait'} for it; none is counted as failed.`;
  return runners.length === 1
    ? 'It sees what this server sees. A runner elsewhere shows whether the rest of the network does.'
    : 'A runner that is silent counts as not run, never as failed.';
}
