/** Of one runner a second; beyond it its stream is read later, and nothing is refused or lost. */
const REPORTS_PER_SECOND = 1000;
const BYTES_PER_SECOND = 4 * 1024 * 1024;
/** Of all runners of a tenant, in one process: evidence of a thousand of them would else be the whole server's work. */
const TENANT_BYTES_PER_SECOND = 16 * 1024 * 1024;

interface Bill {
  /** When what was taken is paid for. */
  paidAtMs: number;
}

/** How long whoever sent something is not read from afterwards. */
export function createReportPace(now: () => number = () => performance.now()) {
  const tenants = new Map<string, Bill>();

  const bill = (debtor: Bill, ms: number): number => {
    debtor.paidAtMs = Math.max(debtor.paidAtMs, now()) + ms;
    return debtor.paidAtMs - now();
  };

  /** All that is paid for is forgotten. */
  const forget = (): void => {
    if (tenants.size < 1000) return;
    for (const [tenant, { paidAtMs }] of tenants) if (paidAtMs <= now()) tenants.delete(tenant);
  };

  return {
    /** Of one stream of a runner: what a batch costs, from its arrival on. */
    openRunner(tenant: string): (batch: { reports: number; bytes: number }) => number {
      const runner: Bill = { paidAtMs: 0 };
      return ({ reports, bytes }) => {
        const of = tenants.get(tenant) ?? { paidAtMs: 0 };
        forget();
        tenants.set(tenant, of);
        const ownMs = Math.max(reports / REPORTS_PER_SECOND, bytes / BYTES_PER_SECOND) * 1000;
        return Math.max(bill(runner, ownMs), bill(of, (bytes / TENANT_BYTES_PER_SECOND) * 1000));
      };
    },
  };
}

export type ReportPace = ReturnType<typeof createReportPace>;
