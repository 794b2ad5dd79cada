import { type Count, createTally, ingestCounts, type TenantId } from '#kernel';

export interface IntakeCounts<Reason extends string> {
  /** Of a verified delivery, or of a refused one whose webhook is known. */
  add(tenant: TenantId, word: 'accepted' | Reason): void;
  /** A delivery to a webhook that nobody has. */
  addUnknown(): void;
  /** For the own metrics. */
  read(): Count[];
}

export function createIntakeCounts<Reason extends string>(source: string): IntakeCounts<Reason> {
  const tally = createTally<'accepted' | Reason>();
  let unknown = 0;
  return {
    add: (tenant, word) => tally.add(tenant, word),
    addUnknown() {
      unknown += 1;
    },
    read: () => [
      ...ingestCounts(tally.read(), { source, success: 'accepted' }),
      ...(unknown > 0
        ? [{ name: 'svc.ingest.refused' as const, value: unknown, attributes: { source, reason: 'unknown_webhook' } }]
        : []),
    ],
  };
}
