import type { Line, Matcher } from './metrics-search.ts';

/** Labels of OpenTelemetry that name something that can be changed: a service, a host, what is called. */
const NAMING = ['service.name', 'host.name', 'server.address'] as const;

/** What a chart of these lines is of, as far as it says: by its lines' labels, and by the conditions that chose them. */
export function targetsOf(lines: readonly Pick<Line, 'labels'>[], matchers: readonly Matcher[] = []): string[] {
  const ofLines = lines.flatMap(({ labels }) => NAMING.flatMap((name) => labels[name] ?? []));
  const asked = matchers.filter(({ label, op }) => op === '=' && NAMING.some((name) => name === label));
  return [...new Set([...ofLines, ...asked.flatMap(({ values }) => values)])].filter((value) => value !== '');
}
