import type { EndpointRow, Reading, SortColumn } from '@svc/contracts/endpoint-view';
import { type Cause, DEFAULT_THRESHOLDS as LIMITS } from '@svc/contracts/verdict';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  formatAge,
  formatMs,
  formatMsFigure,
  formatPercentFigure,
  formatSigned,
  formatUtc,
  joinWords,
} from '../../../ui/format.ts';
import { Icon } from '../../../ui/icons.tsx';
import { osWords } from '../../../ui/os-words.ts';
import { permissionName } from '../../../ui/permission-words.ts';
import { shortTarget } from '../../../ui/targets.ts';
import { Time } from '../../../ui/time.tsx';
import { Strip, Verdict } from '../../../ui/verdict.tsx';
import { absenceWord, toneOf } from '../../../ui/verdict-words.ts';

const STALE_AFTER_MS = 10 * 60_000;

export interface FleetColumn {
  id: string;
  /** The column's head. */
  title: string;
  /** Its name in the chooser, where it differs. */
  longTitle?: string;
  sort?: SortColumn;
  /** Which direction a first click gives; the one that brings trouble to the top. */
  first?: 'asc' | 'desc';
  numeric?: boolean;
  locked?: boolean;
  hidden?: boolean;
  /** Width of the skeleton's bar, px. */
  ghost: number;
  cell: (row: EndpointRow, now: number) => ReactNode;
}

const beyond = (reading: Reading, limit: number): number => (reading.value ?? 0) / limit;

const soft = (text: string | null): ReactNode => <span className="soft">{text ?? ''}</span>;
const Absent = ({ reading, row }: { reading: Reading; row: EndpointRow }) => (
  <span className="mute">{absenceWord(reading.unavailable, row.verdict)}</span>
);

interface FigureLook {
  format: (value: number) => string;
  blamedBy: Cause;
  /** The default limit of this value, and how far beyond its own limit its neighbour is: of two, the one that hurts is blamed. */
  limit: number;
  other?: number;
}

/** A measured number or the word for its absence; bold in the cause's colour where the verdict blames it. */
function figure(row: EndpointRow, reading: Reading, { format, blamedBy, limit, other = 0 }: FigureLook): ReactNode {
  if (reading.value === null) return <Absent reading={reading} row={row} />;
  const blamed = row.verdict === blamedBy && reading.value > 0 && reading.value / limit >= Math.min(1, other);
  const quiet = reading.value === 0;
  let tone: string | undefined;
  if (blamed) tone = `blamed t-${toneOf(row.verdict)}`;
  else if (quiet) tone = 'mute';
  return <span className={tone}>{format(reading.value)}</span>;
}

const BAR_PX = 28;
/** −92 dBm draws nothing, −50 dBm a full bar. */
const rssiWidth = (dbm: number): number => Math.min(BAR_PX, Math.max(2, ((dbm + 92) / 42) * BAR_PX));

function WifiCell({ row }: { row: EndpointRow }) {
  const dbm = row.wifi_rssi_dbm.value;
  const percent = row.wifi_signal_percent.value;
  if (dbm === null && percent === null) {
    const reading = row.connection === 'wired' ? { value: null, unavailable: 'wired' } : row.wifi_rssi_dbm;
    return <Absent reading={reading} row={row} />;
  }
  const width = dbm === null ? ((percent ?? 0) / 100) * BAR_PX : rssiWidth(dbm);
  const blamed = row.verdict === 'wifi';
  const text = dbm === null ? `${formatSigned(percent ?? 0)}\u202f%` : formatSigned(dbm);
  return (
    <span className="wf">
      <svg width={BAR_PX} height="6" aria-hidden="true">
        <rect width={BAR_PX} height="6" rx="1" fill="var(--sunken)" />
        <rect width={width} height="6" rx="1" fill={blamed ? 'var(--c-wifi)' : 'var(--line-strong)'} />
      </svg>
      <span className={blamed ? 'num blamed t-wifi' : 'num'}>{text}</span>
    </span>
  );
}

