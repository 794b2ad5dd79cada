import type { IncidentView } from '@svc/contracts/incidents/incident';
import { Link } from '@tanstack/react-router';
import { Icon, type IconName } from '../../../ui/controls/icons.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { ColumnHeads } from '../../../ui/table/column-heads.tsx';
import { describeAffected } from '../incident-words.ts';

type AffectedThing = IncidentView['affected'][number];

const KINDS: Readonly<Record<AffectedThing['kind'], { icon: IconName; name: string }>> = {
  test: { icon: 'clock', name: 'Test' },
  device: { icon: 'laptop', name: 'Device' },
  service: { icon: 'hops', name: 'Service' },
  site: { icon: 'local', name: 'Site' },
  app: { icon: 'people', name: 'App' },
};

/** Most that are drawn; the rest is counted. */
const MAX_SHOWN = 25;

/** What is hurt, those that still are first. */
export function AffectedCard({ view: { affected } }: { view: IncidentView }) {
  const rows = affected.toSorted(
    (a, b) => Number(a.recovered_at !== null) - Number(b.recovered_at !== null) || a.since.localeCompare(b.since),
  );
  return (
    <section className="card" aria-labelledby="affected-h">
      <header>
        <h2 id="affected-h">Affected</h2>
        <span className="s mute">{describeAffected(affected)}</span>
      </header>
      {rows.length === 0 ? (
        <p className="body s mute">No signal names a test, a device or a service.</p>
      ) : (
        <ScrollX label="Affected">
          <table>
            <ColumnHeads columns={['What', 'Which', 'Since', 'Now']} />
            <tbody>
              {rows.slice(0, MAX_SHOWN).map((thing) => (
                <tr key={`${thing.kind}/${thing.id}`}>
                  <td>
                    <span className="v">
                      <Icon name={KINDS[thing.kind].icon} size={14} />
                      <span>{KINDS[thing.kind].name}</span>
                    </span>
                  </td>
                  <td>
                    <ThingLink thing={thing} />
                  </td>
                  <td>
                    <Time at={thing.since} />
                  </td>
                  <td>
                    {thing.recovered_at ? (
                      <span className="mute">
                        recovered <Time at={thing.recovered_at} />
                      </span>
                    ) : (
                      <b className="med">hurt</b>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      {rows.length > MAX_SHOWN ? <footer className="foot s mute">and {rows.length - MAX_SHOWN} more</footer> : null}
    </section>
  );
}

function ThingLink({ thing: { kind, id, name } }: { thing: AffectedThing }) {
  if (kind === 'test')
    return (
      <Link to="/tests/$id" params={{ id }}>
        {name}
      </Link>
    );
  if (kind === 'device')
    return (
      <Link to="/fleet/$id" params={{ id }}>
        {name}
      </Link>
    );
  if (kind === 'site')
    return (
      <Link to="/fleet" search={{ site: [id] }}>
        {name}
      </Link>
    );
  if (kind === 'app')
    return (
      <Link to="/rum/$app" params={{ app: id }}>
        {name}
      </Link>
    );
  return <>{name}</>;
}
