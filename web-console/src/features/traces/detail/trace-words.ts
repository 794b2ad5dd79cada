import type { Trace } from '../../../api-types.ts';
import { formatCount, formatMs, formatPercent, joinWords, plural } from '../../../ui/words/format.ts';

/** Nanoseconds as a person reads them: 800 ns, 12 µs, 310 ms, 1.84 s. */
export function formatNs(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)}\u202fns`;
  if (ns < 1e6) return `${ns < 9950 ? (ns / 1000).toFixed(1).replace(/\.0$/, '') : Math.round(ns / 1000)}\u202fµs`;
  return formatMs(ns / 1e6);
}

type Told = Pick<Trace, 'root' | 'services' | 'wire_ns' | 'skews'>;

export interface Share {
  /** '' for what was between services. */
  service: string;
  ns: number;
  ratio: number;
}

/** Clocks that differ by a larger part of the root than this make its shares a guess. */
const MAX_SKEW = 0.05;

/**
 * Who held up the trace, the largest first; what a service did off the critical path is nobody's waiting. None where clocks differ too much
 * to tell: a child that lies elsewhere would leave its time to its caller and to the wire.
 */
export function sharesOf({ services, wire_ns: wire, skews, root }: Told): Share[] {
  if (skews.some(({ skew_ns }) => skew_ns > MAX_SKEW * root.duration_ns)) return [];
  const parts = [
    ...services.map(({ name, critical_ns: ns }) => ({ service: name, ns })),
    ...(wire > 0 ? [{ service: '', ns: wire }] : []),
  ].filter(({ ns }) => ns > 0);
  const whole = parts.reduce((sum, { ns }) => sum + ns, 0);
  return parts.map((part) => ({ ...part, ratio: part.ns / whole })).sort((a, b) => b.ns - a.ns);
}

/** The sentence above a trace: how long it took and what most of it was. */
export function describeTrace(trace: Told): string {
  const took = `${trace.root.name} took ${formatNs(trace.root.duration_ns)}.`;
  const [most, next] = sharesOf(trace);
  if (most === undefined || next === undefined) return took;
  const of = (share: Share): string => (share.service === '' ? 'between services' : share.service);
  const percent = formatPercent(most.ratio);
  if (most.ratio >= 0.5)
    return most.service === ''
      ? `${took} ${percent} of it passed between services.`
      : `${took} ${percent} of it was ${most.service}.`;
  return `${took} Most of it was ${of(most)}, ${percent}, and ${of(next)}, ${formatPercent(next.ratio)}.`;
}

/** The line of remainder under it, without the time. */
export function describeParts(trace: Trace): string {
  const failed = [...trace.services].filter(({ errors }) => errors > 0).map(({ name }) => name);
  // Of a trace that is cut the failed spans may all be among those that are not shown.
  const where = failed.length === 0 ? '' : ` in ${joinWords(failed.slice(0, 3))}`;
  const errors = trace.errors === 0 ? 'no error' : `${plural(trace.errors, 'error')}${where}`;
  return `${plural(trace.span_count, 'span')}, ${plural(trace.services.length, 'service')}, ${errors}`;
}

/** What the trace cannot tell, in sentences; none where it is whole. */
export function describeLimits(trace: Trace): string[] {
  const limits: string[] = [];
  if (trace.span_count > trace.spans.length)
    limits.push(
      `The first ${formatCount(trace.spans.length)} spans are shown, ${formatCount(trace.span_count - trace.spans.length)} more are not.`,
    );
  if (!trace.root.seen)
    limits.push('The root span is missing: it was not instrumented, was sampled away, or has not arrived yet.');
  else if (trace.missing_parents > 0)
    limits.push(
      `${plural(trace.missing_parents, 'span')} ${trace.missing_parents === 1 ? 'names a parent that is' : 'name parents that are'} not here: not instrumented, sampled away or not yet arrived.`,
    );
  const [skew] = trace.skews;
  if (skew)
    limits.push(
      `The clocks of ${skew.parent} and ${skew.child} differ by at least ${formatNs(skew.skew_ns)}: their spans are drawn as their own clocks say.`,
    );
  return limits;
}
