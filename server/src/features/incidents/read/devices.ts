import type { IncidentDevices, IncidentDevicesQuery } from '@svc/contracts/incidents/incident-devices';
import { AppError, type Ctx } from '#kernel';
import type { IncidentsDeps, SharedPlace } from '../context.ts';
import { countSlow, planSteps } from '../domain/slow-steps.ts';
import { SIGNAL_COLUMNS, type SignalRow } from '../store/rows.ts';
import { readIncident } from '../work.ts';

/** Whose devices are counted, those that were told last. */
const MAX_PLACES = 3;
/** Of one place, those that are slow for longest first. */
const MAX_DEVICES = 1000;
const MAX_WINDOW_MS = 31 * 86_400_000;

const SHARED = `SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.incident_id = $1 AND s.kind = 'endpoint.shared_cause'
  ORDER BY (s.recovered_at IS NULL) DESC, s.occurred_at DESC LIMIT 100`;

const placeOf = ({ site, attributes }: SignalRow): SharedPlace => ({
  site: site ?? '',
  gateway: attributes['network.gateway.address'] ?? null,
  cause: attributes.cause ?? '',
});

/** Devices over time at each place that an incident names, for whoever may see devices; they are those that are there now. */
export async function countDevices(deps: IncidentsDeps, ctx: Ctx, query: IncidentDevicesQuery): Promise<IncidentDevices> {
  const { tenant, permissions } = ctx.principal;
  const asked = { fromMs: Date.parse(query.from), toMs: Date.parse(query.to) };
  if (asked.toMs <= asked.fromMs) throw new AppError('validation', 'The window must end after it begins.');
  if (asked.toMs - asked.fromMs > MAX_WINDOW_MS) throw new AppError('validation', 'A window has at most 31 days.');
  const window = planSteps(asked, { steps: query.steps, nowMs: deps.clock.now() });
  const answer = { from: new Date(window.fromMs).toISOString(), step_seconds: window.stepMs / 1000 };
  const signals = await deps.relational.withTenantSql(tenant, async (sql) => {
    await readIncident(sql, query.id);
    return (await sql.query<SignalRow>(SHARED, [query.id])).rows;
  });
  const { listDevicesAt, readCauses } = deps;
  if (!listDevicesAt || !readCauses || !permissions.has('agent.read')) return { ...answer, places: [] };
  const places = [...new Map(signals.map(placeOf).map((place) => [JSON.stringify(place), place])).values()];
  return {
    ...answer,
    places: await Promise.all(
      places.slice(0, MAX_PLACES).map(async (place) => {
        const agentIds = await listDevicesAt(tenant, { ...place, limit: MAX_DEVICES });
        const strips = agentIds.length === 0 ? new Map() : await readCauses(tenant, { agentIds, ...window });
        return { ...place, devices: agentIds.length, steps: countSlow(strips.values(), { cause: place.cause, window }) };
      }),
    ),
  };
}