function SessionCell({ row }: { row: EndpointRow }) {
  if (row.worst_session_ms.value === null) return <Absent reading={row.worst_session_ms} row={row} />;
  return (
    <>
      {figure(row, row.worst_session_ms, { format: formatMs, blamedBy: 'network', limit: LIMITS.sessionTotalMs })}{' '}
      <span className="tg" title={row.worst_session_target ?? undefined}>
        {row.worst_session_target ? shortTarget(row.worst_session_target) : ''}
      </span>
    </>
  );
}

function ContactCell({ row, now }: { row: EndpointRow; now: number }) {
  if (!row.last_contact_at) return <span className="mute">never</span>;
  const age = now - Date.parse(row.last_contact_at);
  return (
    <time
      dateTime={row.last_contact_at}
      title={formatUtc(row.last_contact_at)}
      className={age > STALE_AFTER_MS ? undefined : 'mute'}
    >
      {formatAge(age)}
    </time>
  );
}

/** Beside a verdict that was given all the same: something stays unmeasured until the person there permits it. */
function PermissionMark({ row }: { row: EndpointRow }) {
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
  return row.outdated ? 'Older than newer ones in use' : undefined;
};

const CONNECTION_WORDS = { wifi: 'Wi-Fi', wired: 'wired', cellular: 'cellular', unknown: 'unknown' } as const;

