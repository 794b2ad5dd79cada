import type { ReactNode } from 'react';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Copyable } from '../../../ui/dialogs/dialogs.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { formatBytes, joinWords } from '../../../ui/words/format.ts';
import type { RumApp } from '../rum-queries.ts';

export const CONSENT_LINES = [
  'banner.onAccept(() => svcRUM.consent());   // nothing happens before this',
  'banner.onRevoke(() => svcRUM.withdraw());  // and nothing after this',
].join('\n');

interface StepProps {
  number: number;
  state: 'done' | 'now' | 'later';
  children: ReactNode;
}

function Step({ number, state, children }: StepProps) {
  return (
    <li>
      <span className={`rum-step rum-step-${state}`} aria-hidden="true">
        {state === 'done' ? <Icon name="check" size={12} /> : number}
      </span>
      <div>{children}</div>
    </li>
  );
}

/** From the registered app to the first beacon, with what to copy. */
export function InstallSteps({ app, bytes }: { app: RumApp; bytes: number }) {
  const isSeen = app.first_beacon_at !== null;
  const isFetched = isSeen || (app.script_fetches?.count ?? 0) > 0;
  return (
    <ol className="rum-steps">
      <Step number={1} state="done">
        <p>
          <b>{app.source === 'configuration' ? 'App named in SVC_RUM_APPS' : 'App registered'}</b>{' '}
          <span className="soft">
            {app.name}, for {app.hosts.length > 0 ? joinWords(app.hosts) : 'any host'}
            {app.created_by ? `, by ${app.created_by.name}` : ''}, <Time at={app.created_at} />
          </span>
        </p>
      </Step>
      <Step number={2} state={isFetched ? 'done' : 'now'}>
        <p>
          <b>Paste this before the end of the page’s head</b>
        </p>
        <p className="soft">{formatBytes(bytes)}, no cookie, no storage, one request when the page is left.</p>
        <Copyable text={app.snippet} />
        <p className="s mute">
          The key is public: it names the app, it reads nothing. If the page has a content security policy, allow this address in
          script-src and connect-src.
        </p>
      </Step>
      <Step number={3} state={isSeen ? 'done' : isFetched ? 'now' : 'later'}>
        <p>
          <b>Call this where your banner got consent</b>
        </p>
        <Copyable text={CONSENT_LINES} />
      </Step>
      <Step number={4} state={isSeen ? 'done' : 'later'}>
        <p>
          <b>Leave the page</b>{' '}
          <span className="soft">A beacon is sent when a page is hidden or left, not while it is open.</span>
        </p>
      </Step>
    </ol>
  );
}
