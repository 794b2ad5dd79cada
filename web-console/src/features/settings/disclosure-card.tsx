import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Failure } from '../../ui/failure.tsx';
import { formatDuration } from '../../ui/format.ts';

/** What the people who use the devices are told at every start of the agent, as it stands now. */
export function DisclosureCard({ version }: { version: number }) {
  const told = useQuery({
    queryKey: ['fleet.disclosure', version],
    queryFn: ({ signal }) => ask('fleet.disclosure', {}, signal),
  });
  if (told.isError) return <Failure error={told.error} retry={() => told.refetch()} />;
  if (!told.data) return null;
  const { collected, never, withheld, contacted } = told.data;
  return (
    <section className="card" aria-labelledby="told-h">
      <header>
        <h2 id="told-h">What your people are told</h2>
        <span className="s mute">each agent prints it before anything is sent</span>
      </header>
      <div className="told">
        <div>
          <h3>Collected</h3>
          <ul>
            {collected.map((item) => (
              <li key={item.what}>
                {item.what}
                <span className="mute">
                  {' '}
                  {item.why.replace(/\.$/, '')}
                  {item.every_seconds
                    ? `, every ${item.every_seconds < 60 ? `${item.every_seconds} s` : formatDuration(item.every_seconds * 1000)}`
                    : ''}
                </span>
              </li>
            ))}
          </ul>
        </div>
        <Column title="Contacted" items={contacted.map((item) => `${item.target}: ${item.why}`)} none="Nothing outside." />
        <Column title="Withheld by policy" items={withheld} none="Nothing." />
        <Column title="Never" items={never} none="" />
      </div>
    </section>
  );
}

function Column({ title, items, none }: { title: string; items: readonly string[]; none: string }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
        {items.length === 0 ? <li className="mute">{none}</li> : null}
      </ul>
    </div>
  );
}
