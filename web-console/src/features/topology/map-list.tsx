import { Link } from '@tanstack/react-router';
import type { MapEdge, MapNode, Topology } from '../../api-types.ts';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { ServiceMark } from '../../ui/services/service-colors.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatBytes, formatCount, formatMsFigure, formatPercentFigure } from '../../ui/words/format.ts';
import { isFailing } from './map-fault.ts';
import { formatRate, KIND_WORDS, NODE_WORDS } from './map-words.ts';

const COLUMNS: readonly Column[] = [
  'From',
  'To',
  'What',
  numeric('Rate'),
  numeric('Errors, %'),
  numeric('p50, ms'),
  numeric('p95, ms'),
  numeric('Bytes'),
];

/** Rows that a table shows at once; a person looks at the busy ones. */
const SHOWN = 200;

/** Every connection of the map, those with the most errors first, then the busiest. */
export function MapList({ map, chosen }: { map: Topology; chosen: string | undefined }) {
  const nodes = new Map(map.nodes.map((node) => [node.id, node]));
  const edges = map.edges
    .filter(({ source, target }) => chosen === undefined || source === chosen || target === chosen)
    .toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)) || b.rate - a.rate || b.bytes - a.bytes);
  return (
    <>
      <ScrollX label="Connections">
        <table>
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {edges.slice(0, SHOWN).map((edge) => (
              <Row
                key={`${edge.source} ${edge.target} ${edge.kind}`}
                edge={edge}
                source={nodes.get(edge.source)}
                target={nodes.get(edge.target)}
              />
            ))}
          </tbody>
        </table>
      </ScrollX>
      {edges.length > SHOWN ? (
        <p className="s mute mapmore">
          {formatCount(SHOWN)} of {formatCount(edges.length)}; choose a node on the map to see all of its own.
        </p>
      ) : null}
    </>
  );
}

function Row({ edge, source, target }: { edge: MapEdge; source: MapNode | undefined; target: MapNode | undefined }) {
  const bad = isFailing(edge);
  return (
    <tr>
      <td>
        <NodeName node={source} />
      </td>
      <td>
        <NodeName node={target} />
      </td>
      <td className="soft">{KIND_WORDS[edge.kind]}</td>
      <td className="n">{edge.calls > 0 ? formatRate(edge.rate) : ''}</td>
      <td className={bad ? 'n err med' : 'n'}>
        {bad ? (
          <>
            <Icon name="warning" size={12} />{' '}
          </>
        ) : null}
        {edge.error_ratio === null ? '' : formatPercentFigure(edge.error_ratio)}
      </td>
      <td className="n">{edge.p50_ms === null ? '' : formatMsFigure(edge.p50_ms)}</td>
      <td className="n">{edge.p95_ms === null ? '' : formatMsFigure(edge.p95_ms)}</td>
      <td className="n">{edge.bytes > 0 ? formatBytes(edge.bytes) : ''}</td>
    </tr>
  );
}

/** A service leads to its traces; what sends no spans has none. */
function NodeName({ node }: { node: MapNode | undefined }) {
  if (!node) return null;
  return (
    <span className="mapname">
      {node.kind === 'service' ? <ServiceMark name={node.name} /> : null}
      {node.kind === 'service' ? (
        <Link to="/traces" search={{ service: [node.name] }} title={`Traces of ${node.name}`}>
          {node.name}
        </Link>
      ) : (
        <span title={NODE_WORDS[node.kind]}>{node.name}</span>
      )}
    </span>
  );
}
