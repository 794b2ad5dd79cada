import './runners.css';
import type { Incapability } from '@svc/contracts/tests/runner';
import { TEST_TYPES } from '@svc/contracts/tests/test-types';
import type { RunnerView } from '@svc/contracts/tests/views';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, tell } from '../../api.ts';
import { POLL_MS } from '../../queries.ts';
import { Button, IconButton } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { ConfirmChange } from '../../ui/dialogs/dialogs.tsx';
import { useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Time, useNow } from '../../ui/moments/time.tsx';
import { refusalWords } from '../../ui/permission/permission-words.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatBytes, formatCount, formatPercent, withUnit } from '../../ui/words/format.ts';
import { EditRunner } from './edit-runner.tsx';
import { ENROL_FORM, EnrolRunner } from './enrol-runner.tsx';
import { runnersRemainder, runnersSentence } from './runner-sentence.ts';
import { RunnerTokens } from './runner-tokens.tsx';

const KEY = ['runners.list'];

/** From where tests run, and why one does not. */
export function RunnersPage() {
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => ask('runners.list', {}, signal),
    refetchInterval: POLL_MS,
  });
  const mayWrite = useMay('agent.write');
  const [enrolling, setEnrolling] = useDraftOpen(ENROL_FORM);
  const [editing, setEditing] = useState<RunnerView>();
  const [removing, setRemoving] = useState<RunnerView>();
  if (list.isError && !list.data) {
    return (
      <div className="page">
        <h1>Runners</h1>
        <Failure error={list.error} retry={() => void list.refetch()} />
      </div>
    );
  }
  const items = list.data?.items;
  return (
    <div className="page wide">
      <header className="pagehead">
        <div className="grow">
          <h1>{items ? runnersSentence(items) : <Ghost width={420} says="Runners, loading" />}</h1>
          <p className="soft">{items ? runnersRemainder(items) : null}</p>
        </div>
        <Button
          look="primary"
          icon="plus"
          unavailable={mayWrite ? undefined : refusalWords('agent.write')}
          onClick={() => setEnrolling(true)}
        >
          Add a runner
        </Button>
      </header>
      <RunnersCard items={items} mayWrite={mayWrite} onEdit={setEditing} onRemove={setRemoving} />
      {mayWrite ? <RunnerTokens /> : null}
      {enrolling ? <EnrolRunner onClose={() => setEnrolling(false)} /> : null}
      {editing ? <EditRunner runner={editing} onClose={() => setEditing(undefined)} /> : null}
      {removing ? (
        <ConfirmChange
          title={`Remove ${removing.name}?`}
          action="Remove"
          change={() => tell('runners.remove', { id: removing.id })}
          list={KEY}
          onClose={() => setRemoving(undefined)}
        >
          Its certificate is refused from now on, and its {formatCount(removing.tests)} tests run from elsewhere or not at all.
          The runs it made stay.
        </ConfirmChange>
      ) : null}
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  ...['Runner', 'State', 'Version', 'Cannot run', 'Labels'],
  ...[
    numeric('Tests'),
    numeric('CPU'),
    numeric('Memory'),
    numeric('Unsent', { title: 'Results that wait to be sent' }),
    numeric('Clock'),
  ],
  ACTIONS,
];

interface CardProps {
  items: readonly RunnerView[] | undefined;
  mayWrite: boolean;
  onEdit: (runner: RunnerView) => void;
  onRemove: (runner: RunnerView) => void;
}

