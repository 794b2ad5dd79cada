import type { Line } from './metrics-search.ts';

export interface LineLook {
  /** A CSS colour, `var(--v-1)` to `var(--v-12)`. */
  color: string;
  dash: readonly number[];
}

/** The services' colours, each as far as can be from those before it. */
const COLORS = [1, 7, 5, 9, 2, 12, 10, 11, 6, 4, 3, 8] as const;
const DASHES = [[], [6, 3], [2, 2]] as const;

const dashOf = (turn: number): readonly number[] => DASHES[turn % DASHES.length] ?? [];
export const serviceOf = ({ labels }: Pick<Line, 'labels'>): string => labels['service.name'] ?? '';

/** Whether lines are told apart by service, and so have the colours that services have everywhere. */
export function isByService(lines: readonly Pick<Line, 'labels'>[]): boolean {
  const services = new Set(lines.map(serviceOf));
  return !services.has('') && (services.size > 1 || lines.length === 1);
}

/** Lines of several services have their service's colour, further ones of the same service dashed; others have colours by their place. */
export function lineLooks(lines: readonly Pick<Line, 'labels'>[], colorOf: (service: string) => string): LineLook[] {
  if (!isByService(lines))
    return lines.map((_, place) => ({
      color: `var(--v-${COLORS[place % COLORS.length]})`,
      dash: dashOf(Math.floor(place / COLORS.length)),
    }));
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const service = serviceOf(line);
    const turn = seen.get(service) ?? 0;
    seen.set(service, turn + 1);
    return { color: colorOf(service), dash: dashOf(turn) };
  });
}
