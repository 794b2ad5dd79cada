import type { TestSeriesPoint } from '@svc/contracts/tests/calls';
import type { TestView } from '@svc/contracts/tests/views';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { phaseWord, reachedPhases } from '../../../ui/runs/phase-words.ts';
import { formatMs } from '../../../ui/words/format.ts';
import { assertionWords } from '../assertion-words.ts';

interface AssertionListProps {
  assertions: TestView['assertions'];
}

/** What each one wanted and what it got. */
export function AssertionList({ assertions }: AssertionListProps) {
  return (
    <ul className="checklist">
      {assertions.map(({ rule, wanted, got, passed }) => (
        <li key={`${rule} ${wanted}`} className={passed ? undefined : 'bad'}>
          <Icon name={passed ? 'check' : 'failed'} />
          <span>{assertionWords({ rule, wanted })}</span>
          <span className="end num">{got}</span>
        </li>
      ))}
    </ul>
  );
}

interface AssertionsCardProps {
  view: TestView;
  /** What the chart is read at. */
  point: TestSeriesPoint | undefined;
  pinned: boolean;
}

/** Assertions of the last run, and under them what the chart is read at. */
export function AssertionsCard({ view, point, pinned }: AssertionsCardProps) {
  const { assertions, assertions_at: at, row } = view;
  return (
    <section className="card" aria-labelledby="assertions-h">
      <header>
        <h2 id="assertions-h">Assertions</h2>
        <span className="s mute">
          {at ? (
            <>
              run of <Time at={at} show="second" />
            </>
          ) : null}
        </span>
      </header>
      {assertions.length > 0 ? (
        <AssertionList assertions={assertions} />
      ) : (
        <p className="soft s phasenone">{at ? 'The run reached none of them.' : 'They are checked with the first run.'}</p>
      )}
      {point ? (
        <div className="pointread">
          <p className="s">
            <b className="med">
              Run of <Time at={point.at} show="second" />
            </b>{' '}
            <span className="mute">{pinned ? 'pinned in the chart' : 'pointed at in the chart'}</span>
          </p>
          <dl>
            {reachedPhases([point]).map((phase) => (
              <div key={phase}>
                <dt className="phasekey">
                  <i className={`ph-${phase}`} />
                  {phaseWord(phase, row.test.type)}
                </dt>
                <dd className="num">{formatMs(point.phases[phase] ?? 0)}</dd>
              </div>
            ))}
            <div>
              <dt>Total</dt>
              <dd className="num med">{point.total_ms === null ? 'none' : formatMs(point.total_ms)}</dd>
            </div>
          </dl>
        </div>
      ) : null}
    </section>
  );
}
