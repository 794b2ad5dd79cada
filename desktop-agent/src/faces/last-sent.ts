import type { CollectItem } from '@svc/contracts/agent/ipc';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import type { LedgerBlock } from '../publish/ledger.ts';
import type { EndpointResult } from '../result.ts';

export type LastSent = Partial<Record<CollectItem['item'], { text: string; atMs: number }>>;

const MAX_TEXT = 200;
const MIB = 1024 * 1024;
const unit = (value: number | undefined, name: string, digits = 1): string | undefined =>
  value === undefined ? undefined : `${Number(value.toFixed(digits))} ${name}`;

const percent = (ratio: number | undefined): string | undefined => unit(ratio === undefined ? undefined : ratio * 100, '%');

const addressesOf = ({ attributes }: EndpointResult): string[] =>
  Object.entries(attributes).flatMap(([key, value]) => (/^hop\.\d+\.address$/.test(key) ? [value] : []));

/** What one result says under each item: figures and names as they left, in no language. */
function wordsOf(result: EndpointResult): Partial<Record<CollectItem['item'], (string | undefined)[]>> {
  const { metrics: m, attributes: a } = result;
  switch (result.canary_type) {
    case 'endpoint.wifi':
      return {
        wifi: [unit(m['rssi.dbm'], 'dBm'), unit(m['signal.percent'], '%'), unit(m['link.rate.mbps'], 'Mbit/s')],
        ssid: [a[ATTRIBUTES.ssid]],
        hostFacts: [a[ATTRIBUTES.interface]],
      };
    case 'endpoint.gateway':
      return {
        gateway: [unit(m['rtt.avg.ms'], 'ms'), percent(m['packet.loss.ratio'])],
        gatewayIp: [a[ATTRIBUTES.gatewayAddress]],
      };
    case 'endpoint.lastmile': {
      const hops = Object.entries(m).flatMap(([key, value]) => (/^hop\.\d+\.rtt/.test(key) ? [unit(value, 'ms')] : []));
      return { path: [result.server_address, ...hops], publicHops: addressesOf(result) };
    }
    case 'endpoint.session':
      return { session: [targetOf(result), unit(m['total.ms'], 'ms', 0), result.error] };
    case 'endpoint.resolver':
      return { resolver: [a[ATTRIBUTES.resolverAddress], unit(m['rtt.avg.ms'], 'ms')] };
    case 'endpoint.agent':
      return {
        agent: [percent(m['cpu.ratio']), unit((m['memory.rss.bytes'] ?? 0) / MIB, 'MiB', 0)],
        context: Object.entries(a).flatMap(([key, value]) =>
          key.startsWith('svc.context.') ? [`${key.slice(12)} ${value}`] : [],
        ),
      };
    default:
      return {};
  }
}

/** The last value of each item that left this device, from blocks in the order newest first. */
export function lastSent(blocks: readonly LedgerBlock[]): LastSent {
  const last: LastSent = {};
  for (const block of blocks) {
    for (const { result } of block.results.toReversed()) {
      for (const [item, words] of Object.entries(wordsOf(result)) as [CollectItem['item'], (string | undefined)[]][]) {
        const text = words.filter((word) => word !== undefined && word !== '').join(', ');
        if (text !== '') last[item] ??= { text: text.slice(0, MAX_TEXT), atMs: block.at };
      }
    }
  }
  return last;
}
