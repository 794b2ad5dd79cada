import { CopyButton } from '../../../ui/controls/controls.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { formatCount, joinWords } from '../../../ui/words/format.ts';
import type { RumApp } from '../rum-queries.ts';

/** Which keys are taken and for how long, from which hosts and at what rate. */
export function KeysCard({ app }: { app: RumApp }) {
  const { keys, hosts, rate_per_min, effective_rate_per_min } = app;
  const rate = effective_rate_per_min === 0 ? 'no bound' : `${formatCount(effective_rate_per_min)} per minute and key`;
  return (
    <section className="card" aria-labelledby="keys-h">
      <header>
        <h2 id="keys-h">Keys</h2>
        <span className="s mute">
          from {hosts.length > 0 ? joinWords(hosts) : 'any host'}; {rate}
          {rate_per_min === null ? ', as this installation has it' : ''}
        </span>
      </header>
      <ScrollX label="Keys">
        <table>
          <ColumnHeads columns={['Key', 'State', 'Since', numeric('Copy')]} />
          <tbody>
            {keys.map(({ key, created_at, retires_at }) => (
              <tr key={key}>
                <td className="mono">{key}</td>
                <td>
                  {retires_at ? (
                    <span className="soft">
                      taken until <Time at={retires_at} />
                    </span>
                  ) : (
                    <b className="med">in the snippet</b>
                  )}
                </td>
                <td>
                  <Time at={created_at} />
                </td>
                <td className="n">
                  <CopyButton text={key} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}
