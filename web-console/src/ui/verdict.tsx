import type { StripHour, Verdict as VerdictValue } from '@svc/contracts/endpoint-view';
import { Icon, type IconName } from './icons.tsx';
import { describeStrip, toneOf, verdictWord } from './verdict-words.ts';

const ICONS: Readonly<Record<VerdictValue, IconName>> = {
  none: 'ok',
  wifi: 'wifi',
  local: 'local',
  isp: 'isp',
  network: 'network',
  unknown: 'unknown',
  paused: 'paused',
  no_contact: 'noContact',
  needs_permission: 'lock',
  declined: 'declined',
  update_required: 'update',
  pending: 'pending',
};

export const verdictIcon = (verdict: VerdictValue): IconName => ICONS[verdict];

/** The icon alone in its cause's colour. */
export function VerdictIcon({ verdict, size = 16 }: { verdict: VerdictValue; size?: number }) {
  return (
    <span className={`v v-${toneOf(verdict)}`}>
      <Icon name={ICONS[verdict]} size={size} />
    </span>
  );
}

interface VerdictProps {
  verdict: VerdictValue;
  pausedUntil?: string | null;
  word?: string;
}

/** Icon, word, then colour. */
export function Verdict({ verdict, pausedUntil = null, word }: VerdictProps) {
  return (
    <span className={`v v-${toneOf(verdict)}`}>
      <Icon name={ICONS[verdict]} />
      <span>{word ?? verdictWord(verdict, pausedUntil)}</span>
    </span>
  );
}

interface BarShape {
  y: number;
  height: number;
  inset: number;
  opacity: number;
}

/** Height carries the verdict too: slow full, healthy 5 of 16, paused or declined half and hollow, not measured a baseline. */
export function barShape(hour: StripHour, full: number): BarShape {
  if (hour === 'not_measured') return { y: full - 1, height: 1, inset: 0, opacity: 0.55 };
  if (hour === 'none') {
    const height = Math.round((full * 5) / 16);
    return { y: full - height, height, inset: 0, opacity: 0.8 };
  }
  if (hour === 'paused' || hour === 'declined') return { y: full / 2 + 0.5, height: full / 2 - 1, inset: 0.5, opacity: 1 };
  if (hour === 'unknown') return { y: 0.5, height: full - 1, inset: 0.5, opacity: 1 };
  return { y: 0, height: full, inset: 0, opacity: 1 };
}

/** CSS class of a bar's fill. */
export function barClass(hour: StripHour): string {
  if (hour === 'not_measured') return 'f-gap';
  return hour === 'paused' || hour === 'declined' ? 'f-paused' : `f-${toneOf(hour)}`;
}

const placeHours = (hours: readonly StripHour[]) => hours.map((hour, index) => ({ hour, at: index * 4 }));

/** One bar an hour, oldest first. */
export function Strip({ hours }: { hours: readonly StripHour[] }) {
  const width = hours.length * 4 - 1;
  return (
    <svg
      className="strip"
      width={Math.max(width, 0)}
      height="16"
      viewBox={`0 0 ${Math.max(width, 0)} 16`}
      role="img"
      aria-label={`Last ${hours.length} hours: ${describeStrip(hours)}`}
    >
      {placeHours(hours).map(({ hour, at }) => {
        const shape = barShape(hour, 16);
        return (
          <rect
            key={at}
            className={barClass(hour)}
            x={at + shape.inset}
            y={shape.y}
            width={3 - 2 * shape.inset}
            height={shape.height}
            opacity={shape.opacity}
          />
        );
      })}
    </svg>
  );
}
