import { type ReactNode, useEffect, useState } from 'react';
import { formatAge, formatClock, formatClockSeconds, formatMoment, formatUtc } from '../words/format.ts';

const isSameDay = (a: string | number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString();

const SHOWN = {
  clock: (at: string | number) => formatClock(at),
  moment: formatMoment,
  second: (at: string | number, now: number) => (isSameDay(at, now) ? formatClockSeconds(at) : formatMoment(at, now)),
  ago: (at: string | number, now: number) => formatAge(now - new Date(at).getTime()),
} as const;

/** Digits behind the millisecond, which no clock of the page shows. */
const FINER = /\.\d{4,}/;

interface TimeProps {
  at: string | number;
  /** clock: 14:07; moment: yesterday 16:00; second: 14:07:31 where it is of today, else the moment; ago: 12 s */
  show?: keyof typeof SHOWN;
  now?: number;
  className?: string | undefined;
  /** In place of `show`: words of one's own, such as the time since a trace began. */
  children?: ReactNode;
}

/** An instant in the viewer's zone, with UTC on hover. Nothing else of the console writes a <time> (lint). */
export function Time({ at, show = 'moment', now = Date.now(), className, children }: TimeProps) {
  const isFiner = typeof at === 'string' && FINER.test(at);
  const title = isFiner ? `${formatUtc(at)}, ${at}` : formatUtc(at);
  return (
    <time dateTime={isFiner ? at : new Date(at).toISOString()} title={title} className={className}>
      {children ?? SHOWN[show](at, now)}
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
