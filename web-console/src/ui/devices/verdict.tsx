import type { StripHour, Verdict as VerdictValue } from '@svc/contracts/endpoint/view';
import { Icon, type IconName } from '../controls/icons.tsx';
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

interface StripPath {
  className: string;
  opacity: number;
  d: string;
}

/** Bars that look alike as one path: a table of 200 strips is hundreds of shapes so, not 4,800. */
export function stripPaths(hours: readonly StripHour[]): StripPath[] {
  const paths = new Map<StripHour, StripPath>();
  for (const [index, hour] of hours.entries()) {
    const { y, height, inset, opacity } = barShape(hour, 16);
    const width = 3 - 2 * inset;
    const bar = `M${index * 4 + inset} ${y}h${width}v${height}h-${width}z`;
    const path = paths.get(hour);
    if (path) path.d += bar;
    else paths.set(hour, { className: barClass(hour), opacity, d: bar });
  }
  return [...paths.values()];
}

/** One bar an hour, oldest first. */
export function Strip({ hours }: { hours: readonly StripHour[] }) {
  const width = Math.max(hours.length * 4 - 1, 0);
  return (
    <svg
      className="strip"
      width={width}
      height="16"
      viewBox={`0 0 ${width} 16`}
      role="img"
      aria-label={`Last ${hours.length} hours: ${describeStrip(hours)}`}
    >
      {stripPaths(hours).map((path) => (
        <path key={path.className + path.d} {...path} />
      ))}
    </svg>
  );
}
