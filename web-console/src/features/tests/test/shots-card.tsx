import type { RunOfTest } from '@svc/contracts/tests/views';
import { useQueries } from '@tanstack/react-query';
import { Time } from '../../../ui/moments/time.tsx';
import { formatMs, plural } from '../../../ui/words/format.ts';
import { runQuery } from './run-details.tsx';

const MOST = 4;

/** The latest picture of what failed and of what passed, from each runner; then the latest of the rest. */
export function pickShots(runs: readonly RunOfTest[]): RunOfTest[] {
  const withShot = runs.filter(({ has_screenshot }) => has_screenshot);
  const firstOf = Map.groupBy(withShot, ({ runner_id, success }) => `${runner_id} ${success}`);
  const first = [...firstOf.values()].flatMap(([run]) => run ?? []);
  const rest = withShot.filter((run) => !first.includes(run));
  return [...first, ...rest].slice(0, MOST);
}

const captionOf = ({ success, runner_name }: RunOfTest): string => `${success ? 'passed' : 'failed'}, from ${runner_name}`;

/** Pictures of the page at the end of a run, of failed ones and good ones side by side. */
export function ShotsCard({ testId, runs }: { testId: string; runs: readonly RunOfTest[] }) {
  const picked = pickShots(runs);
  const left = runs.filter(({ has_screenshot }) => has_screenshot).length - picked.length;
  const views = useQueries({ queries: picked.map(({ result_id }) => runQuery(testId, result_id)) });
  return (
    <section className="card" aria-labelledby="shots-h">
      <header>
        <h2 id="shots-h">What the browser saw</h2>
        <span className="s mute">kept 30 days{left > 0 ? `; ${plural(left, 'more')} in the runs listed here` : ''}</span>
      </header>
      {picked.length === 0 ? <p className="soft s phasenone">No run of this time has a picture.</p> : null}
      <div className="shots">
        {picked.map((run, index) => {
          const url = views[index]?.data?.screenshot_url;
          return (
            <figure key={run.result_id}>
              {url ? (
                <a className="shot" href={url} target="_blank" rel="noreferrer">
                  <img src={url} alt={`Page of the run that ${captionOf(run)}`} loading="lazy" />
                </a>
              ) : (
                <span className="shot empty">{views[index]?.isPending ? '' : 'no longer kept'}</span>
              )}
              <figcaption>
                <b>
                  <Time at={run.started_at} show="second" />, at {formatMs(run.total_ms)}
                </b>
                <span className="soft">{captionOf(run)}</span>
              </figcaption>
            </figure>
          );
        })}
      </div>
    </section>
  );
}
