import { useEffect, useState } from 'react';
import { formatAge, formatClock, formatMoment, formatUtc } from './format.ts';

interface TimeProps {
  at: string | number;
  /** clock: 14:07; moment: yesterday 16:00; ago: 12 s */
  show?: 'clock' | 'moment' | 'ago';
  now?: number;
}

/** A time in the viewer's zone with UTC on hover. */
export function Time({ at, show = 'moment', now = Date.now() }: TimeProps) {
  const iso = new Date(at).toISOString();
  let text = formatMoment(at, now);
  if (show === 'clock') text = formatClock(at);
  if (show === 'ago') text = formatAge(now - new Date(at).getTime());
  return (
    <time dateTime={iso} title={formatUtc(at)}>
      {text}
    </time>
  );
}

/** The current time, renewed every `everyMs`; for ages and countdowns. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
