/** A field of the beacon as the page explains it. */
export interface BeaconField {
  name: string;
  /** As it was sent; absent where it was not. */
  value: string | undefined;
  meaning: string;
}

const FIELDS: readonly (readonly [name: string, meaning: string])[] = [
  ['v', 'Version of this list of fields.'],
  ['key', 'The app’s key: public, reads nothing.'],
  ['consent', 'That the visitor agreed. Without it the server refuses the beacon.'],
  ['host', 'Host of the page, by which tests of the same host are found.'],
  ['page', 'Path of the page, without query and fragment. The server writes :id for numbers in it.'],
  ['browser', 'Family of the browser: no version, no user agent.'],
  ['vitals.ttfb_ms', 'Time to the first byte.'],
  ['vitals.fcp_ms', 'Time to the first paint.'],
  ['vitals.lcp_ms', 'Time to the largest paint.'],
  ['vitals.inp_ms', 'How long the page took to answer inputs.'],
  ['vitals.load_ms', 'Time to the end of loading.'],
  ['vitals.cls', 'How much of the page moved unasked.'],
  ['errors', 'How many script errors; never their text.'],
  ['failed_requests', 'How many requests failed; never which.'],
  ['sdk', 'Version of the script.'],
];

export const NEVER_SENT = [
  'query and fragment of the address',
  'title and text of the page',
  'referrer',
  'cookies or any identifier',
  'user agent',
  'what was clicked or typed',
] as const;

function flatten(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, path === '' ? key : `${path}.${key}`));
}

/** Every field of the schema with what a body holds of it; one that the schema does not know stands at the end. */
export function readFields(body: string | undefined): BeaconField[] {
  const sent = new Map(body === undefined ? [] : flatten(JSON.parse(body), ''));
  const known = FIELDS.map(([name, meaning]) => ({ name, value: sent.get(name), meaning }));
  const names = new Set(FIELDS.map(([name]) => name));
  const unknown = [...sent].filter(([name]) => !names.has(name));
  return [...known, ...unknown.map(([name, value]) => ({ name, value, meaning: 'Outside the schema: the server refuses it.' }))];
}
