import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { SharedCauseGroup } from './shared-causes.ts';

/**
 * Where devices behind one gateway are: the mask that they use is not known, so it is the gateway's /24 (IPv6: its /64) where the address
 * is private, and the gateway alone where it is not, since others' networks begin beside it.
 */
function networkOfGateway(gateway: string): string {
  if (gateway.includes(':')) return `${gateway}/${/^f[cde]/i.test(gateway) ? 64 : 128}`;
  const isPrivate = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)/.test(gateway);
  return `${gateway}/${isPrivate ? 24 : 32}`;
}

/** What slow devices share, as signals: how many and where, never which. */
export const toSignals = (groups: readonly SharedCauseGroup[], nowMs: number): RaisedSignal[] =>
  groups.map(({ cause, site, gateway, affected, of, sinceMs, sentence }) => ({
    plane: 'endpoint',
    kind: 'endpoint.shared_cause',
    severity: 2 * affected >= of ? 'critical' : 'warning',
    title: sentence.replace(/\.$/, '').slice(0, 200),
    summary: sentence,
    site,
    ...(gateway === null ? {} : { prefix: networkOfGateway(gateway) }),
    attributes: {
      ...{ cause, 'devices.affected': String(affected), 'devices.total': String(of) },
      ...(gateway === null ? {} : { 'network.gateway.address': gateway }),
    },
    occurred_at: new Date(Math.min(sinceMs ?? nowMs, nowMs)).toISOString(),
    dedup_key: JSON.stringify([site, gateway, cause]).slice(0, 256),
  }));
