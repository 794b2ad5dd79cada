import type { EvidenceItem } from '@svc/contracts/causes/root-cause';
import { Link } from '@tanstack/react-router';
import { capital } from '../words/capital.ts';

export interface ShownPart {
  item: EvidenceItem;
  /** Why it counts; empty where it does not. */
  why: string;
  weight: number | undefined;
}

/** What is known, item by item, each with the page on which it is looked up. */
export function EvidenceList({ title, parts }: { title?: string; parts: readonly ShownPart[] }) {
  if (parts.length === 0) return null;
  return (
    <div className="cause-list">
      {title ? <h3>{title}</h3> : null}
      <ol>
        {parts.map(({ item, why, weight }) => (
          <li key={`${item.id}/${why}`}>
            <span className="cause-id">{item.id}</span>
            <span>
              {item.sentence} {why ? <span className="mute">{capital(why)}. </span> : null}
              <EvidenceLink item={item} />
            </span>
            {weight === undefined ? null : <span className="cause-weight mute">{weight.toFixed(2)}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

const HALF_MS = 30 * 60_000;
/** Half an hour around a moment. */
function around(at: string): { from: string; to: string } {
  const ms = Date.parse(at);
  return { from: new Date(ms - HALF_MS).toISOString(), to: new Date(ms + HALF_MS).toISOString() };
}

function EvidenceLink({ item: { link, at } }: { item: EvidenceItem }) {
  const { page, id } = link;
  if (page === 'test')
    return (
      <Link to="/tests/$id" params={{ id }} search={around(at)}>
        Test
      </Link>
    );
  if (page === 'site')
    return (
      <Link to="/fleet" search={{ site: [id] }}>
        Devices
      </Link>
    );
  if (page === 'service' || page === 'traces')
    return (
      <Link to="/traces" search={{ service: [id], ...around(at) }}>
        Traces
      </Link>
    );
  if (page === 'logs')
    return (
      <Link to="/logs" search={{ service: [id], ...around(at) }}>
        Logs
      </Link>
    );
  if (page === 'app') {
    const [app = '', host = ''] = id.split(/\/(.*)/s);
    return (
      <Link to="/rum/$app/$host" params={{ app, host }}>
        Users
      </Link>
    );
  }
  if (page === 'change')
    return (
      <Link to="/changes" search={around(at)}>
        Changes of this time
      </Link>
    );
  return null;
}
