/** Attributes with a column of their own in the order of otlp-wire/assembly/rows/hot.ts, newest name first; older semantic conventions name the same. */
const KEYS = [
  ['http.request.method', 'http.method'],
  ['http.route'],
  ['http.response.status_code', 'http.status_code'],
  ['db.system.name', 'db.system'],
  ['rpc.service'],
  ['peer.service'],
  ['server.address', 'net.peer.name'],
  ['server.port', 'net.peer.port'],
  ['messaging.system'],
] as const;

const PLACES: ReadonlyMap<string, number> = new Map(
  KEYS.flatMap((names, which) => names.map((name, age): [string, number] => [name, which * 2 + age])),
);

/** Two places for each attribute, the newer name's first; -1 for a name that has no column. */
export const placeOf = (name: string): number => PLACES.get(name) ?? -1;
