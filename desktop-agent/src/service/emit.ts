import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import type { MissingPermission } from '@svc/contracts/verdict';
import { minimise } from '../privacy/minimise.ts';
import { encodeRecord } from '../publish/record.ts';
import type { EndpointResult } from '../result.ts';
import { settings } from './in-force.ts';
import type { Running } from './running.ts';

/** Which permission stands for a reading that the system refuses. */
const PERMISSION_OF: Partial<Record<EndpointResult['canary_type'], { key: string; permission: MissingPermission }>> = {
  'endpoint.wifi': { key: 'unavailable.rssi.dbm', permission: 'location' },
  'endpoint.gateway': { key: 'unavailable.rtt.avg.ms', permission: 'local_network' },
};

function notePermissions(r: Running, results: readonly EndpointResult[]): void {
  const missing = new Set(r.missing);
  for (const { canary_type: type, attributes } of results) {
    const asked = PERMISSION_OF[type];
    if (!asked) continue;
    if (attributes[asked.key] === 'permission') missing.add(asked.permission);
    else missing.delete(asked.permission);
  }
  if ([...missing].join() === [...r.missing].join()) return;
  r.missing = missing;
  r.link?.tell();
}

function noteSessions(r: Running, results: readonly EndpointResult[]): void {
  for (const result of results) {
    const totalMs = result.metrics['total.ms'];
    if (result.canary_type !== 'endpoint.session' || result.success !== true || totalMs === undefined) continue;
    if (result.attributes[ATTRIBUTES.sessionRole] !== undefined) r.history.addSession(targetOf(result), totalMs);
  }
}

/** A measured result leaves the measuring code here: minimised first, kept on disk, then sent when there is a connection. */
export async function emit(r: Running, results: readonly EndpointResult[]): Promise<void> {
  // Under way when measuring was halted: neither kept nor sent.
  if (r.activity.isHalted()) return;
  const { collect } = settings(r);
  for (const result of results) r.context.attach(result);
  r.observed.note(results);
  notePermissions(r, results);
  noteSessions(r, results);
  r.changed();
  await r.spool.append(results.map((result) => encodeRecord(minimise(result, collect))));
  const lost = r.lossWords(r.spool.status());
  if (lost !== undefined) r.deps.log(lost);
  r.link?.wake('linger');
}
