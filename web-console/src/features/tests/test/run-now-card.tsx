import type { TestType } from '@svc/contracts/tests/test-types';
import { IconButton } from '../../../ui/controls/controls.tsx';
import { Icon, type IconName } from '../../../ui/controls/icons.tsx';
import { PHASES, type Phases, phaseWord } from '../../../ui/runs/phase-words.ts';
import { formatMs } from '../../../ui/words/format.ts';
import { isNotRun } from '../assertion-words.ts';
import { PhaseBar } from '../phase-bar.tsx';
import type { RunUnderWay } from '../use-run.ts';

const sumOf = (phases: Phases): number => PHASES.reduce((sum, phase) => sum + (phases[phase] ?? 0), 0);

const phaseList = (phases: Phases, type: TestType): string =>
  PHASES.filter((phase) => phases[phase] !== undefined)
    .map((phase) => `${phaseWord(phase, type)} ${formatMs(phases[phase] ?? 0)}`)
    .join(', ');

type OnRunner = NonNullable<RunUnderWay['progress']>['runners'][number];

/** What could not be measured is no failure of the target. */
function iconOf({ done, problem, result }: Pick<OnRunner, 'done' | 'problem' | 'result'>): IconName {
  if (!done) return 'pending';
  if (problem || !result || isNotRun(result.fault)) return 'noContact';
  return result.success ? 'check' : 'failed';
}

interface RunNowProps {
  run: RunUnderWay;
  type: TestType;
  onOpen: (resultId: string) => void;
}

/** A run that somebody asked for: its phases as they end, then what came of it. */
export function RunNowCard({ run, type, onOpen }: RunNowProps) {
  const { progress, isRunning, error } = run;
  if (!progress && !isRunning && !error) return null;
  const runners = progress?.runners ?? [];
  const scaleMs = Math.max(1, ...runners.map(({ result, phases }) => result?.total_ms ?? sumOf(phases)));
  return (
    <section className="card runnow" aria-label="Run by hand" role="status">
      <header>
        <h2>{isRunning ? 'Running now' : 'Run by hand'}</h2>
        <span className="s mute">It counts for nothing but itself.</span>
        <span className="grow" />
        <IconButton icon="cross" label="Close" onClick={run.forget} />
      </header>
      {error ? <p className="err s phasenone">{error.message}</p> : null}
      <ul>
        {runners.map(({ id, name, phases, done, problem, result, result_id }) => (
          <li key={id}>
            <span className={result?.success === false && !isNotRun(result.fault) ? 'err' : 'mute'}>
              <Icon name={iconOf({ done, problem, result })} />
            </span>
            <b className="med">{name}</b>
            <PhaseBar phases={result?.phases ?? phases} totalMs={result?.total_ms ?? sumOf(phases)} scaleMs={scaleMs} />
            <span className="soft">
              {problem ?? (phaseList(result?.phases ?? phases, type) || (done ? '' : 'begins'))}
              {result ? `, total ${formatMs(result.total_ms)}` : ''}
              {result?.error ? `: ${result.error}` : ''}
            </span>
            {result_id ? (
              <button type="button" className="linkish" onClick={() => onOpen(result_id)}>
                Details
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
