import type { Connector } from '@svc/contracts/notify/connector';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inboundQuery } from '../../ui/notify/notify-queries.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';

/** How what is done at a connector comes back: by which webhook, or that there is none yet, with where it is set up. */
export function WayBack({ connector: { id, provider, abilities } }: { connector: Connector }) {
  const inbound = useQuery({ ...inboundQuery, enabled: abilities.comes_back });
  if (!abilities.comes_back) return <span className="mute">nothing automatically</span>;
  if (inbound.isPending) return <Ghost width={160} says="Way back, loading" />;
  const webhooks = inbound.data?.items;
  // Of a reader who may not see them.
  if (!webhooks) return <span className="mute">by a webhook, if one is set up</span>;
  const own = webhooks.filter((one) => one.provider === provider && (one.connector === null || one.connector.id === id));
  const [first] = own;
  if (!first)
    return (
      <>
        nothing yet:{' '}
        <Link to="/notify/inbound" className="nfy-way">
          set up a webhook
        </Link>
      </>
    );
  return (
    <>
      by{' '}
      <Link to="/notify/inbound/$id" params={{ id: first.id }} className="nfy-way">
        {first.name}
      </Link>
      {own.length > 1 ? ` and ${own.length - 1} more` : null}
    </>
  );
}
