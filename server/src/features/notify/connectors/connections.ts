import type { ProviderKind } from '@svc/contracts/notify/kinds';
import { sha256Hex } from '#crypto';
import { type Connection, type Provider, splitUrl, type TenantId } from '#kernel';
import type { ConfiguredConnector } from '../config.ts';
import type { NotifyDeps } from '../context.ts';

/** A sealed connection opens for its own connector alone. */
export const sealContext = (tenant: string, id: string): string => `notify-connector/${tenant}/${id}`;

export interface OwnConnector {
  id: string;
  tenant: TenantId;
  provider: ProviderKind;
  name: string;
  connection: Connection;
}

const NAME = 'name';

function toOwn(provider: Provider, entry: ConfiguredConnector, taken: Set<string>): OwnConnector {
  const names = provider.fields.map(({ name }) => name).filter((name) => name !== 'url' && name !== 'credential');
  const { url, settings } = splitUrl(entry.url, [...names, NAME]);
  const { [NAME]: given, ...rest } = settings;
  const name = (given ?? '').slice(0, 200) || provider.name;
  // Of what does not change when a credential does; a second one of the same kind counts on.
  const base = `cfg-${sha256Hex(`${entry.tenant}|${entry.provider}|${given ?? url.split('?')[0]}`).slice(0, 20)}`;
  let id = base;
  for (let count = 2; taken.has(id); count += 1) id = `${base}-${count}`;
  taken.add(id);
  const connection = provider.parse({ url, credential: entry.credential, settings: rest });
  return { id, tenant: entry.tenant, provider: entry.provider, name, connection };
}

/** Connectors of SVC_NOTIFY_CONNECTORS, by id. One that its provider refuses is left out, and said. */
function readConfigured({ configured, providers, log }: Pick<NotifyDeps, 'configured' | 'providers' | 'log'>) {
  const own = new Map<string, OwnConnector>();
  const taken = new Set<string>();
  for (const entry of configured) {
    const provider = providers[entry.provider];
    const { tenant, provider: kind } = entry;
    if (!provider) continue;
    try {
      const one = toOwn(provider, entry, taken);
      own.set(one.id, one);
    } catch (error) {
      const faults = error instanceof Error && 'faults' in error ? error.faults : undefined;
      log.error({ tenant, provider: kind, faults }, 'SVC_NOTIFY_CONNECTORS holds a connector that its provider refuses');
    }
  }
  return own;
}

export interface SealedConnector {
  id: string;
  configured: boolean;
  secret: Buffer | null;
}

export function createConnections(deps: Pick<NotifyDeps, 'sealer' | 'configured' | 'providers' | 'log'>) {
  const own = readConfigured(deps);
  return {
    own,
    seal: (tenant: TenantId, id: string, connection: Connection): Buffer =>
      deps.sealer.seal(JSON.stringify(connection), sealContext(tenant, id)),
    /** Undefined where it cannot be opened, or stands in the configuration no more. */
    open(tenant: TenantId, { id, configured, secret }: SealedConnector): Connection | undefined {
      const configuredOne = configured ? own.get(id) : undefined;
      if (configured) return configuredOne?.tenant === tenant ? { ...configuredOne.connection, tenant } : undefined;
      if (!secret) return undefined;
      try {
        return { ...(JSON.parse(deps.sealer.open(secret, sealContext(tenant, id)).toString('utf8')) as Connection), tenant };
      } catch (error) {
        deps.log.error({ err: error, connector: id }, 'what a connector was given cannot be opened');
        return undefined;
      }
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
