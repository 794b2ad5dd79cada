import type { DeviceSeries, DeviceView } from '@svc/contracts/endpoint/view';
import { useMemo, useState } from 'react';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import type { Gap, RawSeries } from '../../../ui/charts/chart-data.ts';
import { LANE_TOP } from '../../../ui/charts/chart-options.ts';
import type { Crosshair } from '../../../ui/charts/crosshair.ts';
import { type ChartLine, LineChart } from '../../../ui/charts/line-chart.tsx';
import { EmptyState } from '../../../ui/placeholders/empty-state.tsx';
import { formatMs, formatPercent, withUnit } from '../../../ui/words/format.ts';
import { ruleOf, timeByVerdict } from './verdict-bins.ts';

type Series = DeviceSeries['series'][number];

export const CHART_METRICS = {
  rssi: 'svc_endpoint_wifi_rssi_dbm',
  percent: 'svc_endpoint_wifi_signal_percent',
  rate: 'svc_endpoint_wifi_link_rate_mbps',
  channel: 'svc_endpoint_wifi_channel',
  gatewayRtt: 'svc_endpoint_gateway_rtt_avg_ms',
  gatewayLoss: 'svc_endpoint_gateway_packet_loss_ratio',
  segmentRtt: 'svc_endpoint_lastmile_segment_rtt_avg_ms',
} as const;

interface ChartsProps {
  series: DeviceSeries;
  view: DeviceView;
  span: TimeSpan;
  wifiIntervalMs: number;
  wifiLimitDbm: number;
  crosshair: Crosshair;
}

const find = (series: DeviceSeries, metric: string, labels: Record<string, string> = {}): Series | undefined =>
  series.series.find(
    (item) =>
      item.metric === metric && Object.entries(labels).every(([key, value]) => item.labels[key] === value) && item.ts.length > 0,
  );

/** Several targets share a band: of those the slowest at each time is drawn, as the verdict takes the worst. */
export function mergeWorst(all: readonly Series[]): RawSeries | undefined {
  if (all.length < 2) return all[0];
  const worst = new Map<number, { avg: number; min: number; max: number }>();
  for (const item of all) {
    item.ts.forEach((at, index) => {
      const avg = item.avg[index] ?? 0;
      const before = worst.get(at);
      if (!before || avg > before.avg) worst.set(at, { avg, min: item.min[index] ?? avg, max: item.max[index] ?? avg });
    });
  }
  const ts = [...worst.keys()].sort((a, b) => a - b);
  const pick = (key: 'avg' | 'min' | 'max'): number[] => ts.map((at) => worst.get(at)?.[key] ?? 0);
  return { ts, avg: pick('avg'), min: pick('min'), max: pick('max') };
}

const dbm = (value: number): string => withUnit(value, 'dBm');
const percent = (value: number): string => withUnit(value, '%');
const mbit = (value: number): string => withUnit(value, 'Mbit/s');

function useToggles(): [ReadonlySet<string>, (label: string) => void] {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const toggle = (label: string): void => {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    setHidden(next);
  };
  return [hidden, toggle];
}

interface KeysProps {
  lines: readonly ChartLine[];
  hidden: ReadonlySet<string>;
  onToggle: (label: string) => void;
}

const DASHES = { solid: undefined, dashed: '3 2', dotted: '1 2' } as const;

/** Legend names double as switches. */
function Keys({ lines, hidden, onToggle }: KeysProps) {
  return lines.map((line, index) => (
    <button
      key={line.label}
      type="button"
      className="key"
      aria-pressed={!hidden.has(line.label)}
      onClick={() => onToggle(line.label)}
    >
      <svg width="16" height="10" aria-hidden="true">
        {line.lane ? (
          <path d="M8 1v8" stroke="var(--s-1)" strokeWidth="1.5" />
        ) : (
          <path d="M0 5h16" stroke={`var(--s-${index + 1})`} strokeWidth="1.5" strokeDasharray={DASHES[line.look]} />
        )}
      </svg>
      {line.lane ? `${line.label}, to ${formatPercent(LANE_TOP)}` : line.label}
    </button>
  ));
}

/** The word in a gap: what the verdicts of that time say. */
const useGapWord = (verdicts: DeviceView['verdicts']): ((gap: Gap) => string) =>
  useMemo(
    () => (gap: Gap) => (ruleOf(timeByVerdict(verdicts, gap), gap.to - gap.from) === 'paused' ? 'paused' : 'not measured'),
    [verdicts],
  );

/** Wi-Fi signal and round trips over the brushed time, one cross-hair over both. */
export function Charts(props: ChartsProps) {
  return (
    <div className="two">
      <WifiChart {...props} />
      <RttChart {...props} />
    </div>
  );
}

const dbmLimit = (value: number): string => `blamed at ${dbm(value)} and below`;

/**
 * From where on the signal is blamed: the policy's limit, or the one that the last verdict went by, which is nearer where the gateway
 * suffers.
 */
export function signalLimit(judged: DeviceView['endpoint']['judged'], policyDbm: number): { value: number; words: string } {
  const applied = judged?.find(({ measure }) => measure === 'wifi_rssi_dbm')?.limit ?? policyDbm;
  if (applied <= policyDbm) return { value: policyDbm, words: dbmLimit(policyDbm) };
  return { value: applied, words: `${dbmLimit(applied)} while the gateway suffers` };
}

