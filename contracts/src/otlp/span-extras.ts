import type { TypedAttributes } from './origin-notes.ts';

export interface SpanLink {
  /** Ids in hex, zeros where the sender gave none. */
  traceId: string;
  spanId: string;
  traceState: string;
  flags: number;
  attributes: TypedAttributes;
  droppedAttributesCount: number;
}

/** What few spans have: links, and counts of what the sender dropped. Names as in OTLP JSON. */
export interface SpanExtras {
  links: SpanLink[];
  droppedAttributesCount: number;
  droppedEventsCount: number;
  droppedLinksCount: number;
  /** Attributes that were dropped of each event, in their order; shorter where the rest is 0. */
  droppedOfEvents: number[];
}

/** As it is written: what is empty or 0 may be left out. */
export type WrittenLink = Partial<SpanLink>;
export type WrittenExtras = Partial<Omit<SpanExtras, 'links'> & { links: WrittenLink[] }>;

const [NO_TRACE, NO_SPAN] = ['0'.repeat(32), '0'.repeat(16)];

const toLink = (written: WrittenLink): SpanLink => ({
  traceId: NO_TRACE,
  spanId: NO_SPAN,
  traceState: '',
  flags: 0,
  attributes: { keys: [], values: [], types: '' },
  droppedAttributesCount: 0,
  ...written,
});

/** What a column `extras` holds (clickhouse/migrations/0015): JSON, '' for nothing. */
export function parseSpanExtras(text: string): SpanExtras {
  const { links = [], ...written }: WrittenExtras = text === '' ? {} : JSON.parse(text);
  return {
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    droppedOfEvents: [],
    ...written,
    links: links.map(toLink),
  };
}
