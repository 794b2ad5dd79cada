import type { IncidentView } from '@svc/contracts/incidents/incident';
import { Link } from '@tanstack/react-router';

/** Other incidents that a signal would have fitted too, and those merged into this one; nothing where there is none. */
export function RelatedCard({ view: { related } }: { view: IncidentView }) {
  if (related.length === 0) return null;
  return (
    <section className="card" aria-labelledby="related-h">
      <header>
        <h2 id="related-h">Other incidents</h2>
      </header>
      <ul className="inc-related">
        {related.map(({ id, number, title, why }) => (
          <li key={id}>
            <Link to="/incidents/$id" params={{ id }}>
              {number}: {title}
            </Link>
            <small>{why}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
