import type { DeviceView, EndpointRow } from '@svc/contracts/endpoint-view';
import type { ReactNode } from 'react';
import { formatMoment, formatMs, formatPercent, withUnit } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { osWords } from '../../ui/os-words.ts';
import { shortTarget } from '../../ui/targets.ts';
import { absenceClause, CAUSE_NAMES, NO_VERDICT, verdictWord } from '../../ui/verdict-words.ts';

type LayerScore = DeviceView['layers'][number];

const TITLES = { wifi: 'Wi-Fi', local: 'Gateway', isp: 'ISP edge', network: 'Beyond ISP' } as const;
const ICONS: Readonly<Record<LayerScore['layer'], IconName>> = { wifi: 'wifi', local: 'local', isp: 'isp', network: 'network' };

const listed = (parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(', ');

/** What was read of a layer, in figures. */
function layerFigures(layer: LayerScore['layer'], row: EndpointRow): string {
  const ms = (value: number | null): string | undefined => (value === null ? undefined : formatMs(value));
  const lost = (value: number | null): string | undefined => {
    if (value === null) return undefined;
    return value === 0 ? 'nothing lost' : `${formatPercent(value)} lost`;
  };
  if (layer === 'wifi') {
    const [rssi, signal] = [row.wifi_rssi_dbm.value, row.wifi_signal_percent.value];
    return listed([
      rssi === null ? undefined : withUnit(rssi, 'dBm'),
      rssi === null && signal !== null ? withUnit(signal, '%') : undefined,
    ]);
  }
  if (layer === 'local') return listed([ms(row.gateway_rtt_ms.value), lost(row.gateway_loss_ratio.value)]);
  if (layer === 'isp') return listed([ms(row.isp_rtt_ms.value), lost(row.isp_loss_ratio.value)]);
  return listed([row.worst_session_ms.value === null ? undefined : `worst session ${formatMs(row.worst_session_ms.value)}`]);
}

/** The agent's scale: at 50 a layer stands on its limit. */
const IMPAIRED_AT = 50;
const NEAR_AT = 60;

function scoreWord(score: number): string {
  if (score <= IMPAIRED_AT) return 'impaired';
  return score < NEAR_AT ? 'near its limit' : 'fine';
}

interface NodeProps {
  kind: 'ok' | 'weak' | 'blame' | 'sub' | 'none';
  icon: IconName;
  title: string;
  score?: number | null;
  words: string;
  figures: string;
  cause?: string;
}

function Node({ kind, icon, title, score, words, figures, cause }: NodeProps): ReactNode {
  return (
    <li className={cause ? `${kind} by-${cause}` : kind}>
      <div className="lk" aria-hidden="true" />
      <div className="node">
        {kind === 'blame' ? <span className="flag">Slow here</span> : null}
        <div className="nt">
          <Icon name={icon} />
          <b>{title}</b>
          <span className="grow" />
          {score === null || score === undefined ? null : (
            <span className="sc num" title="Score, 0 to 100">
              {Math.round(score)}
            </span>
          )}
        </div>
        {score === null || score === undefined ? (
          <div className="meter" />
        ) : (
          <div className="meter">
            <i style={{ width: `${Math.max(0, Math.min(100, score))}%` }} />
          </div>
        )}
        <p className="w" title={words}>
          {words}
        </p>
        <p className="m num">{figures}</p>
      </div>
    </li>
  );
}

/** Where nothing is measured now, the last words carry their time: "fine at 18:21". */
const timed = (words: string, at: string | undefined): string =>
  at === undefined ? words : `${words} at ${formatMoment(at, Date.now())}`;

function LayerNode({ layer, row, at }: { layer: LayerScore; row: EndpointRow; at: string | undefined }) {
  const blamed = row.verdict === layer.layer;
  const title = TITLES[layer.layer];
  const icon = ICONS[layer.layer];
  if (layer.score === null) {
    const words = layer.unavailable ? absenceClause(layer.unavailable) : 'not measured yet';
    return <Node kind="none" icon={icon} title={title} words={words} figures="" />;
  }
  const figures = layerFigures(layer.layer, row);
  if (blamed) {
    const since = row.verdict_since ? ` since ${formatMoment(row.verdict_since, Date.now())}` : '';
    return (
      <Node
        kind="blame"
        icon={icon}
        title={title}
        score={layer.score}
        words={`slow${since}`}
        figures={figures}
        cause={layer.layer}
      />
    );
  }
  const cause = row.verdict in CAUSE_NAMES ? CAUSE_NAMES[row.verdict as keyof typeof CAUSE_NAMES] : undefined;
  if (layer.held_back)
    return (
      <Node
        kind="sub"
        icon={icon}
        title={title}
        score={layer.score}
        words={timed(cause ? `held back by ${cause}` : 'held back', at)}
        figures={figures}
      />
    );
  return (
    <Node
      kind={layer.score > IMPAIRED_AT ? 'ok' : 'weak'}
      icon={icon}
      title={title}
      score={layer.score}
      words={timed(scoreWord(layer.score), at)}
      figures={figures}
    />
  );
}

const isSilent = (row: EndpointRow): boolean => (NO_VERDICT as readonly string[]).includes(row.verdict);

/** The layers outward from the device; the first impaired one is blamed, device and service only frame them. */
export function LayerChain({ view }: { view: DeviceView }) {
  const row = view.endpoint;
  const [session] = view.sessions
    .filter((item) => item.role !== 'control_plane')
    .toSorted((a, b) => (b.total_ms ?? Number.POSITIVE_INFINITY) - (a.total_ms ?? Number.POSITIVE_INFINITY));
  return (
    <ol className="chain" aria-label="Layers from the device to the service">
      <Node
        kind={isSilent(row) ? 'none' : 'ok'}
        icon="laptop"
        title="Device"
        words={isSilent(row) ? verdictWord(row.verdict, row.paused_until).toLowerCase() : 'reporting'}
        figures={listed([
          osWords(row.os, null),
          row.connection === 'unknown' ? undefined : row.connection === 'wifi' ? 'on Wi-Fi' : row.connection,
        ])}
      />
      {view.layers.map((layer) => (
        <LayerNode key={layer.layer} layer={layer} row={row} at={isSilent(row) ? (view.layers_at ?? undefined) : undefined} />
      ))}
      {session ? (
        <Node
          kind="ok"
          icon="server"
          title="Service"
          words={timed(
            session.success && session.total_ms !== null
              ? `${shortTarget(session.target)} in ${formatMs(session.total_ms)}`
              : `${shortTarget(session.target)} failed`,
            isSilent(row) ? session.measured_at : undefined,
          )}
          figures={session.usual_ms === null ? '' : `usually ${formatMs(session.usual_ms)}`}
        />
      ) : (
        <Node kind="none" icon="server" title="Service" words="not measured: no target chosen" figures="" />
      )}
    </ol>
  );
}
