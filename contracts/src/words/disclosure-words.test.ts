import { describe, expect, it } from 'vitest';
import { CollectItem } from '../agent/ipc.ts';
import { CollectSchema, Policy } from '../policy.ts';
import { type ATTRIBUTES, METRIC_KEYS } from '../results/endpoint-results.ts';
import { HOURLY_KEPT_MONTHS, RESULTS_KEPT_DAYS } from '../retention.ts';
import { createDisclosureWords, itemName, itemState, itemWhat, itemWhy, readersWords } from './disclosure-words.ts';
import { LANGUAGES } from './languages.ts';
import { itemsOfPolicy } from './policy-items.ts';

type Item = CollectItem['item'];

/** Under which item each figure is told, and the word that stands for it there. A new key is named to people before it is sent. */
const FIGURES: Readonly<Record<string, readonly [Item, string]>> = {
  'endpoint.wifi rssi.dbm': ['wifi', 'Signal'],
  'endpoint.wifi signal.percent': ['wifi', 'Signal'],
  'endpoint.wifi noise.dbm': ['wifi', 'noise'],
  'endpoint.wifi snr.db': ['wifi', 'noise'],
  'endpoint.wifi link.rate.mbps': ['wifi', 'link rate'],
  'endpoint.wifi channel': ['wifi', 'channel'],
  'endpoint.wifi frequency.mhz': ['wifi', 'channel'],
  'endpoint.wifi retry.ratio': ['wifi', 'sent again'],
  'endpoint.wifi failed.ratio': ['wifi', 'given up'],
  'endpoint.wifi beacons.lost': ['wifi', 'beacons missed'],
  'endpoint.wifi channel.busy.ratio': ['wifi', 'how busy the channel is'],
  'endpoint.wifi channel.transmit.ratio': ['wifi', 'how busy the channel is'],
  'endpoint.wifi rsrp.dbm': ['wifi', 'mobile line'],
  'endpoint.wifi rsrq.db': ['wifi', 'mobile line'],
  'endpoint.wifi sinr.db': ['wifi', 'mobile line'],
  'endpoint.gateway rtt.avg.ms': ['gateway', 'Round trips'],
  'endpoint.gateway rtt.min.ms': ['gateway', 'Round trips'],
  'endpoint.gateway rtt.max.ms': ['gateway', 'Round trips'],
  'endpoint.gateway packet.loss.ratio': ['gateway', 'lost'],
  'endpoint.gateway packets.sent': ['gateway', 'packets sent'],
  'endpoint.gateway packets.lost': ['gateway', 'lost'],
  'endpoint.lastmile hop.<n>.rtt.avg.ms': ['path', 'round trip and loss at each'],
  'endpoint.lastmile hop.<n>.packet.loss.ratio': ['path', 'round trip and loss at each'],
  'endpoint.lastmile segment.<segment>.rtt.avg.ms': ['path', 'whose stretch'],
  'endpoint.lastmile segment.<segment>.packet.loss.ratio': ['path', 'whose stretch'],
  'endpoint.lastmile hops': ['path', 'Number of hops'],
  'endpoint.lastmile packets.sent': ['path', 'packets sent'],
  'endpoint.session dns.ms': ['session', 'DNS'],
  'endpoint.session connect.ms': ['session', 'connection'],
  'endpoint.session tls.ms': ['session', 'TLS'],
  'endpoint.session ttfb.ms': ['session', 'first byte'],
  'endpoint.session total.ms': ['session', 'total time'],
  'endpoint.session redirects': ['session', 'redirects'],
  'endpoint.session bytes': ['session', 'bytes'],
  'endpoint.attribution confidence': ['context', 'confidence'],
  'endpoint.attribution score.<layer>': ['context', 'scores'],
  'endpoint.resolver rtt.avg.ms': ['resolver', 'Round trip'],
  'endpoint.resolver packet.loss.ratio': ['resolver', 'loss'],
  'endpoint.agent cpu.ratio': ['agent', 'Processor'],
  'endpoint.agent memory.rss.bytes': ['agent', 'memory'],
  'endpoint.agent sent.bytes': ['agent', 'bytes sent'],
  'endpoint.agent spool.results': ['agent', 'waiting'],
  'endpoint.agent spool.dropped': ['agent', 'dropped'],
};

