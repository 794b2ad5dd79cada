import '../../../ui/page/page-head.css';
import type { TestView } from '@svc/contracts/tests/views';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lastList } from '../../../ui/address/last-list.ts';
import { parseSearch } from '../../../ui/address/search-params.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ToldSentence } from '../../../ui/moments/told-sentence.tsx';
import { Breadcrumb } from '../../../ui/page/breadcrumb.tsx';
import { plural } from '../../../ui/words/format.ts';
import { intervalWords, REASON_WORDS, STATE_ICONS } from '../test-words.ts';

function Crumb({ id, name }: { id: string; name: string }) {
  const list = lastList();
  const at = list?.ids.indexOf(id) ?? -1;
  const [before, after] = list && at >= 0 ? [list.ids[at - 1], list.ids[at + 1]] : [];
  const step = (to: string | undefined, label: string, icon: 'left' | 'right'): ReactNode =>
    to ? (
      <Link to="/tests/$id" params={{ id: to }} className="btn plain icon" aria-label={label} title={label}>
        <Icon name={icon} />
      </Link>
    ) : null;
  return (
    <Breadcrumb here={<span className="crumb-here">{name}</span>} search={list && at >= 0 ? parseSearch(list.query) : {}}>
      {list && at >= 0 ? (
        <>
          <span className="num">
            {list.offset + at + 1} of {list.matched}
            {list.words ? `, ${list.words}` : ''}
          </span>
          {step(before, 'Previous test', 'left')}
          {step(after, 'Next test', 'right')}
        </>
      ) : null}
    </Breadcrumb>
  );
}

const giveUpWords = (seconds: number | undefined): string => (seconds === undefined ? '' : `, at most ${intervalWords(seconds)}`);

function Identity({ view: { row, failing_after } }: { view: TestView }) {
  const { test, incident, in_maintenance } = row;
  return (
    <div className="idrow">
      <b>{test.name}</b>
      <span>{test.type}</span>
      <span className="idtarget">{test.target}</span>
      <span>
        every {intervalWords(test.interval_seconds)}
        {giveUpWords(test.timeout_seconds)}
      </span>
      <span>fails after {failing_after === 1 ? 'one failing run' : `${failing_after} failing runs`}</span>
      {Object.entries(test.labels).map(([key, value]) => (
        <Link key={key} to="/tests" search={{ label: [value === '' ? key : `${key}=${value}`] }}>
          {value === '' ? key : `${key}=${value}`}
        </Link>
      ))}
      {in_maintenance ? (
        <span className="row idmark">
          <Icon name="wrench" size={12} /> In maintenance, signals are held back
        </span>
      ) : null}
      {incident ? (
        <span className="row idmark">
          <Icon name="warning" size={12} />{' '}
          <Link to="/incidents/$id" params={{ id: incident.id }}>
            Incident {incident.number}
          </Link>
        </span>
      ) : null}
    </div>
  );
}

/** What the page says where the server gave no sentence: the state and what follows from it. */
export function plainSentence({ row, runners }: TestView): string {
  if (row.state === 'failing') return 'Fails.';
  if (row.state === 'paused') return 'Paused. Nothing is measured.';
  if (row.state === 'not_running')
    return `Does not run: ${row.not_running ? REASON_WORDS[row.not_running] : 'runs are missing'}.`;
  if (row.state === 'new') return `Has not run yet. ${row.next_at ? `The first run is planned for ${row.next_at}.` : ''}`.trim();
  return runners.length > 1 ? `Passes from all ${plural(runners.length, 'runner')}.` : 'Passes.';
}

/** Where, what, in one line; the sentence; its remainder; what can be done. */
export function TestHead({ view, actions }: { view: TestView; actions: ReactNode }) {
  const { row, remainder } = view;
  return (
    <div>
      <Crumb id={row.test.id} name={row.test.name} />
      <div className="head">
        <div className="grow">
          <Identity view={view} />
          <h1 className="testhead">
            <span className={row.state === 'failing' ? 'err' : 'mute'}>
              <Icon name={STATE_ICONS[row.state]} size={20} />
            </span>
            <span>
              <ToldSentence text={row.sentence || plainSentence(view)} />
            </span>
          </h1>
          {remainder ? (
            <p className="soft testsay">
              <ToldSentence text={remainder} />
            </p>
          ) : null}
        </div>
        <div className="testacts">{actions}</div>
      </div>
    </div>
  );
}
