import { blamedBefore } from '@svc/contracts/judged/read-verdict';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { CAUSES, LAYERS, type Layer } from '@svc/contracts/verdict';
import { createFormats } from '../i18n/formats.ts';
import type { EndpointResult } from '../result.ts';

const formats = createFormats('en');
const ms = (value: number | undefined): string => (value === undefined ? 'no answer' : formats.ms(value));
const WHY: Readonly<Record<string, string>> = {
  not_supported: 'this system does not report it',
  permission: 'needs permission',
  withheld: 'withheld (privacy)',
  no_target: 'no target chosen',
  wired: 'on a cable',
  tunnel: 'inside a VPN',
  not_connected: 'not connected',
  no_reading: 'no reading yet',
  asleep: 'no reading',
  not_built: 'not built for this system yet',
  measuring: 'not measured yet',
};
const whyOf = (code = 'not_supported'): string => WHY[code] ?? code;
const row = (name: string, words: string): string => `${name.padEnd(10)}${words}`;

function whyNot(result: EndpointResult): string {
  const codes = Object.entries(result.attributes).filter(([key]) => key.startsWith('unavailable.'));
  const code = codes[0]?.[1] ?? 'not_supported';
  return `not measured: ${whyOf(code)}`;
}

function lossWords(result: EndpointResult): string {
  const ratio = result.metrics['packet.loss.ratio'];
  return ratio === undefined ? '' : `, ${formats.percent(ratio)} lost`;
}

function wifiRow(result: EndpointResult): string {
  if (!result.present) return row('Wi-Fi', whyNot(result));
  const { metrics, attributes } = result;
  const rssi = metrics['rssi.dbm'];
  const signal = rssi === undefined ? formats.withUnit(metrics['signal.percent'] ?? 0, '%') : formats.withUnit(rssi, 'dBm');
  const parts = [
    signal,
    attributes[ATTRIBUTES.band],
    metrics.channel === undefined ? undefined : `channel ${metrics.channel}`,
    metrics['link.rate.mbps'] === undefined ? undefined : formats.withUnit(metrics['link.rate.mbps'], 'Mbit/s', 1),
    attributes[ATTRIBUTES.ssid],
  ];
  return row('Wi-Fi', parts.filter((part) => part !== undefined).join(', '));
}

function pathRow(result: EndpointResult): string {
  if (!result.present) return row('Path', `${result.server_address}: ${whyNot(result)}`);
  const edge = result.metrics['segment.isp-edge.rtt.avg.ms'];
  const words = edge === undefined ? 'no public hop answered' : `ISP ${ms(edge)}`;
  const arrived = result.success ? 'arrived' : 'did not arrive';
  return row('Path', `${result.server_address}: ${result.metrics.hops} hops, ${words}, ${arrived}`);
}

function sessionRow(result: EndpointResult): string {
  const { metrics, attributes } = result;
  if (!result.success)
    return row('Service', `${result.server_address}: failed, ${result.error ?? attributes[ATTRIBUTES.errorPhase]}`);
  const phases = ['dns', 'connect', 'tls', 'ttfb'].flatMap((phase) => {
    const value = metrics[`${phase}.ms`];
    return value === undefined ? [] : [`${phase} ${ms(value)}`];
  });
  const own = attributes[ATTRIBUTES.sessionRole] === 'control_plane' ? ' (control plane, not judged)' : '';
  return row('Service', `${result.server_address}${own}: ${ms(metrics['total.ms'])} (${phases.join(', ')})`);
}

function rowOf(result: EndpointResult): string | undefined {
  switch (result.canary_type) {
    case 'endpoint.wifi':
      return wifiRow(result);
    case 'endpoint.gateway':
      return row('Gateway', result.present ? `${ms(result.metrics['rtt.avg.ms'])}${lossWords(result)}` : whyNot(result));
    case 'endpoint.lastmile':
      return pathRow(result);
    case 'endpoint.session':
      return sessionRow(result);
    case 'endpoint.resolver':
      return row('DNS', result.present ? `${ms(result.metrics['rtt.avg.ms'])}${lossWords(result)}` : whyNot(result));
    default:
      return undefined;
  }
}

const ORDER = ['endpoint.wifi', 'endpoint.gateway', 'endpoint.lastmile', 'endpoint.session', 'endpoint.resolver'];
const NAMES = { wifi: 'Wi-Fi', local: 'local network', isp: 'ISP', network: 'beyond the ISP' } as const;

/** What has no result of its own where nobody chose a target, with how to choose one. */
const UNCHOSEN: Readonly<Record<string, string>> = {
  'endpoint.lastmile': row('Path', 'not measured: no target chosen (SVC_ENDPOINT_TRACE_TARGETS)'),
  'endpoint.session': row('Service', 'not measured: no target chosen (SVC_ENDPOINT_SESSION_TARGETS)'),
};

/** One measurement for a person: the sentence first, its evidence under it. */
export function reportText(results: readonly EndpointResult[]): string {
  const verdict = results.findLast((result) => result.canary_type === 'endpoint.attribution');
  const lines = [verdict?.attributes[ATTRIBUTES.summary] ?? 'Nothing could be measured here: run "svc-agent diagnose".', ''];
  for (const type of ORDER) {
    const rows = results.filter((result) => result.canary_type === type).map(rowOf);
    lines.push(...rows.filter((text) => text !== undefined));
    const unchosen = UNCHOSEN[type];
    if (unchosen !== undefined && rows.length === 0) lines.push(unchosen);
  }
  if (verdict?.present) {
    const cause = CAUSES.find((one) => one === verdict.attributes[ATTRIBUTES.cause]) ?? 'none';
    const scoreOf = (layer: Layer): number | string =>
      blamedBefore(cause, layer) === null
        ? (verdict.metrics[`score.${layer}`] ?? whyOf(verdict.attributes[`unavailable.score.${layer}`]))
        : 'not judged';
    const scores = LAYERS.map((layer) => `${NAMES[layer]} ${scoreOf(layer)}`);
    lines.push('', row('Scores', `${scores.join(', ')} (0 to 100, high is good)`));
    lines.push(row('Certainty', formats.withUnit((verdict.metrics.confidence ?? 0) * 100, '%')));
  }
  lines.push('', 'Nothing was sent.');
  return lines.join('\n');
}
