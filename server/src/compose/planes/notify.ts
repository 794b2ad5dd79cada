import { systemClock, type TenantId } from '#kernel';
import { createNotify } from '../../features/notify/index.ts';
import { createNotifyInbound } from '../../features/notify-inbound/index.ts';
import { createNativeReaders, createProviders } from '../../features/notify-providers/index.ts';
import { createNotifyRules } from '../../features/notify-rules/index.ts';
import type { Platform } from '../platform.ts';
import type { Audit, Identity, Incidents, Notify, NotifyRules } from '../threads.ts';

/** Actors that are no people: they acted where an incident was told. */
const isOutside = (actor: string): boolean => actor.startsWith('connector/') || actor.startsWith('provider/');

interface Naming {
  identity: Pick<Identity, 'nameActors'>;
  notify: Pick<Notify, 'nameConnectors'>;
}

/** Names of people and tokens, and of connectors at which somebody acted. */
export const nameAll =
  ({ identity, notify }: Naming) =>
  async (tenant: TenantId, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const outside = ids.filter(isOutside);
    const people = ids.filter((id) => !isOutside(id));
    const named = people.length === 0 ? new Map<string, string>() : await identity.nameActors(tenant, people);
    return outside.length === 0 ? named : new Map([...named, ...(await notify.nameConnectors(tenant, outside))]);
  };

interface NotifyThreads extends Naming {
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'ensureTenant' | 'nameActors'>;
  incidents: Pick<Incidents, 'readTold' | 'actFromOutside'>;
  notifyRules: Pick<NotifyRules, 'readDecider'>;
}

export const composeNotify = ({ config, stores, outbound, log }: Platform, slices: NotifyThreads) =>
  createNotify({
    relational: stores.relational,
    sealer: stores.sealer,
    appendAudit: slices.audit.appendAudit,
    // Its own names are among them, so it is asked once it is there.
    nameActors: (tenant, ids) => nameAll(slices)(tenant, ids),
    ensureTenant: async (tenant) => void (await slices.identity.ensureTenant(tenant, { name: tenant, simulated: false })),
    readIncidents: slices.incidents.readTold,
    // Made after this slice, asked once all are there.
    readDecider: (sql) => slices.notifyRules.readDecider(sql),
    actFromOutside: slices.incidents.actFromOutside,
    providers: createProviders({ outbound }),
    configured: config.notify.connectors?.reveal() ?? [],
    publicUrl: config.publicUrl,
    clock: systemClock,
    log,
  });

interface RulesThreads {
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'nameActors'>;
  incidents: Pick<Incidents, 'readRecent'>;
  notify: Pick<Notify, 'knownConnectors'>;
}

export const composeNotifyRules = ({ stores }: Platform, slices: RulesThreads) =>
  createNotifyRules({
    relational: stores.relational,
    appendAudit: slices.audit.appendAudit,
    nameActors: slices.identity.nameActors,
    knownConnectors: slices.notify.knownConnectors,
    readRecent: slices.incidents.readRecent,
    clock: systemClock,
  });

interface InboundThreads {
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'ensureTenant' | 'nameActors'>;
  notify: Pick<Notify, 'takeNews' | 'openConnection' | 'listConnectors'>;
}

export function composeNotifyInbound({ config, stores, outbound, log }: Platform, slices: InboundThreads) {
  const readers = createNativeReaders({ outbound });
  return createNotifyInbound({
    relational: stores.relational,
    sealer: stores.sealer,
    appendAudit: slices.audit.appendAudit,
    ensureTenant: async (tenant) => void (await slices.identity.ensureTenant(tenant, { name: tenant, simulated: false })),
    nameActors: slices.identity.nameActors,
    listConnectors: slices.notify.listConnectors,
    takeNews: slices.notify.takeNews,
    async askNames(tenant, { provider, connector, id }) {
      const to = await slices.notify.openConnection(tenant, { provider, connector });
      return to && (await readers[provider].askNames?.(to, id));
    },
    readers,
    configured: config.notifyInbound.webhooks?.reveal() ?? [],
    publicUrl: config.publicUrl,
    clock: systemClock,
    log,
  });
}
