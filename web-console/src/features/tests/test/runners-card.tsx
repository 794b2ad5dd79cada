import type { RunnerOfTest, TestView } from '@svc/contracts/tests/views';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { ToldSentence } from '../../../ui/moments/told-sentence.tsx';
import { ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { formatMs, plural } from '../../../ui/words/format.ts';
import { TestState } from '../test-state.tsx';
import { intervalWords, STATE_WORDS } from '../test-words.ts';

/** Runners side by side. */
export function RunnersCard({ view }: { view: TestView }) {
  const now = useNow(5_000);
  const { runners, row } = view;
  return (
    <section className="card" aria-labelledby="from-h">
      <header>
        <h2 id="from-h">Runs from</h2>
        <span className="s mute">
          {plural(runners.length, 'runner')}, every {intervalWords(row.test.interval_seconds)}
        </span>
      </header>
      {runners.length === 0 ? (
        <p className="soft s phasenone">
          No runner is there that it chooses. <Link to="/runners">Runners</Link>
        </p>
      ) : (
        <ScrollX label="Runs from">
          <table>
            <ColumnHeads columns={['Runner', 'Last run', 'State', numeric('Total'), numeric('Next run')]} />
            <tbody>
              {runners.map((runner) => (
                <RunnerRow key={runner.id} runner={runner} now={now} />
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
    </section>
  );
}

function RunnerRow({ runner, now }: { runner: RunnerOfTest; now: number }) {
  const { name, connected, contact_at, state, since, last_at, total_ms, next_at } = runner;
  return (
    <tr>
      <td className="runnercell">
        <b className="med">{name}</b>
        <small className="mute">
          {contact_at ? (
            <>
              contact <Time at={contact_at} show="ago" now={now} /> ago
            </>
          ) : (
            (connected && 'connected') || 'never in contact'
          )}
        </small>
      </td>
      <td className="num">{last_at ? <Time at={last_at} show="second" now={now} /> : <span className="mute">never</span>}</td>
      <td>
        <TestState state={state}>
          {STATE_WORDS[state].toLowerCase()}
          {since && state !== 'passing' && state !== 'new' ? (
            <>
              {' '}
              since <Time at={since} now={now} />
            </>
          ) : null}
        </TestState>
      </td>
      <td className="n">{total_ms === null ? <span className="mute">not measured</span> : formatMs(total_ms)}</td>
      <td className="n">{next_at ? <Time at={next_at} show="second" now={now} /> : <span className="mute">waits</span>}</td>
    </tr>
  );
}

const ICONS = { true: 'check', false: 'failed', null: 'dash' } as const;
const LOOKS = { true: undefined, false: 'unmet', null: 'unknown' } as const;

/** Conditions in the order in which they are checked: those that hold, the one that does not, those not known; under it what to do. */
export function WhyNotCard({ runner }: { runner: RunnerOfTest }) {
  return (
    <section className="card" aria-label={`Why it does not run from ${runner.name}`}>
      <header>
        <h2>Why it does not run from {runner.name}</h2>
      </header>
      <ul className="checklist">
        {runner.conditions.map(({ what, detail, holds }) => (
          <li key={what} className={LOOKS[`${holds}`]}>
            <Icon name={ICONS[`${holds}`]} />
            <span>
              {what}
              <span className="sr">{holds === null ? ', not known' : holds ? ', holds' : ', does not hold'}</span>
            </span>
            <span className="end">
              <ToldSentence text={detail} />
            </span>
          </li>
        ))}
      </ul>
      {runner.advice ? (
        <p className="advice s">
          <ToldSentence text={runner.advice} />
        </p>
      ) : null}
    </section>
  );
}
