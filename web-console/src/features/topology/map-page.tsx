import './map.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ask } from '../../api.ts';
import type { MapNode, Topology } from '../../api-types.ts';
import { windowOf } from '../../ui/address/time-range.ts';
import { type HistoryRule, useSearchChange } from '../../ui/address/use-search-change.ts';
import { ChangeLane } from '../../ui/changes/change-lane.tsx';
import type { TimeSpan } from '../../ui/charts/brush-span.ts';
import { IconButton } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ServiceColors } from '../../ui/services/service-colors.tsx';
import { formatBytes, formatMoment, formatMs, formatPercent, plural } from '../../ui/words/format.ts';
import { MapCard } from './map-card.tsx';
import { filterMap } from './map-filter.ts';
import { MapList } from './map-list.tsx';
import { MAP_RANGE, type MapSearch, RANGE_IN_SENTENCE } from './map-search.ts';
import { describeGap, describeMap, formatRate, NODE_WORDS } from './map-words.ts';

const route = getRouteApi('/topology');
/** The map itself changes once a minute. */
const EVERY_MS = 30_000;

/** Who calls whom, and where does it hurt? */
export function MapPage() {
  const search = route.useSearch();
  const change = useSearchChange<MapSearch>();
  const { range, from, to } = search;
  const map = useQuery({
    queryKey: ['topology.map', range, from, to],
    queryFn: ({ signal }) => {
      const window = windowOf({ range, from, to }, MAP_RANGE.usual, Date.now());
      return ask('topology.map', from && to ? window : { from: window.from }, signal);
    },
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  if (map.isError && !map.data) return <Failure error={map.error} retry={() => void map.refetch()} />;
  const words =
    from && to
      ? `time from ${formatMoment(from, Date.now())} to ${formatMoment(to, Date.now())}`
      : RANGE_IN_SENTENCE[range ?? MAP_RANGE.usual];
  return (
    <div className="page wide map">
      <header className="pagehead">
        <div className="grow">
          <h1>{map.data ? describeHead(map.data, words) : <Ghost width={420} says="Service map, loading" />}</h1>
          <p className="soft">
            {map.data?.computed_to ? (
              <>
                The {words}, computed to <Time at={map.data.computed_to} show="clock" />
              </>
            ) : null}
          </p>
        </div>
      </header>
      {map.data ? (
        <ServiceColors names={servicesOf(map.data)}>
          <MapParts map={map.data} search={search} onChange={change} />
        </ServiceColors>
      ) : null}
    </div>
  );
}

const servicesOf = ({ nodes }: Topology): string[] => nodes.filter(({ kind }) => kind === 'service').map(({ name }) => name);

const describeHead = (map: Topology, words: string): string =>
  map.nodes.length === 0 ? `Nothing called anything in the ${words}.` : describeMap(map);

interface PartsProps {
  map: Topology;
  search: MapSearch;
  onChange: (part: MapSearch, rule?: HistoryRule) => void;
}

function MapParts({ map, search, onChange }: PartsProps) {
  const { find, only } = search;
  const shown = useMemo(() => filterMap(map, { find, only }), [map, find, only]);
  const node = shown.nodes.find(({ id }) => id === search.node);
  const choose = (id: string | undefined): void => onChange({ node: id });
  if (map.nodes.length === 0) return <NoMap />;
  return (
    <>
      <Completeness gaps={map.gaps} />
      <MapCard map={shown} filter={search} onFilter={onChange} chosen={node?.id} onChoose={choose} />
      {node ? <NodeCard node={node} span={spanOf(search)} onClose={() => choose(undefined)} /> : null}
      <section className="card" aria-labelledby="list-h">
        <header>
          <h2 id="list-h">{node ? `Connections of ${node.name}` : 'Connections'}</h2>
          <span className="s mute">the same in a list, failing ones first</span>
        </header>
        <MapList map={shown} chosen={node?.id} />
      </section>
    </>
  );
}

/** The badge: how far the map may be trusted. */
function Completeness({ gaps }: { gaps: Topology['gaps'] }) {
  if (gaps.length === 0)
    return (
      <p className="note row">
        <Icon name="ok" size={14} /> No gap detected: every caller, callee and flow of this time is on the map.
      </p>
    );
  return (
    <details className="note gaps">
      <summary>
        <Icon name="eyeOff" size={14} />
        <b>{plural(gaps.length, 'thing')}</b> this map cannot see
      </summary>
      <ul>
        {gaps.map((gap) => (
          <li key={gap.code}>{describeGap(gap)}</li>
        ))}
      </ul>
    </details>
  );
}

/** To whole minutes, as the map itself is. */
function spanOf({ range, from, to }: MapSearch): TimeSpan {
  const minute = Math.ceil(Date.now() / 60_000) * 60_000;
  const window = windowOf({ range, from, to }, MAP_RANGE.usual, minute);
  return { from: Date.parse(window.from), to: Date.parse(window.to) };
}

function NodeCard({ node, span, onClose }: { node: MapNode; span: TimeSpan; onClose: () => void }) {
  const facts = [
    NODE_WORDS[node.kind],
    node.calls > 0 ? `receives ${formatRate(node.rate)}` : 'no calls seen',
    node.error_ratio === null ? '' : `${formatPercent(node.error_ratio)} fail`,
    node.p50_ms === null ? '' : `p50 ${formatMs(node.p50_ms)}`,
    node.p95_ms === null ? '' : `p95 ${formatMs(node.p95_ms)}`,
    node.bytes_in > 0 ? `${formatBytes(node.bytes_in)} in` : '',
    node.bytes_out > 0 ? `${formatBytes(node.bytes_out)} out` : '',
  ];
  return (
    <section className="card" aria-label={node.name}>
      <header>
        <h2>{node.name}</h2>
        <span className="s soft">{facts.filter(Boolean).join(', ')}</span>
        <span className="grow" />
        {node.kind === 'service' ? (
          <>
            <Link className="btn" to="/traces" search={{ service: [node.name] }}>
              <Icon name="waterfall" size={14} /> Traces
            </Link>
            <Link className="btn" to="/traces" search={{ service: [node.name], status: ['error'] }}>
              <Icon name="warning" size={14} /> Failed
            </Link>
            <Link className="btn" to="/logs" search={{ service: [node.name] }}>
              <Icon name="lines" size={14} /> Logs
            </Link>
          </>
        ) : null}
        <IconButton icon="cross" label="Show all" onClick={onClose} />
      </header>
      <ChangeLane targets={[node.name]} span={span} />
    </section>
  );
}

function NoMap() {
  return (
    <section className="card">
      <EmptyState icon="hops" title="No calls and no flows yet">
        <p>
          The map is drawn from traces (server and client spans of OpenTelemetry SDKs) and network flows (OBI with its network
          feature on). <Link to="/otlp">Telemetry in</Link> shows how to send them; two minutes later the map is there.
        </p>
      </EmptyState>
    </section>
  );
}
