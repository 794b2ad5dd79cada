import type { EndpointRow, SortColumn } from '@svc/contracts/endpoint/view';
import { Link } from '@tanstack/react-router';
import { osWords } from '../../../../ui/devices/os-words.ts';
import { Strip } from '../../../../ui/devices/verdict.tsx';
import { RowVerdict } from '../../../../ui/judged/row-verdict.tsx';
import { Time } from '../../../../ui/moments/time.tsx';
import { Clipped } from '../../../../ui/table/clipped.tsx';
import type { ListColumn } from '../../../../ui/table/list-table.tsx';
import { readColumns, writeColumns } from '../../../../ui/table/shown-columns.ts';
import { deviceName } from '../../../../ui/words/device-name.ts';
import { formatMsFigure, formatPercentFigure } from '../../../../ui/words/format.ts';
import {
  AgentCell,
  CONNECTION_WORDS,
  ContactCell,
  clipped,
  figure,
  MOST,
  PermissionMark,
  SessionCell,
  SinceCell,
  soft,
  WifiCell,
} from './cells.tsx';

type FleetColumn = ListColumn<EndpointRow, SortColumn>;

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
        <Clipped text={deviceName(row.name, row.id)} width={MOST.name} />
      </Link>
    ),
  },
  { id: 'owner', title: 'Owner', sort: 'owner', ghost: 56, cell: (row) => clipped(row.owner, MOST.owner) },
  { id: 'site', title: 'Site', sort: 'site', ghost: 80, cell: (row) => clipped(row.site, MOST.site) },
  {
    id: 'verdict',
    title: 'Verdict',
    sort: 'verdict',
    worstFirst: true,
    locked: true,
    ghost: 110,
    cell: (row) => (
      <>
        <RowVerdict row={row} />
        <PermissionMark row={row} />
      </>
    ),
  },
  {
    id: 'since',
    title: 'Since',
    longTitle: 'Since when the verdict holds',
    sort: 'verdict_since',
    ghost: 32,
    cell: (row, now) => <SinceCell row={row} now={now} />,
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
    cell: (row) => figure(row, row.gateway_rtt_ms, { format: formatMsFigure, measure: 'gateway_rtt_ms' }),
  },
  {
    id: 'gateway_loss',
    title: 'loss %',
    longTitle: 'Gateway loss',
    sort: 'gateway_loss_ratio',
    first: 'desc',
    numeric: true,
    ghost: 24,
    cell: (row) => figure(row, row.gateway_loss_ratio, { format: formatPercentFigure, measure: 'gateway_loss_ratio' }),
  },
  {
    id: 'isp_rtt',
    title: 'ISP edge ms',
    longTitle: 'ISP edge round trip',
    sort: 'isp_rtt_ms',
    first: 'desc',
    numeric: true,
    ghost: 28,
    cell: (row) => figure(row, row.isp_rtt_ms, { format: formatMsFigure, measure: 'isp_rtt_ms' }),
  },
  {
    id: 'isp_loss',
    title: 'ISP loss %',
    sort: 'isp_loss_ratio',
    first: 'desc',
    numeric: true,
    hidden: true,
    ghost: 24,
    cell: (row) => figure(row, row.isp_loss_ratio, { format: formatPercentFigure, measure: 'isp_loss_ratio' }),
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
  {
    id: 'os',
    title: 'OS',
    sort: 'os',
    ghost: 72,
    cell: (row) => clipped(osWords(row.os, row.os_version), MOST.os),
  },
  {
    id: 'agent_version',
    title: 'Agent',
    longTitle: 'Agent version',
    sort: 'agent_version',
    ghost: 36,
    cell: (row) => <AgentCell row={row} />,
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

export const shownColumns = (cols: string | undefined): string[] => readColumns(COLUMNS, cols);

export const encodeColumns = (ids: readonly string[]): string | undefined => writeColumns(COLUMNS, ids);
