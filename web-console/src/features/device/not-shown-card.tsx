import type { DeviceView } from '@svc/contracts/endpoint-view';
import { formatBytes, formatPercent } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { absenceClause } from '../../ui/verdict-words.ts';

const FIELDS: Readonly<Record<string, string>> = {
  'network.wifi.ssid': 'Network name (SSID)',
  'network.wifi.band': 'Wi-Fi band',
  'network.wifi.roams': 'Roaming',
  'network.gateway.address': 'Gateway address',
  'network.interface.name': 'Interface name',
  'dns.server.address': 'DNS resolver address',
  'rssi.dbm': 'Signal strength in dBm',
  'signal.percent': 'Signal strength in percent',
  'noise.dbm': 'Noise',
  'snr.db': 'Signal to noise',
  'link.rate.mbps': 'Link rate',
  channel: 'Channel',
  'frequency.mhz': 'Frequency',
  'rtt.avg.ms': 'Round trip',
  'packet.loss.ratio': 'Loss',
  hops: 'Path',
};

/** A field's name for people; hops and layers are named by what they are. */
export function fieldTitle(field: string): string {
  const known = FIELDS[field];
  if (known) return known;
  if (/^hop\.\d+\.address$/.test(field)) return 'Public hop addresses';
  const layer = /^(?:score\.|layer\.)?(wifi|local|isp|network)$/.exec(field)?.[1];
  if (layer) return { wifi: 'Wi-Fi', local: 'Gateway', isp: 'ISP edge', network: 'Beyond ISP' }[layer] ?? layer;
  const words = field.replaceAll('_', ' ').replaceAll('.', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const ICONS: Readonly<Record<string, IconName>> = { withheld: 'eyeOff', permission: 'lock', asleep: 'clock' };

/** One line a field and reason; the hops' addresses are one matter, not one a hop. */
export function groupNotShown(items: DeviceView['not_shown']): { title: string; code: string }[] {
  const seen = new Map<string, { title: string; code: string }>();
  for (const item of items) {
    const title = fieldTitle(item.field);
    seen.set(`${title} ${item.code}`, { title, code: item.code });
  }
  return [...seen.values()];
}

/** What the page leaves out, each with its reason; the access point's address has no switch, it is never collected. */
export function NotShownCard({ items, cost }: { items: DeviceView['not_shown']; cost: DeviceView['cost'] }) {
  return (
    <section className="card" aria-labelledby="abs-h">
      <header>
        <h2 id="abs-h">Not shown, and why</h2>
      </header>
      <dl className="abs">
        {groupNotShown(items).map((item) => (
          <div key={`${item.title} ${item.code}`}>
            <dt>
              <Icon name={ICONS[item.code] ?? 'ban'} size={14} />
              {item.title}
            </dt>
            <dd>{absenceClause(item.code)}</dd>
          </div>
        ))}
        <div>
          <dt>
            <Icon name="lock" size={14} />
            Access point (BSSID)
          </dt>
          <dd>never collected, on any device</dd>
        </div>
      </dl>
      <CostLine cost={cost} />
    </section>
  );
}

function CostLine({ cost }: { cost: DeviceView['cost'] }) {
  const parts = [
    cost.cpu_ratio === null ? '' : `${formatPercent(cost.cpu_ratio)} of one core`,
    cost.rss_bytes === null ? '' : `${formatBytes(cost.rss_bytes)} of memory`,
    cost.sent_bytes_day === null ? '' : `${formatBytes(cost.sent_bytes_day)} sent a day`,
  ].filter((part) => part !== '');
  return (
    <p className="cost s soft">
      <b>What the agent costs.</b> {parts.length > 0 ? `${parts.join(', ')}.` : 'It has not reported yet.'}
    </p>
  );
}