function RunnersCard({ items, mayWrite, onEdit, onRemove }: CardProps) {
  const now = useNow(5_000);
  return (
    <section className="card" aria-label="Runners">
      <ScrollX label="Runners">
        <table aria-busy={items === undefined}>
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {items?.map((runner) => (
              <RunnerRow
                key={runner.id}
                runner={runner}
                now={now}
                onEdit={mayWrite && !runner.built_in ? () => onEdit(runner) : undefined}
                onRemove={mayWrite && !runner.built_in ? () => onRemove(runner) : undefined}
              />
            )) ?? (
              <tr>
                <td colSpan={COLUMNS.length}>
                  <Ghost width={560} />
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}

interface RowProps {
  runner: RunnerView;
  now: number;
  onEdit: (() => void) | undefined;
  onRemove: (() => void) | undefined;
}

function RunnerRow({ runner, now, onEdit, onRemove }: RowProps) {
  return (
    <tr>
      <td className="runnername">
        <Link to="/tests" search={{ runner: [runner.id] }} className="med plainlink">
          {runner.name}
        </Link>
        <small className="mute">{runner.built_in ? 'inside of this server' : (runner.site ?? 'no site')}</small>
      </td>
      <td>
        <RunnerState runner={runner} now={now} />
      </td>
      <td className="soft num">{runner.version ?? 'not known'}</td>
      <td>
        <Lacks runner={runner} />
      </td>
      <td>
        <Labels labels={runner.labels} />
      </td>
      <td className="n">{formatCount(runner.tests)}</td>
      <td className="n">{figure(runner.cpu_ratio, formatPercent)}</td>
      <td className="n">{figure(runner.rss_bytes, formatBytes)}</td>
      <td className="n">
        {runner.spool_results === 0 ? <span className="mute">nothing</span> : figure(runner.spool_results, formatCount)}
      </td>
      <td className="n">{figure(runner.clock_skew_ms, clockWords)}</td>
      <td className="n">
        {onEdit ? <IconButton icon="pencil" label={`Change ${runner.name}`} onClick={onEdit} /> : null}
        {onRemove ? <IconButton icon="trash" label={`Remove ${runner.name}`} onClick={onRemove} /> : null}
      </td>
    </tr>
  );
}

const figure = (value: number | null, format: (value: number) => string) =>
  value === null ? <span className="mute">not measured</span> : format(value);

const IN_TIME_MS = 1000;

/** "in time", or how far a clock is off. */
function clockWords(ms: number): string {
  if (Math.abs(ms) < IN_TIME_MS) return 'in time';
  const seconds = Math.abs(ms) / 1000;
  return `${seconds < 100 ? withUnit(seconds, 's', 1) : withUnit(seconds / 60, 'min')} ${ms > 0 ? 'ahead' : 'behind'}`;
}

/** Not yet, no more, or there: what calls for somebody is ink. */
function RunnerState({ runner, now }: { runner: RunnerView; now: number }) {
  if (runner.connected)
    return (
      <span className="runnerstate">
        <Icon name="check" />
        <span>
          connected
          {runner.connected_since ? (
            <>
              {' '}
              since <Time at={runner.connected_since} now={now} />
            </>
          ) : null}
        </span>
      </span>
    );
  return (
    <span className="runnerstate bad">
      <Icon name={runner.upgrade_required ? 'update' : 'noContact'} />
      <span>
        {runner.upgrade_required ? 'update required' : 'no contact'}
        {runner.contact_at ? (
          <>
            {' '}
            for <Time at={runner.contact_at} show="ago" now={now} />
          </>
        ) : null}
      </span>
    </span>
  );
}

const LACK_WORDS: Readonly<Record<Incapability, string>> = {
  no_icmp: 'its user may not send ICMP',
  no_chromium: 'it has no Chromium',
  no_sandbox: 'no sandbox is possible for Chromium',
  no_ipv6: 'it has no IPv6',
  switched_off: 'switched off there',
};

function Lacks({ runner }: { runner: RunnerView }) {
  const lacking = TEST_TYPES.flatMap((type) => {
    const lack = runner.lacks[type];
    return lack ? [{ type, lack }] : [];
  });
  if (lacking.length === 0) return <span className="mute">{runner.version ? 'runs every type' : 'not known'}</span>;
  return (
    <ul className="lacks">
      {lacking.map(({ type, lack }) => (
        <li key={type}>
          <b className="med">{type}</b> <span className="soft">{LACK_WORDS[lack]}</span>
        </li>
      ))}
    </ul>
  );
}

function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return <span className="mute">none</span>;
  return (
    <span className="chips">
      {entries.map(([key, value]) => (
        <span key={key} className="tag">
          {value === '' ? key : `${key}=${value}`}
        </span>
      ))}
    </span>
  );
}
