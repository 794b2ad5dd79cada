import type { CardinalityOverflow } from '../../api-types.ts';
import { formatCount, joinWords, plural } from '../../ui/words/format.ts';

const TITLES: Readonly<Record<CardinalityOverflow['kind'], string>> = {
  metric_series: 'New metric series per day',
  targets: 'Targets that agents report per day',
  service_map: 'Connections on the service map per minute',
};

/** Which limit it is, with its figure. */
export const titleOf = ({ kind, bound }: CardinalityOverflow): string => `${TITLES[kind]}: ${formatCount(bound)}`;

/** What became of what is beyond the limit. */
export function describeOverflow({ kind, folded, left_out }: CardinalityOverflow): string {
  if (kind === 'targets')
    return `${plural(folded, 'result')} of further targets ${folded === 1 ? 'is' : 'are'} shown under the target “other”.`;
  if (kind === 'service_map')
    return `${plural(folded, 'call')} of further connections ${folded === 1 ? 'is' : 'are'} shown as calls of “other”.`;
  const kept = folded > 0 ? [`${plural(folded, 'point')} of further series went into otel.metric.overflow`] : [];
  const lost =
    left_out > 0 ? [`${plural(left_out, 'point')} that cannot be added up ${left_out === 1 ? 'was' : 'were'} not kept`] : [];
  return `${[...kept, ...lost].join('; ')}. Series that were there before keep every point.`;
}

/** Where it comes from, as far as a sample shows; undefined where nothing is known. */
export function describeOrigin({ metrics, label }: CardinalityOverflow): string | undefined {
  const most = metrics.slice(0, 3).map(({ name }) => name);
  const names = most.length > 0 ? [`${most.length === 1 ? 'Metric' : 'Metrics'} with most of them: ${joinWords(most)}.`] : [];
  const labels = label ? [`Label with most values: ${label.name}.`] : [];
  return names.length + labels.length > 0 ? [...names, ...labels].join(' ') : undefined;
}

/** What the tenant can do. */
export function adviseOn({ kind, label }: CardinalityOverflow): string {
  if (kind === 'targets') return 'Look for an agent that measures addresses of no policy.';
  if (kind === 'service_map') return 'Give spans a peer.service that names the service, not each of its addresses.';
  const which = label ? label.name : 'the label';
  return `Aggregate ${which} away: with a View in the SDK, or with aggregate_labels of the Collector’s metricstransform processor. Dropping it alone makes points of equal identity that replace each other. Or ask your operator to raise SVC_OTLP_SERIES_PER_DAY.`;
}
