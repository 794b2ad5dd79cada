import { ATTRIBUTES, SEGMENTS } from '@svc/contracts/results/endpoint-results';
import type { UnavailableCode } from '@svc/contracts/verdict';
import type { Reading } from '@svc/native/reading';
import type { WifiReading } from '@svc/native/wifi/wifi';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';
import { absentResult, createFields, type EndpointResult, emptyResult, round, type Stamp } from '../result.ts';

const rounded = (reading: Reading<number>): Reading<number> => ('value' in reading ? { value: round(reading.value) } : reading);
const given = (value: number | null): { value: number } | undefined => (value === null ? undefined : { value: round(value) });

export function wifiResult(reading: WifiReading, stamp: Stamp): EndpointResult {
  const result = emptyResult('endpoint.wifi', stamp);
  const fields = createFields(result);
  fields.metric('rssi.dbm', rounded(reading.rssiDbm));
  fields.metric('signal.percent', rounded(reading.signalPercent));
  fields.metric('noise.dbm', rounded(reading.noiseDbm));
  fields.metric('snr.db', rounded(reading.snrDb));
  fields.metric('link.rate.mbps', rounded(reading.linkRateMbps));
  fields.metric('channel', reading.channel);
  fields.metric('frequency.mhz', reading.frequencyMhz);
  const counted = {
    'retry.ratio': reading.retryRatio,
    'failed.ratio': reading.failedRatio,
    'beacons.lost': reading.beaconsLost,
    'channel.busy.ratio': reading.channelBusyRatio,
    'channel.transmit.ratio': reading.channelTransmitRatio,
  };
  // Most readings of most radios have none of these: their absence is not worth a reason each time.
  for (const [key, counter] of Object.entries(counted)) if (counter) fields.metric(key, rounded(counter));
  fields.attribute(ATTRIBUTES.ssid, reading.ssid);
  fields.attribute(ATTRIBUTES.band, 'value' in reading.band ? { value: `${reading.band.value} GHz` } : reading.band);
  fields.attribute(ATTRIBUTES.interface, reading.interfaceName);
  fields.attribute(ATTRIBUTES.connectionType, { value: reading.connection });
  result.present = Object.keys(result.metrics).length > 0;
  return result;
}

export function gatewayResult(reading: Reading<GatewayMeasurement>, stamp: Stamp): EndpointResult {
  if ('unavailable' in reading) {
    const absent = absentResult('endpoint.gateway', stamp, { key: 'rtt.avg.ms', code: reading.unavailable });
    if (reading.unavailable === 'tunnel') absent.attributes[ATTRIBUTES.tunnel] = 'true';
    return absent;
  }
  const gateway = reading.value;
  const result = emptyResult('endpoint.gateway', { ...stamp, durationMs: gateway.durationMs });
  const fields = createFields(result);
  result.success = gateway.reachable;
  fields.metric('rtt.avg.ms', given(gateway.rttAvgMs));
  fields.metric('rtt.min.ms', given(gateway.rttMinMs));
  fields.metric('rtt.max.ms', given(gateway.rttMaxMs));
  fields.metric('packet.loss.ratio', given(gateway.lossRatio));
  fields.metric('packets.sent', given(gateway.sent));
  fields.metric('packets.lost', given(gateway.lost));
  fields.attribute(ATTRIBUTES.gatewayAddress, { value: gateway.address });
  if (gateway.beneathTunnel) fields.attribute(ATTRIBUTES.tunnel, { value: 'true' });
  fields.attribute(ATTRIBUTES.gatewayMethod, { value: gateway.method });
  fields.attribute(ATTRIBUTES.gatewayReachable, { value: String(gateway.reachable) });
  fields.attribute(ATTRIBUTES.interface, { value: gateway.interfaceName });
  fields.attribute(ATTRIBUTES.family, { value: `ipv${gateway.family}` });
  return result;
}

