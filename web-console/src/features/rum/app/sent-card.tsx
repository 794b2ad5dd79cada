import { useState } from 'react';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { ColumnHeads } from '../../../ui/table/column-heads.tsx';
import { formatCount, plural } from '../../../ui/words/format.ts';
import { NEVER_SENT, readFields } from './beacon-fields.ts';
import type { CaughtRequest, Tally } from './watch-frame.ts';

const TALLY_WORDS: Readonly<Record<keyof Tally, string>> = {
  observers: 'Observers',
  listeners: 'Listeners',
  timers: 'Timers',
  cookies: 'Cookies',
  storage: 'Storage',
  requests: 'Requests',
};

/** Whether consent was never given, holds, or was given once. */
export type ConsentState = 'asked' | 'given' | 'withdrawn';

interface SentProps {
  tally: Tally;
  caught: readonly CaughtRequest[];
  consent: ConsentState;
}

function describe({ tally, caught, consent }: SentProps): string {
  if (caught.length > 0) return `${plural(caught.length, 'beacon')} would have been sent.`;
  if (consent === 'given') return 'Consent is given. Nothing is sent before the page is left.';
  if (consent === 'withdrawn') return 'Consent is withdrawn: what was measured is dropped, and nothing is sent.';
  const isIdle = Object.values(tally).every((count) => count === 0);
  return isIdle ? 'Without consent the script has done nothing, and sends nothing.' : 'Without consent nothing is sent.';
}

/** What the script set up, and field by field what it would have sent: counted and caught in the sample page, not asserted. */
export function SentCard(props: SentProps) {
  const { tally, caught } = props;
  const [at, setAt] = useState<number>();
  const index = Math.min(at ?? caught.length - 1, caught.length - 1);
  const shown = caught[index];
  return (
    <section className="card" aria-labelledby="sent-h">
      <header>
        <h2 id="sent-h">What the script does</h2>
      </header>
      <p className="rum-sentence" role="status">
        {describe(props)}
      </p>
      <dl className="rum-tally">
        {(Object.keys(TALLY_WORDS) as (keyof Tally)[]).map((what) => (
          <div key={what}>
            <dt>{TALLY_WORDS[what]}</dt>
            <dd className="num">{formatCount(tally[what])}</dd>
          </div>
        ))}
      </dl>
      {caught.length > 1 ? (
        <label className="rum-which s">
          Beacon{' '}
          <select className="select" value={index} onChange={(event) => setAt(Number(event.currentTarget.value))}>
            {caught.map((_, number) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: beacons are numbered in the order in which they were sent.
              <option key={number} value={number}>
                {number + 1} of {caught.length}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <Fields body={shown?.body} />
      <footer className="foot s soft rum-never">
        <span>
          {shown
            ? `${shown.method}, text/plain, ${shown.credentials === 'omit' ? 'without cookies' : `credentials ${shown.credentials}`}, ${shown.referrerPolicy === 'no-referrer' ? 'without referrer' : 'with referrer'}. `
            : ''}
          Never sent: {NEVER_SENT.join(', ')}. This try sends nothing at all: its requests are caught here.
        </span>
      </footer>
    </section>
  );
}

function Fields({ body }: { body: string | undefined }) {
  return (
    <ScrollX label="Fields of the beacon">
      <table className="rum-fields">
        <ColumnHeads columns={['Field', 'Sent', 'What it is']} />
        <tbody>
          {readFields(body).map(({ name, value, meaning }) => (
            <tr key={name}>
              <td className="mono">{name}</td>
              <td className="mono">{value ?? <span className="mute">{body === undefined ? 'nothing' : 'not measured'}</span>}</td>
              <td className="wrap soft">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
