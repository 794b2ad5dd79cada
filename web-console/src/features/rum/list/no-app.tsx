import type { ReactNode } from 'react';
import { Icon } from '../../../ui/controls/icons.tsx';
import type { RumOverview } from '../rum-queries.ts';
import { NotSeenCard } from './not-seen-card.tsx';

interface NoAppProps {
  overview: RumOverview;
  register: ReactNode;
}

/** No app yet: what one is, what it costs visitors, and the one thing to do. */
export function NoApp({ overview, register }: NoAppProps) {
  const isShut = overview.surface === 'shut';
  return (
    <div className="page">
      <div className="head">
        <div>
          <h1>{isShut ? 'Real users are switched off here.' : 'No app yet: name the site that your people use.'}</h1>
          <p className="soft">
            {isShut
              ? overview.surface_sentence
              : 'Two lines of HTML measure page loads of visitors who agree to it: no cookie, no storage, no address, no person. Under Do Not Track or Global Privacy Control nothing starts.'}
          </p>
        </div>
      </div>
      {isShut ? null : <p>{register}</p>}
      <p className="soft s row">
        <Icon name="lock" size={14} /> Before a visitor consents the script does nothing at all. Try it on the page of an app.
      </p>
      {overview.rejects.unknown_to_installation > 0 || overview.rejects.items.some(({ count }) => count > 0) ? (
        <NotSeenCard rejects={overview.rejects} coverage={overview.coverage_note} />
      ) : null}
    </div>
  );
}
