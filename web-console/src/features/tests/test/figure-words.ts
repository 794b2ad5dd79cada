import { formatBytes, formatCount, formatMs, formatPercent, plural } from '../../../ui/words/format.ts';

type Format = (value: number) => string;

const days: Format = (value) => plural(Math.floor(value), 'day');

/** Figures of a run by their names in the result, in the order in which they are shown. */
const FIGURES: Readonly<Record<string, readonly [name: string, format: Format]>> = {
  status: ['Status', String],
  bytes: ['Bytes', formatBytes],
  redirects: ['Redirects', formatCount],
  'rtt.avg.ms': ['Round trip, mean', formatMs],
  'rtt.min.ms': ['Round trip, least', formatMs],
  'rtt.max.ms': ['Round trip, most', formatMs],
  'jitter.ms': ['Jitter', formatMs],
  'packet.loss.ratio': ['Loss', formatPercent],
  'ttl.seconds': ['TTL', (value) => `${formatCount(value)}\u00a0s`],
  answers: ['Answers', formatCount],
  requests: ['Requests', formatCount],
  'requests.failed': ['Failed requests', formatCount],
  'lcp.ms': ['Largest paint', formatMs],
  'fcp.ms': ['First paint', formatMs],
  cls: ['Layout shift', (value) => value.toFixed(3)],
  'certificate.days': ['Certificate', days],
};

/** What is known by name first; the rest by its own name. */
export function figureWords(figures: Readonly<Record<string, number>>): (readonly [string, string])[] {
  const known = Object.entries(FIGURES).flatMap(([key, [name, format]]) => {
    const value = figures[key];
    return value === undefined ? [] : [[name, format(value)] as const];
  });
  const rest = Object.entries(figures)
    .filter(([key]) => !Object.hasOwn(FIGURES, key))
    .map(([key, value]) => [key.replaceAll(/[._]/g, ' '), formatCount(value)] as const);
  return [...known, ...rest];
}
