/** Whole numbers are sent as int, others as double. */
export type Value = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, Value>>;
