import type { Webhook, WebhookDelivery } from '@svc/contracts/changes/webhook';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { REFUSAL_WORDS, tellDelivery } from './webhook-words.ts';

/** What was refused, why, and what helps. Nothing of a refused delivery is kept but its count. */
export function RefusedCard({ webhook: { refusals } }: { webhook: Webhook }) {
  return (
    <section className="card" aria-labelledby="refused-h">
      <header>
        <h2 id="refused-h">Refused</h2>
        <span className="s mute">in the last 30 days</span>
      </header>
      {refusals.length === 0 ? (
        <p className="body s mute">Nothing was refused.</p>
      ) : (
        <ScrollX label="Refused">
          <table>
            <ColumnHeads columns={['Why, and what helps', numeric('Times'), 'Last']} />
            <tbody>
              {refusals.map(({ reason, count, last_at: at }) => (
                <tr key={reason}>
                  <td className="chg-why">
                    {REFUSAL_WORDS[reason].why}
                    <small>{REFUSAL_WORDS[reason].todo}</small>
                  </td>
                  <td className="n">{formatCount(count)}</td>
                  <td>
                    <Time at={at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
    </section>
  );
}

/** What became of the last deliveries that were verified. */
export function DeliveriesCard({ last }: { last: readonly WebhookDelivery[] }) {
  return (
    <section className="card" aria-labelledby="deliveries-h">
      <header>
        <h2 id="deliveries-h">Last deliveries</h2>
        <span className="s mute">at most 50, of the last 7 days</span>
      </header>
      {last.length === 0 ? (
        <p className="body s mute">None was verified yet. The first one appears here as soon as it is.</p>
      ) : (
        <ScrollX label="Last deliveries">
          <table>
            <ColumnHeads columns={['When', 'Event', 'What came of it']} />
            <tbody>
              {last.map((delivery) => (
                <tr key={delivery.id}>
                  <td>
                    <Time at={delivery.received_at} show="second" />
                  </td>
                  <td>{delivery.event || <span className="mute">not named</span>}</td>
                  <td>{tellDelivery(delivery)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
    </section>
  );
}
