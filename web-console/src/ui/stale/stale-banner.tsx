import './stale.css';
import { useEffect, useState } from 'react';
import { Button } from '../controls/controls.tsx';
import { Icon } from '../controls/icons.tsx';
import { useNow } from '../moments/time.tsx';
import { EmptyState } from '../placeholders/empty-state.tsx';
import type { Outage } from './outage.ts';
import { describeNextTry, describeOutage } from './outage-words.ts';
import { useOutage } from './use-outage.ts';

/** How long the words of the recovery stay for a screen reader, milliseconds. */
const RECOVERY_MS = 10_000;

/** Counts down on its own: in a live region each second would be read out. */
function NextTry({ outage }: { outage: Outage }) {
  // The state of the clock may be a second old where the outage is new.
  const now = Math.max(useNow(1000), Date.now());
  return <span className="nowrap">{describeNextTry(outage, now)}</span>;
}

interface StripProps {
  outage: Outage | undefined;
  /** Announced once the server answers again. */
  recovery: string;
  /** The reader has asked for something else since the shown answer came. */
  isChanged: boolean;
  onTry: () => void;
}

const isWhollyMissing = (outage: Outage): boolean => outage.isMissing && outage.isEmpty;

/** The strip under the top bar. Its live region is always there, so that both its coming and its going are announced. */
export function StaleStrip({ outage, recovery, isChanged, onTry }: StripProps) {
  const shown = outage && !isWhollyMissing(outage) ? outage : undefined;
  return (
    <div className={shown ? 'stale-strip' : 'sr'}>
      {shown ? <Icon name="noContact" size={14} /> : null}
      <p role="status" className={shown ? 'grow' : 'sr'}>
        {shown ? describeOutage(shown, Date.now(), isChanged) : recovery}
      </p>
      {shown ? (
        <>
          <NextTry outage={shown} />
          <Button onClick={onTry}>Try now</Button>
        </>
      ) : null}
    </div>
  );
}

/** "The server answers again." for a while after an outage that was shown. */
function useRecovery(isOut: boolean): string {
  const [was, setWas] = useState(isOut);
  const [recovered, setRecovered] = useState(false);
  if (was !== isOut) {
    setWas(isOut);
    setRecovered(!isOut);
  }
  useEffect(() => {
    if (!recovered) return;
    const timer = setTimeout(() => setRecovered(false), RECOVERY_MS);
    return () => clearTimeout(timer);
  }, [recovered]);
  return recovered ? 'The server answers again. What is shown is current.' : '';
}

/** When this value was seen first, Unix milliseconds. */
function useSince(value: string): number {
  const [seen, setSeen] = useState({ value, at: Date.now() });
  if (seen.value !== value) setSeen({ value, at: Date.now() });
  return seen.at;
}

/** On every page, by the shell: from when the shown data are while the server does not answer. `asked` is the page's address. */
export function StaleBanner({ asked }: { asked: string }) {
  const { outage, tryNow } = useOutage();
  const changedAt = useSince(asked);
  const isChanged = outage?.shownAt !== undefined && changedAt > outage.shownAt;
  return <StaleStrip outage={outage} recovery={useRecovery(outage !== undefined)} isChanged={isChanged} onTry={tryNow} />;
}

/** In place of a page's data that never came; what was asked for stays asked for, and fills the page when it comes. */
export function NothingCame() {
  const { outage, tryNow } = useOutage();
  return outage && isWhollyMissing(outage) ? <NoAnswer outage={outage} onTry={tryNow} /> : null;
}

export function NoAnswer({ outage, onTry }: { outage: Outage; onTry: () => void }) {
  return (
    <div className="card no-answer">
      <EmptyState
        icon="noContact"
        title={outage.refusal === undefined ? 'The server does not answer' : 'The server cannot answer now'}
        alert
      >
        <p>
          {outage.refusal ?? 'It may be restarting, or the network between you and it is down.'} Leave this page open: it fills
          automatically when the server answers.
        </p>
      </EmptyState>
      <div className="row">
        <Button onClick={onTry}>Try now</Button>
        <span className="soft">
          <NextTry outage={outage} />
        </span>
      </div>
    </div>
  );
}
