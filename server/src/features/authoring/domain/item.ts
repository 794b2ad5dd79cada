import type { Target } from './read-target.ts';

/** One thing that stands in a request; those of several words are one. */
export interface Item {
  kind:
    | 'word'
    | 'number'
    | 'percent'
    | 'duration'
    | 'rhythm'
    | 'quote'
    | 'target'
    | 'place'
    | 'runner'
    | 'status'
    | 'json'
    | 'pair'
    | 'header'
    | 'mark';
  text: string;
  folded: string;
  start: number;
  end: number;
  /** What its words mean. */
  tags: ReadonlySet<string>;
  /** Of a number, a percentage (0 to 100), a duration or rhythm (milliseconds). */
  value?: number;
  target?: Target;
  /** Of a header or pair: what stands behind its name. */
  second?: string;
  /** It said something already, and says nothing else. */
  used?: boolean;
}

const NONE: ReadonlySet<string> = new Set();

export const newItem = (kind: Item['kind'], text: string, place: Pick<Item, 'start' | 'end'>): Item => ({
  ...{ kind, text, folded: text, tags: NONE },
  ...{ start: place.start, end: place.end },
});

export const has = (item: Item | undefined, ...tags: string[]): boolean =>
  item !== undefined && tags.some((tag) => item.tags.has(tag));
