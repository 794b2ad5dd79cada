import type { Count } from '#kernel';

interface Stored {
  /** By signal and tenant. */
  tenants: ReadonlyMap<string, ReadonlyMap<string, { rows: number; truncated: number; leftOut: number }>>;
  /** Requests that nobody can read, by signal. */
  refused: ReadonlyMap<string, number>;
}

const source = 'otlp';

/** What became of records, and the answers that were held back of each tenant. */
export function storedCounts({ tenants, refused }: Stored, held: ReadonlyMap<string, number>): Count[] {
  const ofTenants = [...tenants].flatMap(([signal, counts]) =>
    [...counts].flatMap(([tenant, { rows, truncated, leftOut }]): Count[] => {
      const attributes = { source, signal, tenant };
      return [
        { name: 'svc.ingest.stored', value: rows, attributes },
        { name: 'svc.ingest.truncated', value: truncated, attributes },
        { name: 'svc.ingest.refused', value: leftOut, attributes: { ...attributes, reason: 'left_out' } },
      ];
    }),
  );
  const unreadable = [...refused].map(
    ([signal, value]): Count => ({
      name: 'svc.ingest.refused',
      value,
      attributes: { source, signal, reason: 'unreadable' },
    }),
  );
  const answers = [...held].map(([tenant, value]): Count => ({ name: 'svc.otlp.held', value, attributes: { tenant } }));
  return [...ofTenants, ...unreadable, ...answers];
}