function WifiChart({ series, view, span, wifiIntervalMs, wifiLimitDbm, crosshair }: ChartsProps) {
  const gapWord = useGapWord(view.verdicts);
  const [hidden] = useState<ReadonlySet<string>>(new Set());
  const rssi = find(series, CHART_METRICS.rssi);
  const signal = rssi ?? find(series, CHART_METRICS.percent);
  const lines = useMemo<ChartLine[]>(() => {
    if (!signal) return [];
    return [{ label: 'Signal', data: signal, format: rssi ? dbm : percent, look: 'solid' }];
  }, [signal, rssi]);
  const { value, words } = signalLimit(view.endpoint.judged, wifiLimitDbm);
  const threshold = useMemo(
    () => (rssi ? { value, blamed: 'below' as const, cause: 'wifi', words } : undefined),
    [rssi, value, words],
  );
  const facts = [
    { series: find(series, CHART_METRICS.channel), word: (value: number) => `channel ${Math.round(value)}` },
    { series: find(series, CHART_METRICS.rate), word: mbit },
  ].flatMap(({ series: found, word }) => {
    const last = found?.avg.at(-1);
    return last === undefined ? [] : [word(last)];
  });
  return (
    <section className="card" aria-labelledby="wifi-h">
      <header>
        <h2 id="wifi-h">Wi-Fi signal</h2>
        <span className="s mute">{signal ? (rssi ? 'dBm' : '%') : ''}</span>
        <span className="grow" />
        <span className="s mute">{facts.join(', ')}</span>
      </header>
      {signal ? (
        <div className="ch">
          <LineChart
            title={`Wi-Fi signal in ${rssi ? 'dBm' : 'percent'}`}
            lines={lines}
            from={span.from}
            to={span.to}
            stepMs={series.step_ms}
            rawStepMs={wifiIntervalMs}
            range={rssi ? RSSI_RANGE : PERCENT_RANGE}
            threshold={threshold}
            gapWord={gapWord}
            crosshair={crosshair}
            hidden={hidden}
          />
        </div>
      ) : (
        <NoWifi view={view} />
      )}
    </section>
  );
}

const RSSI_RANGE = [-85, -55] as const;
const PERCENT_RANGE = [0, 100] as const;
const RTT_RANGE = [0, 40] as const;

function NoWifi({ view }: { view: DeviceView }) {
  const wired = view.endpoint.connection === 'wired' || view.endpoint.wifi_rssi_dbm.unavailable === 'wired';
  if (view.endpoint.wifi_rssi_dbm.unavailable === 'permission') {
    return (
      <EmptyState icon="lock" title="Needs permission">
        <p>Its system does not let the agent read the Wi-Fi. The words to send the person there stand at the end of this page.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={wired ? 'local' : 'noContact'} title={wired ? 'On a cable' : 'Not measured in this time'}>
      <p>
        {wired
          ? 'This device had no Wi-Fi to measure in this time.'
          : 'No Wi-Fi reading arrived. “Not shown, and why” below shows the reason, where the agent gave one.'}
      </p>
    </EmptyState>
  );
}

function RttChart({ series, view, span, wifiIntervalMs, crosshair }: ChartsProps) {
  const gapWord = useGapWord(view.verdicts);
  const [hidden, toggle] = useToggles();
  const lines = useMemo<ChartLine[]>(() => {
    const gateway = find(series, CHART_METRICS.gatewayRtt);
    const bands = series.series.filter((item) => item.metric === CHART_METRICS.segmentRtt && item.ts.length > 0);
    const isp = mergeWorst(bands.filter((item) => item.labels.segment === 'isp-edge'));
    const beyond = mergeWorst(bands.filter((item) => item.labels.segment === 'beyond'));
    const loss = find(series, CHART_METRICS.gatewayLoss);
    return [
      gateway ? { label: 'Gateway', data: gateway, format: formatMs, look: 'solid' as const } : undefined,
      isp ? { label: 'ISP edge', data: isp, format: formatMs, look: 'dashed' as const } : undefined,
      beyond ? { label: 'Beyond', data: beyond, format: formatMs, look: 'dotted' as const } : undefined,
      loss ? { label: 'Loss', data: loss, format: formatPercent, look: 'solid' as const, lane: true } : undefined,
    ].filter((line) => line !== undefined);
  }, [series]);
  return (
    <section className="card" aria-labelledby="rtt-h">
      <header>
        <h2 id="rtt-h">Round trip</h2>
        <span className="s mute">{lines.length > 0 ? 'ms' : ''}</span>
        <span className="grow" />
        <Keys lines={lines} hidden={hidden} onToggle={toggle} />
      </header>
      {lines.length > 0 ? (
        <div className="ch">
          <LineChart
            title="Round trip in milliseconds and loss"
            lines={lines}
            from={span.from}
            to={span.to}
            stepMs={series.step_ms}
            rawStepMs={wifiIntervalMs}
            range={RTT_RANGE}
            threshold={undefined}
            gapWord={gapWord}
            crosshair={crosshair}
            hidden={hidden}
          />
        </div>
      ) : (
        <EmptyState icon="noContact" title="Not measured in this time">
          <p>No round trip arrived. Widen the time, or ask the device to measure now.</p>
        </EmptyState>
      )}
    </section>
  );
}
