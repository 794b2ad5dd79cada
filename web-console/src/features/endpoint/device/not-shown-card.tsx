import type { DeviceView } from '@svc/contracts/endpoint/view';
import { Icon, type IconName } from '../../../ui/controls/icons.tsx';
import { absenceClause } from '../../../ui/devices/verdict-words.ts';

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

const LAYERS: Readonly<Record<string, string>> = { wifi: 'Wi-Fi', local: 'Gateway', isp: 'ISP edge', network: 'Beyond ISP' };
const AREAS: Readonly<Record<string, string>> = {
  wifi: 'Wi-Fi',
  gateway: 'Gateway',
  lastmile: 'Path',
  session: 'Sessions',
  resolver: 'DNS resolver',
  agent: 'Agent',
  attribution: 'Verdict',
};

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A field's name for people: `endpoint.wifi noise.dbm` is noise; hops and layers are named by what they are. */
export function fieldTitle(field: string): string {
  const area = /^endpoint\.(\w+)[ .:/]?/.exec(field);
  const key = area ? field.slice(area[0].length) : field;
  if (FIELDS[key]) return area?.[1] === 'gateway' || area?.[1] === 'resolver' ? gatewayTitle(area[1], FIELDS[key]) : FIELDS[key];
  if (/^hop\.\d+\.address$/.test(key)) return 'Public hop addresses';
  const layer = LAYERS[/^(?:score\.|layer\.)?(\w+)$/.exec(key)?.[1] ?? ''];
  if (layer) return layer;
  const words = key.replaceAll('_', ' ').replaceAll('.', ' ').trim();
  return capital(words === '' ? (AREAS[area?.[1] ?? ''] ?? field) : words);
}

const gatewayTitle = (area: string, title: string): string =>
  title.startsWith(AREAS[area] ?? '') ? title : `${AREAS[area]}: ${title.toLowerCase()}`;

/** Reasons that make a whole area silent: one line for it says more than one for each of its fields. */
const WHOLE: Readonly<Record<string, (field: string) => string | undefined>> = {
  wired: (field) => (/wifi/.test(field) ? 'Wi-Fi' : undefined),
  no_target: (field) =>
    /lastmile|isp|network$|hop|segment/.test(field) ? 'Path beyond the gateway' : /session/.test(field) ? 'Sessions' : undefined,
};

const ICONS: Readonly<Record<string, IconName>> = {
  withheld: 'eyeOff',
  permission: 'lock',
  not_connected: 'wifi',
  no_reading: 'clock',
  asleep: 'clock',
};

/** One line a field and reason; the hops' addresses are one matter, not one a hop. */
export function groupNotShown(items: DeviceView['not_shown']): { title: string; code: string }[] {
  const seen = new Map<string, { title: string; code: string }>();
  // Where not even the signal may be read, all of the Wi-Fi is closed; where only the name may not, only the name is.
  const isClosed = items.some(({ field, code }) => code === 'permission' && field.endsWith('wifi.rssi.dbm'));
  for (const item of items) {
    const closed = isClosed && item.code === 'permission' && /wifi/.test(item.field) ? 'Wi-Fi' : undefined;
    const title = closed ?? WHOLE[item.code]?.(item.field) ?? fieldTitle(item.field);
    seen.set(`${title} ${item.code}`, { title, code: item.code });
  }
  return [...seen.values()];
}

/** What the page leaves out, each with its reason; the access point's address has no switch, it is never collected. */
export function NotShownCard({ view }: { view: DeviceView }) {
  const masked = view.paths.some((path) => path.hops.some((hop) => hop.unavailable === 'withheld'));
  const items = masked ? [...view.not_shown, { field: 'hop.1.address', code: 'withheld' }] : view.not_shown;
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
    </section>
  );
}