/** The same of each attribute; `none`: of simulated devices alone, or the agent's own mark on a verdict. */
const ATTRIBUTE_WORDS: Readonly<Record<keyof typeof ATTRIBUTES, readonly [Item, string] | 'none'>> = {
  ssid: ['ssid', 'name'],
  band: ['wifi', 'band'],
  interface: ['hostFacts', 'adapter'],
  connectionType: ['context', 'kind of connection'],
  gatewayAddress: ['gatewayIp', 'gateway'],
  gatewayMethod: ['gateway', 'how it was found'],
  gatewayReachable: ['gateway', 'answers'],
  resolverAddress: ['gatewayIp', 'DNS servers'],
  urlFull: ['session', 'Address of the service'],
  statusCode: ['session', 'status'],
  family: ['session', 'IPv4 or IPv6'],
  sessionRole: ['session', 'Address of the service'],
  errorPhase: ['session', 'where it failed'],
  traceProtocol: ['path', 'protocol'],
  traceReached: ['path', 'reached'],
  cause: ['context', 'cause'],
  fault: ['context', 'fault'],
  summary: ['context', 'sentence'],
  since: ['context', 'beginning'],
  judged: ['context', 'figures'],
  tunnel: ['context', 'tunnel'],
  roaming: ['context', 'roamed'],
  simulated: 'none',
  onBattery: ['context', 'battery'],
  metered: ['context', 'metered'],
  vpn: ['context', 'VPN'],
  captivePortal: ['context', 'sign-in page'],
  resumed: ['context', 'just awake'],
};

const allowed = CollectSchema.parse({});
const items = (policy: Partial<Policy>) => itemsOfPolicy(Policy.parse(policy), 'https://plane.example', allowed);

describe('what a policy collects, item by item', () => {
  it('has the shape that the devices’ own page has, each item once', () => {
    const all = items({ version: 2, traceTargets: ['192.0.2.1'] });
    for (const item of all) expect(CollectItem.safeParse({ ...item, last: null }).success, item.item).toBe(true);
    expect(new Set(all.map(({ item }) => item)).size).toBe(all.length);
    expect(all.find(({ item }) => item === 'path')).toMatchObject({ on: true, decidedBy: 'policy', everySeconds: 300 });
  });

  it('switches off what the policy forbids, and what no device sends by itself', () => {
    const collect = { ...allowed, ssid: false, publicHops: true };
    const of = Object.fromEntries(items({ version: 2, collect }).map((item) => [item.item, item]));
    expect(of.ssid).toMatchObject({ on: false, decidedBy: 'policy', yours: false });
    expect(of.publicHops).toMatchObject({ on: false, decidedBy: 'default' });
    expect(of.deviceName).toMatchObject({ on: true, decidedBy: 'policy', yours: true });
    expect(of.path).toMatchObject({ on: false });
  });
});

describe('what people are told before it is sent', () => {
  const words = createDisclosureWords('en');
  const named = ([item, word]: readonly [Item, string]): boolean => itemWhat(words, { item }).includes(word);

  it('names each figure of the contract’s table', () => {
    expect(METRIC_KEYS.map(({ type, key }) => `${type} ${key}`).filter((key) => !FIGURES[key])).toEqual([]);
    expect(Object.entries(FIGURES).filter(([, where]) => !named(where))).toEqual([]);
    expect(Object.keys(FIGURES)).toHaveLength(METRIC_KEYS.length);
  });

  it('names each attribute that leaves', () => {
    expect(Object.entries(ATTRIBUTE_WORDS).filter(([, where]) => where !== 'none' && !named(where))).toEqual([]);
  });

  it('names as many things in each language', () => {
    const parts = (text: string): number => text.split(/[,;]/).length;
    for (const language of LANGUAGES) {
      const other = createDisclosureWords(language);
      for (const item of ['wifi', 'agent', 'session', 'gateway'] as const)
        expect(parts(itemWhat(other, { item })), `${language} ${item}`).toBe(parts(itemWhat(words, { item })));
    }
  });
});

describe.each(LANGUAGES)('the words of the disclosure in %s', (language) => {
  const words = createDisclosureWords(language);

  it('name every item, its reason and who decided', () => {
    for (const item of items({ version: 1 })) {
      for (const text of [itemName(words, item), itemWhat(words, item), itemWhy(words, item), itemState(words, item)])
        expect(text).toMatch(/^\p{Lu}/u);
    }
  });

  it('count the readers, and tell the truth about how long it is kept', () => {
    expect(readersWords(words, { organisation: 'Example GmbH', readers: 3 })).toContain('3');
    expect(readersWords(words, { organisation: null, readers: null })).not.toContain('null');
    const kept = words.t('welcome.keptText', { n: RESULTS_KEPT_DAYS });
    expect(kept).toContain(String(RESULTS_KEPT_DAYS));
    expect(kept).toContain(String(HOURLY_KEPT_MONTHS));
  });
});
