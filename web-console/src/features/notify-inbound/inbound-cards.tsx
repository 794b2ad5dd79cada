import type { InboundDelivery, InboundWebhook } from '@svc/contracts/notify/inbound';
import { Link } from '@tanstack/react-router';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Copyable } from '../../ui/dialogs/dialogs.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { Steps } from './inbound-shown.tsx';
import { isQuiet, OUTCOME_WORDS, REFUSAL_WORDS } from './inbound-words.ts';
import { NoRestKey } from './no-rest-key.tsx';
import { curlRecipe, scriptOf } from './recipes.ts';

/** What was refused, why, and what helps. Nothing of a refused delivery is kept but its count. */
export function RefusedCard({ webhook: { refusals } }: { webhook: InboundWebhook }) {
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
          <table className="inb-table">
            <ColumnHeads columns={['Why, and what helps', numeric('Times'), 'Last']} />
            <tbody>
              {refusals.map(({ reason, count, last_at: at }) => (
                <tr key={reason}>
                  <td className="inb-wrap">
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
export function DeliveriesCard({ last }: { last: readonly InboundDelivery[] }) {
  return (
    <section className="card" aria-labelledby="deliveries-h">
      <header>
        <h2 id="deliveries-h">Last deliveries</h2>
        <span className="s mute">at most 50; kept for 30 days without their bodies</span>
      </header>
      {last.length === 0 ? (
        <p className="body s mute">None was verified yet. The first one appears here as soon as it is.</p>
      ) : (
        <ScrollX label="Last deliveries">
          <table className="inb-table">
            <ColumnHeads columns={['Received', 'Event', 'Reference', 'What came of it', 'Incident']} />
            <tbody>
              {last.map((delivery) => (
                <Delivery key={delivery.id} delivery={delivery} />
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
    </section>
  );
}

function Delivery({
  delivery: { received_at: at, event, references, outcome, reason, incident_id: incident },
}: {
  delivery: InboundDelivery;
}) {
  return (
    <tr>
      <td>
        <Time at={at} show="second" className="num" />
      </td>
      <td>{event || <span className="mute">not named</span>}</td>
      <td className="mono inb-wrap">{references.length > 0 ? references.join(', ') : <span className="mute">none</span>}</td>
      <td className="inb-wrap">
        <span className={isQuiet(outcome) ? 'mute' : undefined}>{OUTCOME_WORDS[outcome]}</span>
        {reason ? <small>{reason}</small> : null}
      </td>
      <td>
        {incident ? (
          <Link to="/incidents/$id" params={{ id: incident }}>
            Open it
          </Link>
        ) : (
          <span className="mute">none</span>
        )}
      </td>
    </tr>
  );
}

/** How the other side is wired, with a place for the secret, which nobody is shown again. */
export function WiringCard({ webhook: { provider, address, connector } }: { webhook: InboundWebhook }) {
  const script = scriptOf(provider, address, 'SECRET');
  return (
    <section className="card" aria-labelledby="wiring-h">
      <header>
        <h2 id="wiring-h">At the other side</h2>
      </header>
      <div className="body">
        <NoRestKey provider={provider} connector={connector?.id ?? null} />
        <Steps provider={provider} />
        {script ? <Copyable text={script} /> : null}
        <h3 className="s med">Any program: the portable contract</h3>
        <Copyable text={curlRecipe(address, 'SECRET')} />
      </div>
    </section>
  );
}
