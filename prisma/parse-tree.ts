/** A node of PostgreSQL's parse tree as libpg-query prints it: one key names its kind. */
export type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The child node under a key; an empty node when there is none. */
export const child = (node: Node, key: string): Node => {
  const value = node[key];
  return isNode(value) ? value : {};
};

export const text = (node: Node, key: string): string => {
  const value = node[key];
  return typeof value === 'string' ? value : '';
};

export const nodes = (node: Node, key: string): Node[] => {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

/** Kind and content of a wrapped node, for example `{RangeVar: {...}}`. */
export const unwrap = (node: Node): { kind: string; content: Node } => {
  const [kind = ''] = Object.keys(node);
  return { kind, content: child(node, kind) };
};

/** schema.name without the schema that everything is in. */
export const relationName = (node: Node): string => {
  const schema = text(node, 'schemaname');
  return schema === '' || schema === 'public' ? text(node, 'relname') : `${schema}.${text(node, 'relname')}`;
};

/** The last part of a qualified name given as a list of strings. */
export const lastName = (list: readonly Node[]): string => text(child(list.at(-1) ?? {}, 'String'), 'sval');

/** True when the kind occurs anywhere below. */
export const contains = (value: unknown, kinds: readonly string[]): boolean => {
  if (Array.isArray(value)) return value.some((one) => contains(one, kinds));
  if (!isNode(value)) return false;
  return Object.entries(value).some(([key, below]) => kinds.includes(key) || contains(below, kinds));
};