/** The target is what somebody chose and is named also where nothing could be measured. */
export function pathResult(target: string, reading: Reading<PathMeasurement>, stamp: Stamp): EndpointResult {
  if ('unavailable' in reading) {
    const absent = absentResult('endpoint.lastmile', stamp, { key: 'hops', code: reading.unavailable });
    return { ...absent, server_address: target };
  }
  const path = reading.value;
  const result = emptyResult('endpoint.lastmile', { ...stamp, durationMs: path.durationMs });
  const fields = createFields(result);
  result.server_address = target;
  result.success = path.reached;
  if (path.error !== undefined) result.error = path.error;
  fields.metric('hops', { value: path.hops.length });
  fields.metric('packets.sent', given(path.sent));
  for (const hop of path.hops) {
    const at = `hop.${hop.hop}`;
    if (hop.segment !== null) fields.attribute(`${at}.segment`, { value: hop.segment });
    if (hop.address !== null) fields.attribute(`${at}.address`, { value: hop.address });
    fields.metric(`${at}.rtt.avg.ms`, given(hop.rttAvgMs));
    fields.metric(`${at}.packet.loss.ratio`, given(hop.lossRatio));
  }
  for (const segment of SEGMENTS) {
    const band = path.segments.find((one) => one.segment === segment);
    if (!band && segment === 'isp-edge') fields.metric('segment.isp-edge.rtt.avg.ms', { unavailable: 'not_supported' });
    if (!band) continue;
    fields.metric(`segment.${segment}.rtt.avg.ms`, given(band.rttAvgMs));
    fields.metric(`segment.${segment}.packet.loss.ratio`, given(band.lossRatio));
  }
  if (path.method !== null) fields.attribute(ATTRIBUTES.traceProtocol, { value: path.method });
  if (path.family !== null) fields.attribute(ATTRIBUTES.family, { value: `ipv${path.family}` });
  fields.attribute(ATTRIBUTES.traceReached, { value: String(path.reached) });
  return result;
}

export type SessionRole = 'target' | 'control_plane';

export function sessionResult(session: SessionMeasurement, role: SessionRole, stamp: Stamp): EndpointResult {
  const result = emptyResult('endpoint.session', { ...stamp, durationMs: session.totalMs });
  const fields = createFields(result);
  const url = new URL(session.url);
  result.server_address = url.hostname.replace(/^\[|\]$/g, '');
  const port = session.serverPort ?? Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  result.server_port = port;
  result.success = session.success;
  if (session.error !== null) result.error = session.error;
  fields.metric('dns.ms', given(session.dnsMs));
  fields.metric('connect.ms', given(session.connectMs));
  fields.metric('tls.ms', given(session.tlsMs));
  fields.metric('ttfb.ms', given(session.ttfbMs));
  fields.metric('total.ms', given(session.totalMs));
  fields.metric('redirects', given(session.redirects));
  fields.metric('bytes', given(session.bytes));
  fields.attribute(ATTRIBUTES.urlFull, { value: session.url });
  if (session.status !== null) fields.attribute(ATTRIBUTES.statusCode, { value: String(session.status) });
  if (session.family !== null) fields.attribute(ATTRIBUTES.family, { value: `ipv${session.family}` });
  fields.attribute(ATTRIBUTES.sessionRole, { value: role });
  if (session.errorPhase !== null) fields.attribute(ATTRIBUTES.errorPhase, { value: session.errorPhase });
  return result;
}

export function resolverResult(resolver: ResolverMeasurement, stamp: Stamp): EndpointResult {
  const result = emptyResult('endpoint.resolver', stamp);
  const fields = createFields(result);
  result.success = resolver.success;
  if (resolver.error !== undefined) result.error = resolver.error;
  else if (!resolver.success && resolver.responseCode !== null) result.error = resolver.responseCode;
  fields.metric('rtt.avg.ms', given(resolver.rttAvgMs));
  fields.metric('packet.loss.ratio', given(resolver.lossRatio));
  fields.attribute(ATTRIBUTES.resolverAddress, { value: resolver.server });
  return result;
}

export const resolverAbsent = (code: UnavailableCode, stamp: Stamp): EndpointResult =>
  absentResult('endpoint.resolver', stamp, { key: 'rtt.avg.ms', code });

/** What the agent itself costs. Ratio of one core since the last such result; bytes of the last 24 hours. */
export interface AgentCost {
  cpuRatio: number;
  rssBytes: number;
  sentBytes: number;
  spoolResults: number;
  spoolDropped: number;
}

export function costResult(cost: AgentCost, stamp: Stamp): EndpointResult {
  const result = emptyResult('endpoint.agent', stamp);
  result.metrics = {
    'cpu.ratio': Math.round(cost.cpuRatio * 1e6) / 1e6,
    'memory.rss.bytes': cost.rssBytes,
    'sent.bytes': cost.sentBytes,
    'spool.results': cost.spoolResults,
    'spool.dropped': cost.spoolDropped,
  };
  return result;
}
