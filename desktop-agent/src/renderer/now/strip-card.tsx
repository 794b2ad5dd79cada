import type { StripHour } from '@svc/contracts/agent/ipc';
import type { Words } from '../../i18n/words.ts';
import { useWords } from '../words-context.ts';

const HOUR_MS = 3_600_000;
/** Of 22 units: the height says the verdict too, for those who see no colours. */
const HEIGHTS: Readonly<Record<StripHour, number>> = {
  none: 6,
  wifi: 22,
  local: 22,
  isp: 22,
  network: 22,
  unknown: 22,
  paused: 11,
  declined: 11,
  asleep: 1,
};

/** "5 h healthy, 6 h slow: Wi-Fi". */
function describeStrip(words: Words, strip: readonly StripHour[]): string {
  const counts = new Map<StripHour, number>();
  for (const hour of strip) counts.set(hour, (counts.get(hour) ?? 0) + 1);
  return words.list(
    [...counts].map(([hour, count]) =>
      words.t('strip.part', { duration: words.duration(count * HOUR_MS), state: words.t(`strip.${hour}`) }),
    ),
  );
}

/** One bar an hour, the newest on the right. */
export function StripCard({ strip, now }: { strip: readonly StripHour[]; now: number }) {
  const words = useWords();
  const text = describeStrip(words, strip);
  const clockAgo = (hours: number): string => words.clock(Math.floor(now / HOUR_MS) * HOUR_MS - hours * HOUR_MS);
  return (
    <section>
      <h2>{words.t('strip.title')}</h2>
      <svg
        className="strip"
        viewBox="0 0 240 22"
        preserveAspectRatio="none"
        width="100%"
        height="22"
        role="img"
        aria-label={text}
      >
        <title>{text}</title>
        {strip.map((hour, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
            key={index}
            className={`f-${hour}`}
            x={index * 10 + 0.5}
            width={9}
            y={22 - HEIGHTS[hour]}
            height={HEIGHTS[hour]}
          />
        ))}
      </svg>
      <div className="axis xs mute num" aria-hidden="true">
        <span>{clockAgo(strip.length - 1)}</span>
        <span>{clockAgo(Math.round(strip.length / 2) - 1)}</span>
        <span>{words.t('strip.now')}</span>
      </div>
    </section>
  );
}
