import './device.css';
import './device-strip.css';
import './path/path.css';
import './agent-card.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { ask } from '../../../api.ts';
import { RANGES, rangeReaching } from '../../../ui/address/time-range.ts';
import { type HistoryRule, useSearchChange } from '../../../ui/address/use-search-change.ts';
import { ChangeLane } from '../../../ui/changes/change-lane.tsx';
import { brushSearch, shownSpan } from '../../../ui/charts/brush-search.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { type Crosshair, createCrosshair } from '../../../ui/charts/crosshair.ts';
import { targetHost } from '../../../ui/devices/targets.ts';
import { useNow } from '../../../ui/moments/time.tsx';
import { useMay } from '../../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure, isUnknownId } from '../../../ui/placeholders/failure.tsx';
import { UsersOfHosts } from '../../../ui/rum/users-of-hosts.tsx';
import { AgentCard } from './agent-card.tsx';
import { CHART_METRICS, Charts } from './charts.tsx';
import { CompareCard } from './compare/compare-card.tsx';
import { DeviceActions } from './device-actions.tsx';
import { DeviceHead } from './device-head.tsx';
import { DEVICE_RANGE, type DeviceSearch, STEP_MS } from './device-search.ts';
import { LayerChain } from './layer-chain.tsx';
import { NotShownCard } from './not-shown-card.tsx';
import { PathCards } from './path/path-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { StripCard } from './strip-card.tsx';
import { useDevice } from './use-device.ts';
import { WindowNote } from './window-note.tsx';

const route = getRouteApi('/fleet/$id');
const POINTS = 360;
/** The strip's end moves in steps, so that a page that is looked at asks again now and then and not at every frame. */
const LIVE_STEP_MS = 15_000;

const iso = (at: number): string => new Date(at).toISOString();

/** Why is this one slow, since when, and what to try. */
export function DevicePage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const setSearch = useSearchChange<DeviceSearch>();
  const live = Math.ceil(useNow(LIVE_STEP_MS) / LIVE_STEP_MS) * LIVE_STEP_MS;
  const range = rangeReaching(search, DEVICE_RANGE, live);
  const strip = useMemo(() => ({ from: live - RANGES[range], to: live }), [live, range]);
  const span = shownSpan(search, strip);
  const [crosshair] = useState(createCrosshair);
  const brushed = span.from !== strip.from || span.to !== strip.to;
  const whole = useDevice(id, strip);
  const part = useDevice(id, span);
  const name = whole.data?.endpoint.name;
  useEffect(() => {
    document.title = name ?? 'Device';
  }, [name]);
  const onBrush = (next: TimeSpan | undefined, rule?: HistoryRule): void => {
    // A strip that was lengthened for its window stays so while the window is moved on it.
    const strips = range === (search.range ?? DEVICE_RANGE.usual) ? {} : { range };
    const brushedTo = brushSearch(next, { strip, stepMs: STEP_MS });
    setSearch(brushedTo.from ? { ...strips, ...brushedTo } : brushedTo, rule);
  };
  if (isUnknownId(whole.error)) return <NoSuchDevice />;
  if (whole.isError && !whole.data)
    return <Failure error={whole.error} retry={() => whole.refetch()} kept="The address keeps the chosen time." />;
  if (!whole.data) return <DeviceGhost />;
  const shown = (brushed ? part.data : undefined) ?? whole.data;
  const hosts = shown.sessions.map(({ target }) => targetHost(target));
  return (
    <div className="device" aria-busy={part.isPlaceholderData}>
      <DeviceHead view={shown} actions={<Actions view={whole.data} />} />
      <WindowNote view={shown} onNow={() => onBrush(undefined)} />
      <LayerChain view={shown} />
      <ChangeLane targets={hosts} span={strip}>
        <StripCard verdicts={whole.data.verdicts} strip={strip} shown={span} range={range} onBrush={onBrush} />
        {brushed && part.isError && !part.data ? (
          <Failure error={part.error} retry={() => part.refetch()} kept="The rest of the page is of now." />
        ) : null}
        <CompareCard
          view={shown}
          span={span}
          isChosen={brushed}
          kind={search.compare}
          target={search.target}
          onKind={(compare) => setSearch({ compare })}
        />
        <ChartsOf id={id} span={span} view={whole.data} crosshair={crosshair} />
      </ChangeLane>
      <PathCards view={shown} target={search.target} onTarget={(target) => setSearch({ target })} />
      <div className="pathrow">
        <SessionsCard sessions={shown.sessions} usual={shown.usual} />
        <NotShownCard view={shown} />
      </div>
      <UsersOfHosts hosts={hosts} />
      <AgentCard view={{ ...whole.data, cost: shown.cost }} span={span} crosshair={crosshair} />
    </div>
  );
}

function NoSuchDevice() {
  return (
    <EmptyState icon="laptop" title="There is no such device" alert>
      <p>
        It was retired, or the link is incomplete or belongs to another tenant. <Link to="/fleet">Open the fleet</Link>
      </p>
    </EmptyState>
  );
}

type View = Parameters<typeof LayerChain>[0]['view'];

function Actions({ view }: { view: View }) {
  const mayWrite = useMay('agent.write');
  return <DeviceActions row={view.endpoint} mayWrite={mayWrite} />;
}

function ChartsOf({ id, span, view, crosshair }: { id: string; span: TimeSpan; view: View; crosshair: Crosshair }) {
  const policy = useQuery({
    queryKey: ['fleet.policy.get'],
    queryFn: ({ signal }) => ask('fleet.policy.get', {}, signal),
    staleTime: 60_000,
  }).data?.policy;
  const series = useQuery({
    queryKey: ['endpoint.series', id, span.from, span.to],
    queryFn: ({ signal }) =>
      ask(
        'endpoint.series',
        { id, from: iso(span.from), to: iso(span.to), metrics: Object.values(CHART_METRICS), points: POINTS },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
  if (series.isError && !series.data) return <Failure error={series.error} retry={() => series.refetch()} />;
  if (!series.data) {
    return (
      <div className="two">
        <section className="card ghostchart" />
        <section className="card ghostchart" />
      </div>
    );
  }
  return (
    <Charts
      series={series.data}
      view={view}
      span={span}
      wifiIntervalMs={(policy?.wifiIntervalSeconds ?? 60) * 1000}
      wifiLimitDbm={policy?.thresholds.wifiRssiDbm ?? -75}
      crosshair={crosshair}
    />
  );
}

function DeviceGhost() {
  return (
    <div className="device" aria-busy="true">
      <div className="crumb" />
      <div className="dh">
        <div className="grow">
          <Ghost width={420} />
          <h1>
            <Ghost width={620} says="Device, loading" />
          </h1>
        </div>
      </div>
      <section className="card ghostchart" />
    </div>
  );
}
