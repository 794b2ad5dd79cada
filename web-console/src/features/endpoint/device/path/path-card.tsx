import type { DeviceView, Verdict } from '@svc/contracts/endpoint/view';
import type { VerdictFacts } from '@svc/contracts/judged/read-verdict';
import { NO_CONTACT_AFTER_MS } from '@svc/contracts/verdict';
import { ScrollX } from '../../../../ui/controls/scroll-x.tsx';
import { shortTarget, targetHost } from '../../../../ui/devices/targets.ts';
import { factsOfRow } from '../../../../ui/judged/facts.ts';
import { EmptyState } from '../../../../ui/placeholders/empty-state.tsx';
import { type Column, ColumnHeads, numeric } from '../../../../ui/table/column-heads.tsx';
import { formatMoment, formatMsFigure, formatPercentFigure, plural } from '../../../../ui/words/format.ts';
import { PathGraph } from './path-graph.tsx';
import { buildNodes, type Path } from './path-layout.ts';
import { SEGMENT_WORDS } from './segment-words.ts';

const COLUMNS: readonly Column[] = [numeric('Hop'), 'Band', 'Address', numeric('RTT ms'), numeric('adds'), numeric('lost %')];

interface PathCardProps {
  view: DeviceView;
  target: string | undefined;
  onTarget: (target: string | undefined) => void;
}

const ALL = '';

/** The path as a graph in three bands with the hops of one target beside it. */
export function PathCards({ view, target, onTarget }: PathCardProps) {
  const chosen = view.paths.find((path) => path.target === target);
  const shown = chosen ? [chosen] : view.paths;
  const [first] = shown;
  if (!first) return <NoPath view={view} />;
  const { endpoint } = view;
  return (
    <div className="pathrow">
      <section className="card" aria-labelledby="path-h">
        <header>
          <h2 id="path-h">Path</h2>
          <span className="s mute">{describeProbe(first)}</span>
          <span className="grow" />
          {view.paths.length > 1 ? (
            <select
              className="select small"
              aria-label="Paths shown"
              value={chosen?.target ?? ALL}
              onChange={(event) => onTarget(event.currentTarget.value || undefined)}
            >
              <option value={ALL}>All targets</option>
              {view.paths.map((path) => (
                <option key={path.target} value={path.target}>
                  {targetHost(path.target)}
                </option>
              ))}
            </select>
          ) : null}
        </header>
        <div className="pp">
          <PathGraph
            paths={shown}
            verdict={endpoint.verdict}
            deviceName={endpoint.name ?? 'device'}
            gateway={endpoint.gateway_address}
            judged={segmentsAt(view, first)}
          />
          <p className="xs mute pathnote">
            Bands name what was judged, over several traces; lines and hops are of this one. A line’s width is the share lost on
            it; loss counts only where later hops lose it too.
          </p>
        </div>
      </section>
      <HopTable path={first} verdict={endpoint.verdict} />
    </div>
  );
}

/** What was judged with this trace; a later one was not judged yet, and then the trace speaks for itself. */
function segmentsAt(view: DeviceView, path: Path): VerdictFacts['segments'] | undefined {
  if (view.layers_at === null || Date.parse(path.measured_at) - Date.parse(view.layers_at) >= NO_CONTACT_AFTER_MS)
    return undefined;
  return factsOfRow(view.endpoint)?.segments;
}

function describeProbe(path: Path): string {
  const probes =
    path.packets_sent && path.hops.length > 0
      ? `, ${plural(Math.round(path.packets_sent / path.hops.length), 'probe')} a hop`
      : '';
  return `${formatMoment(path.measured_at, Date.now())}${path.protocol ? `, ${path.protocol.toUpperCase()}` : ''}${probes}`;
}

function NoPath({ view }: { view: DeviceView }) {
  const why = view.layers.find((layer) => layer.layer === 'isp')?.unavailable ?? view.endpoint.isp_rtt_ms.unavailable;
  return (
    <section className="card nopath" aria-labelledby="path-h">
      <header>
        <h2 id="path-h">Path</h2>
      </header>
      <EmptyState icon="unknown" title={why === 'no_target' ? 'Not measured: no target chosen' : 'Not measured in this time'}>
        <p>
          {why === 'no_target'
            ? 'Choose what to trace under Settings; nothing outside is contacted before.'
            : 'No trace of this device arrived in the chosen time. Widen the time, or ask it to measure now.'}
        </p>
      </EmptyState>
    </section>
  );
}

const BLAMED_BAND: Partial<Record<Verdict, string>> = { local: 'local', isp: 'isp-edge', network: 'beyond' };

function HopTable({ path, verdict }: { path: Path; verdict: Verdict }) {
  const nodes = new Map(buildNodes(path.hops).flatMap((node) => node.hops.map((hop) => [hop, node] as const)));
  const masked = path.hops.some((hop) => hop.unavailable === 'withheld');
  const worst = Math.max(
    0,
    ...[...nodes.values()]
      .filter((node) => verdict === 'wifi' || node.segment === BLAMED_BAND[verdict])
      .map((node) => node.addsMs ?? 0),
  );
  return (
    <section className="card hops" aria-labelledby="hops-h">
      <header>
        <h2 id="hops-h">Hops to {shortTarget(path.target)}</h2>
        <span className="grow" />
        <span className="s mute">{masked ? 'public addresses withheld' : ''}</span>
      </header>
      <ScrollX label="Hops">
        <table>
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {path.hops.map((hop) => {
              const node = nodes.get(hop.hop);
              const isSilent = node?.kind === 'silent';
              const blamed =
                verdict === 'wifi'
                  ? hop.hop === path.hops[0]?.hop
                  : node?.segment === BLAMED_BAND[verdict] && worst > 0 && node?.addsMs === worst;
              return (
                <tr key={hop.hop} className={blamed ? `bl bl-${verdict}` : undefined}>
                  <td className="n">{hop.hop}</td>
                  <td className="soft">{node ? SEGMENT_WORDS[node.segment] : ''}</td>
                  <td>
                    {isSilent ? (
                      <span className="mute">no reply</span>
                    ) : hop.address ? (
                      hop.address
                    ) : (
                      <span className="mk">masked</span>
                    )}
                  </td>
                  <td className="n">
                    {hop.rtt_ms === null ? (
                      <span className="mute">{isSilent ? 'silent' : 'none'}</span>
                    ) : (
                      formatMsFigure(hop.rtt_ms)
                    )}
                  </td>
                  <td className="n">
                    {node?.addsMs === null || node?.addsMs === undefined ? '' : `+${formatMsFigure(node.addsMs)}`}
                  </td>
                  <td className="n">{hop.loss_ratio === null || isSilent ? '' : formatPercentFigure(hop.loss_ratio)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}
