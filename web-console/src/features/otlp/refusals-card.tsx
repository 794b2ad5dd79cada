import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { describeReason, describeRefused } from './telemetry-words.ts';

const COLUMNS: readonly Column[] = ['Why', numeric('Refused'), 'Last', 'Answer to the sender', 'Last sender’s resource'];

const DAYS = 7;
const EVERY_MS = 10_000;

/** What was refused, why, and whose it was; never what it said. */
export function RefusalsCard() {
  const refusals = useQuery({
    queryKey: ['otlp.refusals'],
    queryFn: ({ signal }) => ask('otlp.refusals', { days: DAYS }, signal),
    refetchInterval: EVERY_MS,
  });
  const items = refusals.data?.items;
  return (
    <section className="card" aria-labelledby="refused-h">
      <header>
        <h2 id="refused-h">Refused</h2>
        <span className="s mute">in the last {DAYS} days; the content of what was refused is not kept</span>
      </header>
      {refusals.isError && !items ? <Failure error={refusals.error} retry={() => void refusals.refetch()} /> : null}
      {!items && !refusals.isError ? (
        <div className="body">
          <Ghost width={360} />
        </div>
      ) : null}
      {items?.length === 0 ? <p className="body soft">Nothing was refused.</p> : null}
      {items && items.length > 0 ? (
        <ScrollX label="Refused">
          <table>
            <ColumnHeads columns={COLUMNS} />
            <tbody>
              {items.map((item) => (
                <tr key={item.reason}>
                  <td className="med" title={item.reason}>
                    {describeReason(item.reason)}
                  </td>
                  <td className="n">{describeRefused(item)}</td>
                  <td className="soft">
                    <Time at={item.last_at} />
                  </td>
                  <td className="soft wrap">{item.message}</td>
                  <td className="wrap">
                    <Resource attributes={item.resource} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      ) : null}
    </section>
  );
}

/** Attributes that tell a service from others come first. */
const FIRST = ['service.name', 'service.namespace', 'service.instance.id', 'host.name', 'k8s.pod.name'];
const rank = (key: string): number => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);

function Resource({ attributes }: { attributes: Readonly<Record<string, string>> | null }) {
  if (!attributes) return <span className="mute">not known</span>;
  const entries = Object.entries(attributes).sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
  return (
    <span className="chips">
      {entries.map(([key, value]) => (
        <span key={key} className="tag">
          {key} <b>{value}</b>
        </span>
      ))}
    </span>
  );
}
