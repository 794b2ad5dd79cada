/** Attributes in the order in which they were sent; `types` has a letter for each (docs/adr/otlp/0010). */
export interface TypedAttributes {
  keys: string[];
  values: string[];
  types: string;
}

/** As in OTLP JSON; what is empty is left out. */
export interface EntityRef {
  schemaUrl?: string;
  type?: string;
  idKeys?: string[];
  descriptionKeys?: string[];
}

/** What Resource, InstrumentationScope and Metric said beside what has a column of its own; what is empty is left out. */
export interface OriginNotes {
  resource?: { schemaUrl?: string; droppedAttributesCount?: number; entityRefs?: EntityRef[] };
  scope?: { schemaUrl?: string; droppedAttributesCount?: number; attributes?: TypedAttributes };
  /** Of a Metric. */
  metadata?: TypedAttributes;
}

/** The notes of a column `origin` (clickhouse/migrations/0011): JSON, '' for none. */
export const parseOriginNotes = (text: string): OriginNotes => (text === '' ? {} : (JSON.parse(text) as OriginNotes));

/** The text of notes; '' where nothing is noted. */
export const formatOriginNotes = (notes: OriginNotes): string => (Object.keys(notes).length === 0 ? '' : JSON.stringify(notes));
