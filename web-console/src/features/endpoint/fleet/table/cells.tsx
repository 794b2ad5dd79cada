import type { EndpointRow, Reading } from '@svc/contracts/endpoint/view';
import type { Measure } from '@svc/contracts/judged/measures';
import type { ReactNode } from 'react';
import { Icon } from '../../../../ui/controls/icons.tsx';
import { permissionName } from '../../../../ui/devices/permission-words.ts';
import { failedAt } from '../../../../ui/devices/session-words.ts';
import { shortTarget } from '../../../../ui/devices/targets.ts';
import { absenceWord, toneOf } from '../../../../ui/devices/verdict-words.ts';
import { factsOfRow } from '../../../../ui/judged/facts.ts';
import { Time } from '../../../../ui/moments/time.tsx';
import { Clipped } from '../../../../ui/table/clipped.tsx';
import { formatMs, formatSigned, joinWords } from '../../../../ui/words/format.ts';

const STALE_AFTER_MS = 10 * 60_000;

/** The most that text of a person's own takes, px, so that the default columns fit a window of 1440 px. */
export const MOST = { name: 112, owner: 86, site: 90, os: 72, absence: 60 } as const;

export const soft = (text: string | null): ReactNode => <span className="soft">{text ?? ''}</span>;

export const clipped = (text: string | null, width: number): ReactNode => (
  <span className="soft">{text ? <Clipped text={text} width={width} /> : ''}</span>
);
const Absent = ({ reading, row }: { reading: Reading; row: EndpointRow }) => (
  <span className="mute">
    <Clipped text={absenceWord(reading.unavailable, row.verdict)} width={MOST.absence} />
  </span>
);

interface FigureLook {
  format: (value: number) => string;
  measure: Measure;
}

/** A measured number or the word for its absence; bold in the cause's colour where it is the one that the verdict names. */
export function figure(row: EndpointRow, reading: Reading, { format, measure }: FigureLook): ReactNode {
  if (reading.value === null) return <Absent reading={reading} row={row} />;
  const told = factsOfRow(row)?.row[measure];
  let tone: string | undefined;
  if (told?.blamed) tone = `blamed t-${toneOf(row.verdict)}`;
  else if (reading.value === 0) tone = 'mute';
  return <span className={tone}>{format(reading.value)}</span>;
}

const BAR_PX = 28;
/** −92 dBm draws nothing, −50 dBm a full bar. */
const rssiWidth = (dbm: number): number => Math.min(BAR_PX, Math.max(2, ((dbm + 92) / 42) * BAR_PX));

export function WifiCell({ row }: { row: EndpointRow }) {
  const dbm = row.wifi_rssi_dbm.value;
  const percent = row.wifi_signal_percent.value;
  if (dbm === null && percent === null) {
    const reading = row.connection === 'wired' ? { value: null, unavailable: 'wired' } : row.wifi_rssi_dbm;
    return <Absent reading={reading} row={row} />;
  }
  const width = dbm === null ? ((percent ?? 0) / 100) * BAR_PX : rssiWidth(dbm);
  const blamed = row.verdict === 'wifi';
  const text = dbm === null ? `${formatSigned(percent ?? 0)}%` : formatSigned(dbm);
  return (
    <span className="wificell">
      <svg width={BAR_PX} height="6" aria-hidden="true">
        <rect width={BAR_PX} height="6" rx="1" fill="var(--sunken)" />
        <rect width={width} height="6" rx="1" fill={blamed ? 'var(--c-wifi)' : 'var(--line-strong)'} />
      </svg>
      <span className={blamed ? 'num blamed t-wifi' : 'num'}>{text}</span>
    </span>
  );
}

export function SessionCell({ row }: { row: EndpointRow }) {
  const { session_failures: failures } = row;
  if (failures) {
    return (
      <>
        <span className={row.verdict === 'network' ? 'blamed t-network' : 'med'}>
          {failures.of > 1 ? `${failures.failed} of ${failures.of} failed` : 'failed'} {failedAt(failures.phase)}
        </span>{' '}
        <span className="tg" title={failures.target}>
          {shortTarget(failures.target)}
        </span>
      </>
    );
  }
  if (row.worst_session_ms.value === null) return <Absent reading={row.worst_session_ms} row={row} />;
  return (
    <>
      {figure(row, row.worst_session_ms, { format: formatMs, measure: 'session_total_ms' })}{' '}
      <span className="tg" title={row.worst_session_target ?? undefined}>
        {row.worst_session_target ? shortTarget(row.worst_session_target) : ''}
      </span>
    </>
  );
}

const Unrecorded = () => (
  <span className="mute" title="When this state began is not recorded">
    <span aria-hidden="true">–</span>
    <span className="sr">not recorded</span>
  </span>
);

/** How long the verdict has held; for a silent device, since its last contact. */
export function SinceCell({ row, now }: { row: EndpointRow; now: number }) {
  const since = row.verdict === 'no_contact' ? row.last_contact_at : row.verdict_since;
  if (!since) return <Unrecorded />;
  return (
    <span className="soft num">
      <Time at={since} show="ago" now={now} />
    </span>
  );
}

export function ContactCell({ row, now }: { row: EndpointRow; now: number }) {
  if (!row.last_contact_at) return <span className="mute">never</span>;
  const age = now - Date.parse(row.last_contact_at);
  return <Time at={row.last_contact_at} show="ago" now={now} className={age > STALE_AFTER_MS ? undefined : 'mute'} />;
}

/** Beside a verdict that was given all the same: something stays unmeasured until the person there permits it. */
export function PermissionMark({ row }: { row: EndpointRow }) {
  if (row.missing_permissions.length === 0 || row.verdict === 'needs_permission') return null;
  const words = `Needs permission: ${joinWords(row.missing_permissions.map(permissionName))}`;
  return (
    <span className="after" title={words}>
      <Icon name="lock" size={12} className="inl" />
      <span className="sr">{words}</span>
    </span>
  );
}

/** An agent too old to talk, one older than others, or nothing worth a mark. */
const ageWords = (row: EndpointRow): string | undefined => {
  if (row.state === 'update_required') return 'Update required';
  return row.outdated ? 'Newer versions are in use here' : undefined;
};

const agentNotes = (row: EndpointRow): string | undefined =>
  [ageWords(row), row.face === 'headless' ? 'Runs without a window' : undefined].filter(Boolean).join('. ') || undefined;

export const CONNECTION_WORDS = { wifi: 'Wi-Fi', wired: 'wired', cellular: 'cellular', unknown: 'unknown' } as const;

export function AgentCell({ row }: { row: EndpointRow }) {
  return (
    <span className="soft num" title={agentNotes(row)}>
      {row.agent_version ?? ''} {ageWords(row) ? <Icon name="update" size={12} className="inl" /> : null}
      <span className="sr">{agentNotes(row)}</span>
    </span>
  );
}
