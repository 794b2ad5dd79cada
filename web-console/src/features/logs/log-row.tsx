import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode } from 'react';
import { ask } from '../../api.ts';
import type { LogRecord } from '../../api-types.ts';
import { Button, CopyButton } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';
import { formatLogTime, LEVEL_WORDS, levelOf } from './log-words.ts';
import { attributeTest } from './logs-search.ts';

export interface LogRowProps {
  record: LogRecord;
  open: boolean;
  /** Stands out among its neighbours. */
  marked?: boolean;
  onToggle: (id: string) => void;
  /** A test like key=value, from a click on a value. */
  onTest: (test: string) => void;
  onAround: (id: string) => void;
}

const WARN = 4;

/** Moves focus to the line above or below; the browser scrolls it into view. */
function step(event: KeyboardEvent<HTMLButtonElement>): void {
  const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const lines = [...(event.currentTarget.closest('ol')?.querySelectorAll<HTMLElement>('button.logline') ?? [])];
  lines[lines.indexOf(event.currentTarget) + by]?.focus();
  event.preventDefault();
}

/** One line; opened, it shows all that came with it. */
export const LogRow = memo(function LogRow({ record, open, marked = false, onToggle, onTest, onAround }: LogRowProps) {
  const level = levelOf(record.severity);
  return (
    <li className={marked ? 'marked' : undefined}>
      <button type="button" className="logline" aria-expanded={open} onClick={() => onToggle(record.id)} onKeyDown={step}>
        <Time at={record.ts} className="num mute">
          {formatLogTime(record.ts)}
        </Time>
        <span className={`lvword${level >= WARN ? ' loud' : ''}`}>
          <svg width="7" height="7" aria-hidden="true">
            <rect width="7" height="7" className={`lv-${level}`} />
          </svg>
          {record.severity_text || (level === 0 ? '' : LEVEL_WORDS[level])}
        </span>
        <span className="logservice">
          <ServiceMark name={record.service} />
          {record.service || 'no name'}
        </span>
        <span className="logbody">{record.body === '' ? record.event_name || 'empty line' : record.body}</span>
      </button>
      {open ? <Details record={record} onTest={onTest} onAround={onAround} /> : null}
    </li>
  );
});

function Details({ record, onTest, onAround }: Pick<LogRowProps, 'record' | 'onTest' | 'onAround'>) {
  const whole = useQuery({
    queryKey: ['logs.record', record.id],
    queryFn: ({ signal }) => ask('logs.record', { id: record.id }, signal),
    enabled: record.cut,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const shown = whole.data ?? record;
  return (
    <div className="logopen">
      <pre>{shown.body}</pre>
      {record.cut && !whole.data ? (
        <p className="s mute">
          {whole.isError ? 'The rest could not be read: only its beginning is shown.' : 'Reading the rest'}
        </p>
      ) : null}
      <div className="row logactions">
        {record.trace_id ? (
          <Link className="btn" to="/traces/$id" params={{ id: record.trace_id }}>
            <Icon name="waterfall" size={14} /> Open the trace
          </Link>
        ) : null}
        <Button icon="lines" onClick={() => onAround(record.id)}>
          Lines before and after
        </Button>
        <CopyButton text={JSON.stringify(shown, null, 2)} label="Copy as JSON" />
        <span className="mute s hintline">Click a value to keep only its lines, Alt and click to leave them out.</span>
      </div>
      <Pairs title="Attributes" pairs={shown.attributes} onTest={onTest} />
      <Pairs title="Resource" pairs={shown.resource} onTest={onTest} />
      <PlainPairs title="Scope" pairs={shown.scope_attributes} />
      <dl className="logpairs s">
        <dt>Time</dt>
        <dd className="num">{record.ts}</dd>
        <dt>Observed</dt>
        <dd className="num">{record.observed_ts}</dd>
        {record.span_id ? (
          <>
            <dt>Span</dt>
            <dd className="mono">{record.span_id}</dd>
          </>
        ) : null}
        {record.event_name ? (
          <>
            <dt>Event</dt>
            <dd>{record.event_name}</dd>
          </>
        ) : null}
        {record.scope ? (
          <>
            <dt>Scope</dt>
            <dd>{`${record.scope} ${record.scope_version}`.trim()}</dd>
          </>
        ) : null}
        {shown.scope_schema_url || shown.resource_schema_url ? (
          <>
            <dt>Schema</dt>
            <dd>{shown.scope_schema_url || shown.resource_schema_url}</dd>
          </>
        ) : null}
        {record.dropped > 0 ? (
          <>
            <dt>Dropped</dt>
            <dd>{record.dropped} attributes, by the sender</dd>
          </>
        ) : null}
      </dl>
    </div>
  );
}

interface PairListProps {
  title: string;
  entries: readonly (readonly [string, string])[];
  children: (key: string, value: string) => ReactNode;
}

/** A heading and what each key has, nothing without any. */
function PairList({ title, entries, children }: PairListProps) {
  if (entries.length === 0) return null;
  return (
    <>
      <h3 className="xs mute">{title}</h3>
      <dl className="logpairs s">
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{children(key, value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Lines of a value, such as those of a stack trace, are read as they were sent. */
const valueClass = (name: string, value: string): string => (value.includes('\n') ? `${name} lines` : name);

/** Attributes that lines are not filtered by. */
const PlainPairs = ({ title, pairs }: Pick<PairsProps, 'title' | 'pairs'>) => (
  <PairList title={title} entries={Object.entries(pairs)}>
    {(_, value) => <span className={valueClass('', value)}>{value}</span>}
  </PairList>
);

interface PairsProps {
  title: string;
  pairs: Readonly<Record<string, string>>;
  onTest: (test: string) => void;
}

function Pairs({ title, pairs, onTest }: PairsProps) {
  const entries = Object.entries(pairs).sort(([a], [b]) => a.localeCompare(b));
  const click = (event: MouseEvent, key: string, value: string): void => {
    const test = attributeTest(key, value, event.altKey);
    if (test) onTest(test);
  };
  return (
    <PairList title={title} entries={entries}>
      {(key, value) => (
        <>
          <button type="button" className={valueClass('logvalue', value)} onClick={(event) => click(event, key, value)}>
            {value === '' ? 'empty' : value}
          </button>
          <button
            type="button"
            className="logout"
            aria-label={`Leave out lines where ${key} is ${value}`}
            title="Leave these out"
            onClick={() => {
              const test = attributeTest(key, value, true);
              if (test) onTest(test);
            }}
          >
            <Icon name="ban" size={12} />
          </button>
        </>
      )}
    </PairList>
  );
}
