import type { Permission } from '@svc/contracts/permissions';
import type { ViewPage } from '@svc/contracts/saved-views/saved-view';

/** What the page itself needs: a view of it shows nothing more. */
const READS: Readonly<Record<ViewPage, Permission>> = {
  ...{ fleet: 'agent.read', traces: 'otlp.read', logs: 'otlp.read' },
  ...{ tests: 'test.read', incidents: 'incident.read' },
};

/** Sharing puts a view before colleagues: for those who already change what is about devices, or about services. */
const SHARES: Readonly<Record<ViewPage, Permission>> = {
  fleet: 'agent.write',
  traces: 'incident.write',
  logs: 'incident.write',
  tests: 'test.write',
  incidents: 'incident.write',
};

/** Held by administrators alone. */
const DELETES_ANY: Permission = 'settings.write';

export type Held = ReadonlySet<Permission>;

export const readPermission = (page: ViewPage): Permission => READS[page];
export const sharePermission = (page: ViewPage): Permission => SHARES[page];
export const mayDeleteAny = (held: Held): boolean => held.has(DELETES_ANY);

/** Who made it, or for one that is shared an administrator. */
export const mayDelete = (held: Held, view: { isMine: boolean; shared: boolean }): boolean =>
  view.isMine || (view.shared && mayDeleteAny(held));
