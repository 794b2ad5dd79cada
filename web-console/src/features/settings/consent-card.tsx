import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Time } from '../../ui/moments/time.tsx';

/** Whether this tenant's telemetry may go to a model elsewhere: shown to everybody, changed by whoever operates the server. */
export function ConsentCard() {
  const { data } = useQuery({
    queryKey: ['governance.get'],
    queryFn: ({ signal }) => ask('governance.get', undefined, signal),
  });
  if (!data) return null;
  return (
    <section className="card" aria-labelledby="consent-h">
      <header>
        <h2 id="consent-h">Models and assistants elsewhere</h2>
        <span className="s mute">set by whoever operates this server</span>
      </header>
      <p className="body">
        {data.ai_remote_egress
          ? 'Consent is given: masked, telemetry may go to a model that runs elsewhere, when a person asks it about an incident or asks by an assistant (MCP).'
          : 'No consent: nothing of this tenant’s telemetry goes to a model that runs elsewhere, nor to assistants by MCP.'}{' '}
        {data.updated_at ? (
          <span className="mute">
            Since <Time at={data.updated_at} />.
          </span>
        ) : null}
      </p>
    </section>
  );
}