/** All columns in their default order; `hidden` ones start switched off. */
export const COLUMNS: readonly FleetColumn[] = [
  {
    id: 'name',
    title: 'Device',
    sort: 'name',
    locked: true,
    ghost: 84,
    cell: (row) => (
      <Link to="/fleet/$id" params={{ id: row.id }} className="dv" tabIndex={-1}>
        {row.name ?? row.id.slice(-12)}
      </Link>
    ),
  },
  { id: 'owner', title: 'Owner', sort: 'owner', ghost: 56, cell: (row) => soft(row.owner) },
  { id: 'site', title: 'Site', sort: 'site', ghost: 80, cell: (row) => soft(row.site) },
  {
    id: 'verdict',
    title: 'Verdict',
    sort: 'verdict',
    locked: true,
    ghost: 110,
    cell: (row) => (
      <>
        <Verdict verdict={row.verdict} pausedUntil={row.paused_until} />
        <PermissionMark row={row} />
      </>
    ),
  },
  { id: 'strip', title: 'Last 24 h', ghost: 95, cell: (row) => <Strip hours={row.strip_24h} /> },
  { id: 'wifi', title: 'Wi-Fi dBm', longTitle: 'Wi-Fi', sort: 'wifi_rssi_dbm', ghost: 52, cell: (row) => <WifiCell row={row} /> },
  {
    id: 'gateway_rtt',
    title: 'Gateway ms',
    longTitle: 'Gateway round trip',
    sort: 'gateway_rtt_ms',
    first: 'desc',
    numeric: true,
    ghost: 28,
    cell: (row) =>
      figure(row, row.gateway_rtt_ms, {
        format: formatMsFigure,
        blamedBy: 'local',
        limit: LIMITS.gatewayRttMs,
        other: beyond(row.gateway_loss_ratio, LIMITS.gatewayLoss),
      }),
  },
  {
    id: 'gateway_loss',
    title: 'loss %',
    longTitle: 'Gateway loss',
    sort: 'gateway_loss_ratio',
    first: 'desc',
    numeric: true,
    ghost: 24,
    cell: (row) =>
      figure(row, row.gateway_loss_ratio, {
        format: formatPercentFigure,
        blamedBy: 'local',
        limit: LIMITS.gatewayLoss,
        other: beyond(row.gateway_rtt_ms, LIMITS.gatewayRttMs),
      }),
  },
  {
    id: 'isp_rtt',
    title: 'ISP edge ms',
    longTitle: 'ISP edge round trip',
    sort: 'isp_rtt_ms',
    first: 'desc',
    numeric: true,
    ghost: 28,
    cell: (row) =>
      figure(row, row.isp_rtt_ms, {
        format: formatMsFigure,
        blamedBy: 'isp',
        limit: LIMITS.ispRttMs,
        other: beyond(row.isp_loss_ratio, LIMITS.ispLoss),
      }),
  },
  {
    id: 'isp_loss',
    title: 'ISP loss %',
    sort: 'isp_loss_ratio',
    first: 'desc',
    numeric: true,
    hidden: true,
    ghost: 24,
    cell: (row) =>
      figure(row, row.isp_loss_ratio, {
        format: formatPercentFigure,
        blamedBy: 'isp',
        limit: LIMITS.ispLoss,
        other: beyond(row.isp_rtt_ms, LIMITS.ispRttMs),
      }),
  },
  {
    id: 'session',
    title: 'Worst session',
    sort: 'worst_session_ms',
    first: 'desc',
    numeric: true,
    ghost: 64,
    cell: (row) => <SessionCell row={row} />,
  },
  { id: 'os', title: 'OS', sort: 'os', ghost: 72, cell: (row) => soft(osWords(row.os, row.os_version)) },
  {
    id: 'agent_version',
    title: 'Agent',
    longTitle: 'Agent version',
    sort: 'agent_version',
    ghost: 36,
    cell: (row) => (
      <span className="soft num" title={ageWords(row)}>
        {row.agent_version ?? ''} {ageWords(row) ? <Icon name="update" size={12} className="inl" /> : null}
        <span className="sr">{ageWords(row)}</span>
        {row.face === 'headless' ? <span className="mute after">headless</span> : null}
      </span>
    ),
  },
  {
    id: 'contact',
    title: 'Contact',
    longTitle: 'Last contact',
    sort: 'last_contact_at',
    first: 'asc',
    numeric: true,
    ghost: 28,
    cell: (row, now) => <ContactCell row={row} now={now} />,
  },
  {
    id: 'confidence',
    title: 'Confidence %',
    numeric: true,
    hidden: true,
    ghost: 28,
    cell: (row) =>
      row.confidence === null ? <span className="mute">no verdict</span> : <span>{formatPercentFigure(row.confidence)}</span>,
  },
  { id: 'gateway', title: 'Gateway address', hidden: true, ghost: 80, cell: (row) => soft(row.gateway_address) },
  { id: 'connection', title: 'Connection', hidden: true, ghost: 48, cell: (row) => soft(CONNECTION_WORDS[row.connection]) },
  { id: 'face', title: 'Face', longTitle: 'Face on the device', hidden: true, ghost: 44, cell: (row) => soft(row.face) },
  { id: 'ring', title: 'Update ring', hidden: true, ghost: 40, cell: (row) => soft(row.ring) },
  { id: 'enrolled', title: 'Enrolled', hidden: true, ghost: 72, cell: (row, now) => <Time at={row.enrolled_at} now={now} /> },
];

const DEFAULT_IDS = COLUMNS.filter((column) => !column.hidden).map((column) => column.id);
const LOCKED_IDS = COLUMNS.filter((column) => column.locked).map((column) => column.id);
const known = new Set(COLUMNS.map((column) => column.id));

/** Shown columns in their order; the locked ones are always among them. */
export function shownColumns(cols: string | undefined): string[] {
  if (!cols) return DEFAULT_IDS;
  const wanted = [...new Set(cols.split(',').filter((id) => known.has(id)))];
  const missing = LOCKED_IDS.filter((id) => !wanted.includes(id));
  return wanted.length === 0 ? DEFAULT_IDS : [...missing, ...wanted];
}

/** The shown columns for the URL; the default leaves no trace. */
export const encodeColumns = (ids: readonly string[]): string | undefined =>
  ids.join() === DEFAULT_IDS.join() ? undefined : ids.join();
