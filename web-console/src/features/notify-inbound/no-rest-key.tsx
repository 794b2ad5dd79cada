import type { InboundProvider } from '@svc/contracts/notify/kinds';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { connectorsQuery } from '../../ui/notify/notify-queries.ts';

interface NoRestKeyProps {
  provider: InboundProvider;
  /** The connector that the webhook belongs to; null: any. */
  connector: string | null;
}

/** PagerDuty's own message does not name our key: only with a REST key it can be asked for. Nothing where there is one, or another provider. */
export function NoRestKey({ provider, connector }: NoRestKeyProps) {
  const connectors = useQuery({ ...connectorsQuery, enabled: provider === 'pager_a' }).data?.items;
  if (provider !== 'pager_a' || !connectors) return null;
  const meant = connectors.filter((one) => one.provider === provider && (connector === null || one.id === connector));
  if (meant.some(({ secrets }) => secrets.includes('rest_key'))) return null;
  return (
    <p className="note">
      PagerDuty’s own webhooks do not work yet: they do not hold our key, and{' '}
      {meant.length === 0 ? 'no PagerDuty connector is there' : 'the connector has no REST API key'} to ask for it with. The
      portable contract works. <Link to="/notify">Connectors</Link>
    </p>
  );
}
