import type { Trace } from '../../../api-types.ts';
import { useServiceColor } from '../../../ui/services/service-colors.tsx';
import { formatPercent } from '../../../ui/words/format.ts';
import { formatNs, sharesOf } from './trace-words.ts';

const MAX_NAMED = 8;
const WIRE = 'var(--line-strong)';

/** Which service holds the critical path, and for how much of it. */
export function CriticalCard({ trace }: { trace: Trace }) {
  const serviceColor = useServiceColor();
  const shares = sharesOf(trace);
  if (shares.length === 0) return null;
  const named = shares.slice(0, MAX_NAMED);
  return (
    <section className="card" aria-label="Critical path by service">
      <header>
        <h2>Critical path by service</h2>
        <span className="s mute">what must get faster for the whole to get faster</span>
      </header>
      <div className="wf-shares">
        <div className="wf-sharebar" aria-hidden="true">
          {shares.map(({ service, ns }) => (
            <i key={service} style={{ flexGrow: ns, background: service === '' ? WIRE : serviceColor(service) }} />
          ))}
        </div>
        <ul>
          {named.map(({ service, ns, ratio }) => (
            <li key={service}>
              <i style={{ background: service === '' ? WIRE : serviceColor(service) }} aria-hidden="true" />
              {service === '' ? 'between services' : service}
              <b className="num">{formatPercent(ratio)}</b>
              <span className="mute num">{formatNs(ns)}</span>
            </li>
          ))}
          {shares.length > MAX_NAMED ? <li className="mute">{shares.length - MAX_NAMED} more</li> : null}
        </ul>
      </div>
    </section>
  );
}
