import { useState } from 'react';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { timeTicks } from '../../../ui/charts/time-ticks.ts';
import { useWidth } from '../../../ui/charts/use-size.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { RUM_VERDICT_ICONS } from '../../../ui/rum/verdict-words.ts';
import { ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { formatCount, formatDuration, formatMs, formatPercent, formatSpan } from '../../../ui/words/format.ts';
import type { RumHost } from '../rum-queries.ts';
import { clockFor } from './over-time-plot.ts';
import { describeHistory, kindOf, placeSpans, SPAN_WORDS, type VerdictSpan } from './verdict-spans.ts';

const HEIGHT = 46;
const FULL = 20;
const TOP = 6;
/** Share of the full height. */
const HEIGHTS = { confirmed: 1, blind: 1, tests: 0.5, healthy: 0.25, unjudged: 0.05 } as const;
const SHOWN = 5;

const COLUMNS = [
  'From',
  'For',
  'Verdict',
  numeric('Views'),
  numeric('p75 LCP'),
  numeric('Errors'),
  numeric('Runs failed'),
  'Warned',
];

/** How the verdict came about: each stretch with both halves as it was entered. */
export function HistoryCard({ view, span }: { view: RumHost; span: TimeSpan }) {
  const [all, setAll] = useState(false);
  const newest = view.history.toReversed();
  const rows = all ? newest : newest.slice(0, SHOWN);
  return (
    <section className="card" aria-labelledby="history-h">
      <header>
        <h2 id="history-h">How it came about</h2>
        <span className="s mute">{formatSpan(span.from, span.to, Date.now())}, judged each minute</span>
      </header>
      <Strip history={view.history} span={span} />
      {newest.length === 0 ? (
        <p className="s soft rum-unjudged">No verdict was made in this time.</p>
      ) : (
        <ScrollX label="Verdicts">
          <table className="rum-history">
            <ColumnHeads columns={COLUMNS} />
            <tbody>
              {rows.map((one) => (
                <Row key={one.from} one={one} />
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      {newest.length > SHOWN ? (
        <footer className="foot">
          <Button look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Fewer' : `All ${formatCount(newest.length)}`}
          </Button>
        </footer>
      ) : null}
    </section>
  );
}

function Row({ one }: { one: VerdictSpan }) {
  const { users, tests } = one;
  const kind = kindOf(one);
  const few = <span className="mute">too few</span>;
  return (
    <tr>
      <td>
        <Time at={one.from} />
      </td>
      <td className="num">{formatDuration((one.to ? Date.parse(one.to) : Date.now()) - Date.parse(one.from))}</td>
      <td>
        <span className={kind === 'confirmed' || kind === 'blind' ? 'rum-state on' : 'rum-state'}>
          <Icon name={kind === 'unjudged' ? 'pending' : RUM_VERDICT_ICONS[one.verdict]} size={14} />
          <span>{SPAN_WORDS[kind]}</span>
        </span>
      </td>
      <td className="n">{formatCount(users.views)}</td>
      <td className="n">{users.p75_lcp_ms === null ? few : formatMs(users.p75_lcp_ms)}</td>
      <td className="n">{users.error_rate === null ? few : formatPercent(users.error_rate)}</td>
      <td className="n">{tests.tested ? `${tests.failed} of ${tests.runs}` : <span className="mute">no test</span>}</td>
      <td>{one.signalled ? 'once' : <span className="mute">no</span>}</td>
    </tr>
  );
}

/** Height carries the verdict: full where users are hurt, half where only tests fail, low where all is well, a line where nobody can say. */
function Strip({ history, span }: { history: readonly VerdictSpan[]; span: TimeSpan }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const toX = (at: number): number => ((at - span.from) / (span.to - span.from)) * width;
  const clock = clockFor(span);
  return (
    <div ref={box} className="rum-strip">
      {width > 0 ? (
        <svg width={width} height={HEIGHT} role="img" aria-label={`Verdicts: ${describeHistory(history, span)}`}>
          {placeSpans(history, span).map(({ kind, from, to }) => {
            const height = Math.max(1, FULL * HEIGHTS[kind]);
            return (
              <rect
                key={`${kind} ${from}`}
                className={`rum-span-${kind}`}
                x={toX(from)}
                y={TOP + FULL - height}
                width={Math.max(1, toX(to) - toX(from))}
                height={height}
              >
                <title>{`${SPAN_WORDS[kind]}, ${formatSpan(from, to, Date.now())}`}</title>
              </rect>
            );
          })}
          {timeTicks(span.from, span.to, Math.max(3, Math.floor(width / 90))).map((at) => {
            const x = toX(at);
            return x < 16 || x > width - 16 ? null : (
              <text key={at} className="rum-axis" x={x} y={HEIGHT - 4} textAnchor="middle">
                {clock(at)}
              </text>
            );
          })}
        </svg>
      ) : null}
    </div>
  );
}
