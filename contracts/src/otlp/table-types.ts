/** Field number, name, JSON name, type (a scalar's, a message's or an enum's name), and how it occurs when not simply once. */
export type FieldRow = readonly [
  number: number,
  name: string,
  jsonName: string,
  type: string,
  occurrence?: 'repeated' | 'optional' | `oneof ${string}`,
];

/** By the message's name, a nested one's with its parent's before it: 'Span.Event'. Rows in the order of field numbers. */
export type MessageTables = Readonly<Record<string, readonly FieldRow[]>>;

/** By the enum's name; values by their names. */
export type EnumTables = Readonly<Record<string, Readonly<Record<string, number>>>>;
