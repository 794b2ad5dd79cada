import type { Count } from '#kernel';

interface Used {
  accepted: readonly { tenant: string; signal: string; items: number }[];
  refused: readonly { tenant: string | undefined; reason: string; count: number }[];
}

/** What the receiver took in, and what it refused. */
export const usageCounts = ({ accepted, refused }: Used): Count[] => [
  ...accepted.map(
    ({ tenant, signal, items }): Count => ({
      name: 'svc.ingest.accepted',
      value: items,
      attributes: { source: 'otlp', signal, tenant },
    }),
  ),
  ...refused.map(
    ({ tenant, reason, count }): Count => ({
      name: 'svc.ingest.refused',
      value: count,
      attributes: { source: 'otlp', reason, ...(tenant === undefined ? {} : { tenant }) },
    }),
  ),
];
