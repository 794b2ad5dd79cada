import type { Signal } from '@svc/contracts/incidents/signal';
import { Link } from '@tanstack/react-router';

/** From a signal to where it was seen: the test, the devices, the services, the users. */
export function SignalLink({
  signal: { plane, site, attributes, occurred_at },
}: {
  signal: Pick<Signal, 'plane' | 'site' | 'attributes' | 'occurred_at'>;
}) {
  const test = attributes['test.id'];
  if (plane === 'tests' && test)
    return (
      <Link className="inc-elsewhere" to="/tests/$id" params={{ id: test }}>
        The test
      </Link>
    );
  if (plane === 'endpoint')
    return (
      <Link className="inc-elsewhere" to="/fleet" search={site ? { site: [site] } : {}}>
        The devices
      </Link>
    );
  const [app, host] = [attributes['app.name'], attributes['server.address']];
  if (plane === 'rum' && app && host)
    return (
      <Link className="inc-elsewhere" to="/rum/$app/$host" params={{ app, host }}>
        The users
      </Link>
    );
  const service = attributes['service.name'];
  if (plane === 'otlp' && service) {
    const at = new Date(occurred_at).getTime();
    const window = { from: new Date(at - 30 * 60_000).toISOString(), to: new Date(at + 30 * 60_000).toISOString() };
    return (
      <Link className="inc-elsewhere" to="/traces" search={{ service: [service], status: ['error'], ...window }}>
        Its failed requests
      </Link>
    );
  }
  return null;
}
