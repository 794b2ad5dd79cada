import type { TestRow } from '@svc/contracts/tests/views';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { tellSentence } from '../../../ui/moments/told-sentence.tsx';
import { Clipped } from '../../../ui/table/clipped.tsx';
import { formatMs } from '../../../ui/words/format.ts';
import { availabilityFigure } from '../availability-words.ts';
import { thresholdsQuery } from '../test-queries.ts';
import { TestState } from '../test-state.tsx';
import { REASON_WORDS, STATE_WORDS } from '../test-words.ts';

const MOST_REASON_PX = 130;

interface CellProps {
  row: TestRow;
}

/** The state, why a test does not run, and whether its signals are held back. */
export function StateCell({ row }: CellProps) {
  const reason = row.state === 'not_running' && row.not_running ? REASON_WORDS[row.not_running] : undefined;
  return (
    <span title={row.sentence ? tellSentence(row.sentence) : undefined}>
      <TestState state={row.state}>{STATE_WORDS[row.state]}</TestState>
      {reason ? (
        <span className="mute teststate-why">
          <Clipped text={reason} width={MOST_REASON_PX} />
        </span>
      ) : null}
      {row.in_maintenance ? (
        <span className="teststate-why mute" title="In a maintenance window: signals are held back">
          <Icon name="wrench" size={12} className="inmaint" />
          <span className="sr">In maintenance</span>
        </span>
      ) : null}
    </span>
  );
}

/** A state in which there is nothing newer to show. */
const silence = ({ state }: TestRow): string | undefined => {
  if (state === 'paused') return 'paused';
  if (state === 'not_running') return 'not run';
  return state === 'new' ? 'not yet' : undefined;
};

export function AvailabilityCell({ row }: CellProps) {
  if (row.availability === null) return <span className="mute">{silence(row) ?? 'no run'}</span>;
  return <span className={row.availability === 1 ? 'soft' : undefined}>{availabilityFigure(row.availability)}</span>;
}

export function TotalCell({ row }: CellProps) {
  const word = silence(row);
  if (word) return <span className="mute">{word}</span>;
  if (!row.last) return <span className="mute">none</span>;
  return <span className={row.last.success ? undefined : 'med'}>{formatMs(row.last.total_ms)}</span>;
}

export function RunnersCell({ row: { runners } }: CellProps) {
  const [first, ...rest] = runners;
  if (!first) return <span className="mute">none</span>;
  return (
    <span className="soft" title={runners.map(({ name }) => name).join(', ')}>
      <Clipped text={first.name} width={84} />
      {rest.length > 0 ? ` +${rest.length}` : ''}
    </span>
  );
}

/** Told from the others from the day on which it is warned of. */
export function CertificateCell({ row: { certificate_days: days } }: CellProps) {
  const warnDays = useQuery(thresholdsQuery).data?.certificate_warning_days;
  if (days === null) return <span className="mute">none</span>;
  return <span className={days < (warnDays ?? 0) ? 'med' : 'soft'}>{days < 0 ? 'ended' : Math.floor(days)}</span>;
}

export function LastCell({ row, now }: CellProps & { now: number }) {
  if (!row.last) return <span className="mute">never</span>;
  return <Time at={row.last.started_at} show="second" now={now} className={row.state === 'not_running' ? 'med' : 'soft'} />;
}

export function NextCell({ row, now }: CellProps & { now: number }) {
  if (row.next_at === null || row.state === 'paused') return <span className="mute">{silence(row) ?? 'waits'}</span>;
  return <Time at={row.next_at} show="second" now={now} className="soft" />;
}
