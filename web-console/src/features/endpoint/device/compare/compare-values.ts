import type { DeviceView } from '@svc/contracts/endpoint/view';
import { describeFailures } from '../../../../ui/devices/session-words.ts';
import { shortTarget } from '../../../../ui/devices/targets.ts';
import { formatMs, formatMsFigure, formatSigned } from '../../../../ui/words/format.ts';

/** One thing at both times, and by how much the shown one is higher. */
export interface ComparedRow {
  key: string;
  name: string;
  shown: string;
  before: string;
  difference: string;
}

interface Values {
  shown: number | null;
  before: number | null;
}

const LAYER_NAMES = { wifi: 'Wi-Fi', local: 'Gateway', isp: 'ISP edge', network: 'Beyond ISP' } as const;
const ABSENT = 'not measured';

const signed = (value: number, format: (size: number) => string): string => {
  if (format(Math.abs(value)) === format(0)) return 'same';
  return `${value > 0 ? '+' : '\u2212'}${format(Math.abs(value))}`;
};
const difference = ({ shown, before }: Values, format: (size: number) => string): string =>
  shown === null || before === null ? '' : signed(shown - before, format);

/** Milliseconds as they are shown: beside 21 ms and 22 ms stands the difference of these two, not of what they were rounded from. */
const asShown = (ms: number | null): number | null =>
  ms === null ? ms : ms >= 999.5 ? Math.round(ms / 10) * 10 : ms < 9.95 ? Math.round(ms * 10) / 10 : Math.round(ms);

/** Scores of the layers, 0 to 100. */
export function compareLayers(shown: DeviceView, before: DeviceView): ComparedRow[] {
  return shown.layers.map(({ layer, score, behind }) => {
    const then = before.layers.find((one) => one.layer === layer);
    const values = { shown: score, before: then?.score ?? null };
    const words = (value: number | null, isBehind: boolean): string => {
      if (value !== null) return formatSigned(value);
      return isBehind ? 'not judged' : ABSENT;
    };
    return {
      key: layer,
      name: LAYER_NAMES[layer],
      shown: words(values.shown, Boolean(behind)),
      before: words(values.before, Boolean(then?.behind)),
      difference: difference(values, formatSigned),
    };
  });
}

type Hop = DeviceView['paths'][number]['hops'][number];

const hopWords = (hop: Hop | undefined): string => {
  if (!hop) return 'no such hop';
  return hop.rtt_ms === null ? 'no reply' : formatMs(hop.rtt_ms);
};

/** Who answered at a hop, and who did before where that was another. */
function hopName(hop: number, shown: Hop | undefined, before: Hop | undefined): string {
  const own = shown?.address ?? before?.address;
  const moved = shown?.address && before?.address && shown.address !== before.address ? `, was ${before.address}` : '';
  return own ? `${hop}, ${own}${moved}` : String(hop);
}

/** Round trips to the hops of one target; undefined where neither time has a path to it. */
export function comparePath(shown: DeviceView, before: DeviceView, chosen: string | undefined) {
  const target = shown.paths.find((path) => path.target === chosen)?.target ?? shown.paths[0]?.target ?? before.paths[0]?.target;
  if (target === undefined) return undefined;
  const hopsOf = ({ paths }: DeviceView): ReadonlyMap<number, Hop> =>
    new Map(paths.find((path) => path.target === target)?.hops.map((hop) => [hop.hop, hop]));
  const [now, then] = [hopsOf(shown), hopsOf(before)];
  const hops = [...new Set([...now.keys(), ...then.keys()])].sort((a, b) => a - b);
  const absent = (hopsThere: ReadonlyMap<number, Hop>, hop: number): string =>
    hopsThere.size === 0 ? ABSENT : hopWords(hopsThere.get(hop));
  const rows = hops.map((hop): ComparedRow => {
    const values = { shown: asShown(now.get(hop)?.rtt_ms ?? null), before: asShown(then.get(hop)?.rtt_ms ?? null) };
    return {
      key: String(hop),
      name: hopName(hop, now.get(hop), then.get(hop)),
      shown: absent(now, hop),
      before: absent(then, hop),
      difference: difference(values, (ms) => `${formatMsFigure(ms)}\u202fms`),
    };
  });
  return { target, rows };
}

type Session = DeviceView['sessions'][number];

function sessionWords(session: Session | undefined): string {
  if (!session) return ABSENT;
  const { window } = session;
  const failures = describeFailures({ failed: window.failed, of: window.count, phases: window.phases });
  const median = window.median_ms === null ? '' : formatMs(window.median_ms);
  return [median, failures].filter(Boolean).join(', ') || ABSENT;
}

/** Median totals of the sessions that succeeded, with the failures of each time. */
export function compareSessions(shown: DeviceView, before: DeviceView): ComparedRow[] {
  const targets = [...new Set([...shown.sessions, ...before.sessions].map(({ target }) => target))];
  return targets.map((target) => {
    const of = ({ sessions }: DeviceView): Session | undefined => sessions.find((session) => session.target === target);
    const [now, then] = [of(shown), of(before)];
    const values = { shown: asShown(now?.window.median_ms ?? null), before: asShown(then?.window.median_ms ?? null) };
    return {
      key: target,
      name: shortTarget(target),
      shown: sessionWords(now),
      before: sessionWords(then),
      difference: difference(values, formatMs),
    };
  });
}
