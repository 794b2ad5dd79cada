import type { DeviceView, EndpointRow } from '@svc/contracts/endpoint/view';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { ask } from '../../../api.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import type { Crosshair } from '../../../ui/charts/crosshair.ts';
import { LineChart } from '../../../ui/charts/line-chart.tsx';
import { CopyButton } from '../../../ui/controls/controls.tsx';
import { permissionMessage, permissionName } from '../../../ui/devices/permission-words.ts';
import { formatBytes, formatClock, formatMs, joinWords, withUnit } from '../../../ui/words/format.ts';

const CPU = 'svc_endpoint_agent_cpu_ratio';
const MEMORY = 'svc_endpoint_agent_memory_rss_bytes';
const POINTS = 200;
/** Agents tell their cost with their sessions, at the latest each hour. */
const RAW_STEP_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NONE: ReadonlySet<string> = new Set();

const FACE_WORDS = {
  window: 'Window and tray: the person there sees what is measured',
  headless: 'None (headless): it prints what it collects where it was started',
} as const;
const TOLD_WORDS = {
  not_shown: 'Not yet: nothing is measured before it was shown',
  shown: 'Shown',
  accepted: 'Shown and accepted',
  declined: 'Declined: nothing is measured',
} as const;

function versionWords(row: EndpointRow): string {
  if (!row.agent_version) return 'not reported yet';
  const ring = `${row.agent_version}, ${row.ring} ring`;
  if (row.state === 'update_required') return `${ring}: update required, it cannot talk to this server`;
  return row.outdated ? `${ring}, newer ones are in use` : ring;
}

function stateWords(row: EndpointRow): string {
  if (row.verdict === 'no_contact') return 'No contact';
  if (row.state === 'paused') return row.paused_until ? `Paused until ${formatClock(row.paused_until)}` : 'Paused';
  if (row.state === 'declined') return 'Declined';
  if (row.state === 'update_required') return 'Update required';
  if (row.state === 'needs_permission') return 'Measures what it may: a permission is missing';
  return 'Measures';
}

function costWords(cost: DeviceView['cost']): string {
  const parts = [
    cost.cpu_ratio === null ? '' : `${formatMs(cost.cpu_ratio * MINUTE_MS)} of processor time per minute`,
    cost.rss_bytes === null ? '' : `${formatBytes(cost.rss_bytes)} of memory`,
    cost.sent_bytes_day === null ? '' : `${formatBytes(cost.sent_bytes_day)} sent per day`,
  ].filter((part) => part !== '');
  return parts.length > 0 ? joinWords(parts) : 'not reported yet';
}

/** What runs on the device, what the person there was shown, and what it takes from the device, over the page's time. */
export function AgentCard({ view, span, crosshair }: { view: DeviceView; span: TimeSpan; crosshair: Crosshair }) {
  const row = view.endpoint;
  return (
    <section className="card agent" aria-labelledby="agent-h">
      <header>
        <h2 id="agent-h">The agent and the person there</h2>
      </header>
      <div className="agentgrid">
        <dl className="facts">
          <Fact name="Now">{stateWords(row)}</Fact>
          <Fact name="Face">{row.face ? FACE_WORDS[row.face] : 'not reported by its version'}</Fact>
          <Fact name="Disclosure">
            {row.disclosure ? TOLD_WORDS[row.disclosure] : 'not reported by its version'}.{' '}
            <Link to="/settings" search={{ tab: 'people-see' }}>
              What it says is sent, and by whose decision
            </Link>
          </Fact>
          <Fact name="Version">{versionWords(row)}</Fact>
          <Fact name="Cost">{costWords(view.cost)}</Fact>
        </dl>
        <CostCharts id={row.id} span={span} crosshair={crosshair} />
      </div>
      {row.missing_permissions.length > 0 ? <MissingPermission row={row} /> : null}
    </section>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The words to send: only the person there can give the permission. */
function MissingPermission({ row }: { row: EndpointRow }) {
  const message = permissionMessage(row.missing_permissions, { name: row.name, os: row.os });
  return (
    <div className="askperson">
      <p>
        <b className="med">Permission missing: {joinWords(row.missing_permissions.map(permissionName))}.</b> Only the person
        there, or MDM, can give it. Send{row.owner ? ` ${row.owner}` : ''} these words:
      </p>
      <blockquote>{message}</blockquote>
      <CopyButton text={message} label="Copy the words" />
    </div>
  );
}

const megabytes = (value: number): string => withUnit(value, 'MB', 1);
/** A tenth of a percent of one core is what the agent promises not to exceed. */
const CPU_RANGE = [0, 60] as const;
const MEMORY_RANGE = [0, 100] as const;
const unmeasured = (): string => 'not measured';

function CostCharts({ id, span, crosshair }: { id: string; span: TimeSpan; crosshair: Crosshair }) {
  const from = new Date(span.from).toISOString();
  const to = new Date(span.to).toISOString();
  const series = useQuery({
    queryKey: ['endpoint.series', 'cost', id, from, to],
    queryFn: ({ signal }) => ask('endpoint.series', { id, from, to, metrics: [CPU, MEMORY], points: POINTS }, signal),
    placeholderData: keepPreviousData,
  }).data;
  const [cpu, memory] = useMemo(() => {
    const scaled = (metric: string, by: number) => {
      const found = series?.series.find((one) => one.metric === metric && one.ts.length > 0);
      const times = (values: readonly number[]): number[] => values.map((value) => value * by);
      return found && { ts: found.ts, avg: times(found.avg), min: times(found.min), max: times(found.max) };
    };
    return [scaled(CPU, MINUTE_MS), scaled(MEMORY, 1e-6)];
  }, [series]);
  const shared = { from: span.from, to: span.to, stepMs: series?.step_ms ?? RAW_STEP_MS, rawStepMs: RAW_STEP_MS, crosshair };
  const look = { threshold: undefined, gapWord: unmeasured, hidden: NONE, height: 112 };
  if (!cpu && !memory) return <p className="s mute nocost">No cost was reported in this time.</p>;
  return (
    <div className="costs">
      {cpu ? (
        <figure>
          <figcaption className="s mute">Processor, ms per minute</figcaption>
          <LineChart
            title="Processor time in milliseconds per minute"
            lines={[{ label: 'Processor', data: cpu, format: formatMs, look: 'solid' }]}
            range={CPU_RANGE}
            {...shared}
            {...look}
          />
        </figure>
      ) : null}
      {memory ? (
        <figure>
          <figcaption className="s mute">Memory, MB</figcaption>
          <LineChart
            title="Resident memory in megabytes"
            lines={[{ label: 'Memory', data: memory, format: megabytes, look: 'solid' }]}
            range={MEMORY_RANGE}
            {...shared}
            {...look}
          />
        </figure>
      ) : null}
    </div>
  );
}
