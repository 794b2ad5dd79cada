import type { RunProgress } from '@svc/contracts/tests/calls';
import type { TestType } from '@svc/contracts/tests/test-types';
import { Button } from '../../../ui/controls/controls.tsx';
import { Icon, type IconName } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { PHASES, type Phases, phaseWord } from '../../../ui/runs/phase-words.ts';
import { formatMs } from '../../../ui/words/format.ts';
import { assertionWords, isNotRun } from '../assertion-words.ts';
import { PhaseBar } from '../phase-bar.tsx';
import type { RunUnderWay } from '../use-run.ts';

type OnRunner = RunProgress['runners'][number];

interface DryRunProps {
  run: RunUnderWay;
  type: TestType;
  /** The fields were changed since it was tried. */
  isOld: boolean;
  /** Why it cannot be tried yet. */
  unavailable: string | undefined;
}

/** The real result from each runner that the test chooses, before anything is saved. */
export function DryRunCard({ run, type, isOld, unavailable }: DryRunProps) {
  const { progress, isRunning, error } = run;
  const scaleMs = Math.max(1, ...(progress?.runners ?? []).map(({ result, phases }) => result?.total_ms ?? sumOf(phases)));
  return (
    <section className="dryrun" aria-label="Dry run">
      <div className="row">
        <h3 className="drawerlabel">Dry run</h3>
        <span className="s mute grow">
          {progress ? <Time at={progress.started_at} show="second" /> : null}
          {progress ? ', nothing stored' : 'Shows the result now; nothing is stored.'}
          {progress && isOld ? <b className="med">. Not of what the fields say now: try again.</b> : null}
        </span>
        <Button icon={progress ? 'update' : 'play'} busy={isRunning} unavailable={unavailable} onClick={run.begin}>
          {progress ? 'Again' : 'Try it'}
        </Button>
      </div>
      <div role="status">
        {isRunning && !progress ? <p className="s mute">Asking the runners</p> : null}
        {progress ? (
          <ul>
            {progress.runners.map((runner) => (
              <RunnerLine key={runner.id} runner={runner} type={type} scaleMs={scaleMs} />
            ))}
          </ul>
        ) : null}
      </div>
      {error ? (
        <p className="s err" role="alert">
          {error.message}
        </p>
      ) : null}
    </section>
  );
}

const sumOf = (phases: Phases): number => PHASES.reduce((sum, phase) => sum + (phases[phase] ?? 0), 0);

/** "would fail: Total under 2,000 ms, was 3,300" */
export function dryWords({ done, problem, result, phases }: OnRunner, type: TestType): string {
  if (problem) return problem;
  if (result) {
    const failed = result.assertions.find(({ passed }) => !passed);
    if (isNotRun(result.fault)) return `would not run: ${result.error ?? 'no reason given'}`;
    if (result.success) return `would pass: total ${formatMs(result.total_ms)}`;
    return `would fail: ${result.error ?? (failed ? `${assertionWords(failed)}, was ${failed.got}` : 'no reason given')}`;
  }
  const last = PHASES.findLast((phase) => phases[phase] !== undefined);
  if (done) return 'no result';
  return last ? `${phaseWord(last, type)} ${formatMs(phases[last] ?? 0)}, goes on` : 'begins';
}

interface Came {
  isBad: boolean;
  isMissing: boolean;
  isThere: boolean;
}

/** What could not be measured is no failure of the target. */
function iconOf({ isBad, isMissing, isThere }: Came): IconName {
  if (isMissing) return 'noContact';
  if (!isThere) return 'pending';
  return isBad ? 'failed' : 'check';
}

function RunnerLine({ runner, type, scaleMs }: { runner: OnRunner; type: TestType; scaleMs: number }) {
  const { result, phases, problem } = runner;
  const isMissing = problem !== null || isNotRun(result?.fault);
  const isBad = !isMissing && result?.success === false;
  return (
    <li className="dryline">
      <span className={isBad ? 'err' : isMissing ? undefined : 'mute'}>
        <Icon name={iconOf({ isBad, isMissing, isThere: result !== null })} size={14} />
      </span>
      <span className="med">{runner.name}</span>
      <span className="dryword">{dryWords(runner, type)}</span>
      <PhaseBar phases={result?.phases ?? phases} totalMs={result?.total_ms ?? sumOf(phases)} scaleMs={scaleMs} />
      {result && result.assertions.length > 0 ? (
        <ul className="dryasserts">
          {result.assertions.map(({ rule, wanted, got, passed }) => (
            <li key={`${rule} ${wanted}`} className={passed ? 'mute' : undefined}>
              <Icon name={passed ? 'check' : 'failed'} size={12} />
              <span className="grow">{assertionWords({ rule, wanted })}</span>
              <span className="num">{got}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}
