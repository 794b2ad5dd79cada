import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import type { MissingPermission } from '@svc/contracts/verdict';
import type { History } from '../history/history.ts';
import type { Activity } from '../measure/activity.ts';
import type { DeviceContext } from '../measure/device-context.ts';
import { minimise } from '../privacy/minimise.ts';
import { encodeRecord } from '../publish/record.ts';
import type { Spool } from '../publish/spool.ts';
import { createSpoolLossWords } from '../publish/spool-loss.ts';
import type { EndpointResult } from '../result.ts';
import type { ConnectedFaces } from './connected-faces.ts';
import type { ServiceDeps } from './deps.ts';
import type { Findings } from './findings.ts';
import { type Deciding, settings } from './in-force.ts';
import type { Uplink } from './uplink.ts';

export interface EmitDeps extends Deciding {
  deps: ServiceDeps;
  activity: Activity;
  context: DeviceContext;
  findings: Findings;
  history: History;
  spool: Spool;
  uplink: Uplink;
  faces: ConnectedFaces;
}

export type Emit = (results: readonly EndpointResult[]) => Promise<void>;

interface Guarded {
  permission: MissingPermission;
  /** One of these tells enough; where none does and one of them is refused, the permission is missing. */
  keys: readonly string[];
}
/** Which permission guards a reading. A network's name alone is not asked for unasked: measuring does without it. */
const GUARDED: Partial<Record<EndpointResult['canary_type'], Guarded>> = {
  'endpoint.wifi': { permission: 'location', keys: ['rssi.dbm', 'signal.percent'] },
  'endpoint.gateway': { permission: 'local_network', keys: ['rtt.avg.ms'] },
};

const isRefused = ({ metrics, attributes }: EndpointResult, keys: readonly string[]): boolean =>
  keys.every((key) => metrics[key] === undefined) && keys.some((key) => attributes[`unavailable.${key}`] === 'permission');

function notePermissions({ findings, uplink }: EmitDeps, results: readonly EndpointResult[]): void {
  const missing = new Set(findings.missing());
  for (const result of results) {
    const guarded = GUARDED[result.canary_type];
    if (!guarded) continue;
    if (isRefused(result, guarded.keys)) missing.add(guarded.permission);
    else missing.delete(guarded.permission);
  }
  if (findings.noteMissing(missing)) uplink.tell();
}

function noteSessions({ history }: EmitDeps, results: readonly EndpointResult[]): void {
  for (const result of results) {
    const totalMs = result.metrics['total.ms'];
    if (result.canary_type !== 'endpoint.session' || result.success !== true || totalMs === undefined) continue;
    if (result.attributes[ATTRIBUTES.sessionRole] !== undefined) history.addSession(targetOf(result), totalMs);
  }
}

/** A measured result leaves the measuring code here: minimised first, kept on disk, then sent when there is a connection. */
export function createEmit(r: EmitDeps): Emit {
  const lossWords = createSpoolLossWords(r.deps.clock.steady);
  return async (results) => {
    // Under way when measuring was halted: neither kept nor sent.
    if (r.activity.isHalted()) return;
    const { collect } = settings(r);
    for (const result of results) r.context.attach(result);
    r.findings.observed.note(results);
    notePermissions(r, results);
    noteSessions(r, results);
    r.faces.changed();
    await r.spool.append(results.map((result) => encodeRecord(minimise(result, collect))));
    const lost = lossWords(r.spool.status());
    if (lost !== undefined) r.deps.log(lost);
    r.uplink.wake('linger');
  };
}
