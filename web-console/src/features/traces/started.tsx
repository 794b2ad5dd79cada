import { formatClockSeconds, formatMoment, formatUtc } from '../../ui/format.ts';

const isToday = (at: Date): boolean => at.toDateString() === new Date().toDateString();

/** When something began, to the second where it was today; UTC on hover. */
export function Started({ at }: { at: string }) {
  const then = new Date(at);
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {isToday(then) ? formatClockSeconds(at) : formatMoment(at, Date.now())}
    </time>
  );
}
