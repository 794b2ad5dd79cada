import type { TraceFilter } from './api.ts';

/**
 * Asks about the roots, which stand for their traces, where the filter names no kind of span. Where it does, or where no root arrives (only one
 * service of many is instrumented), about the spans themselves: they say how long it took.
 */
export async function askRootsFirst<Answer>(
  { service, operation, kind, attribute }: TraceFilter,
  ask: (rootsOnly: boolean) => Promise<Answer>,
  isEmpty: (answer: Answer) => boolean,
): Promise<{ of: 'roots' | 'spans'; answer: Answer }> {
  if ((service ?? operation ?? kind ?? attribute) === undefined) {
    const answer = await ask(true);
    if (!isEmpty(answer)) return { of: 'roots', answer };
  }
  return { of: 'spans', answer: await ask(false) };
}
