import { AppError } from './errors.ts';
import type { TenantId } from './tenant.ts';

/** A tenant counts as one of several for so long after another one asked. */
const OTHERS_MS = 10_000;

export interface TenantTurnsOptions {
  /** At once, of all tenants together. Left out: as many as the tenants may have. */
  total?: number;
  /** At once, of a tenant while no other one asks. */
  alone: number;
  /** At once, of this tenant while others ask too, from 1. Left out: as alone. */
  beside?: number | ((tenant: TenantId) => number);
  /** Of one tenant; one more is refused. */
  maxWaiting: number;
  /** What the refused one is told. */
  refusal: string;
  nowMs?: () => number;
}

/**
 * Shares what tenants use together: each has at most so many turns at once, and the rest waits in its tenant's own line. What becomes free goes
 * round from tenant to tenant, so that whoever waits is behind one turn of each other tenant and not behind all that they asked.
 */
export interface TenantTurns {
  /**
   * Runs the work in its tenant's turn; of one tenant in order. `rate_limited`, to be tried again in a second, when too many of this tenant
   * wait. A turn asked for inside another one of the same tenant could wait for itself. Whoever waits leaves the line, and rejects with the
   * signal's reason, once `ended` is aborted; work that has begun has to follow that itself.
   */
  use<T>(tenant: TenantId, work: (turn: { isBesideOthers: boolean }) => Promise<T>, ended?: AbortSignal): Promise<T>;
  /** Turns of all tenants under way. */
  running(): number;
}

interface Line {
  running: number;
  waiting: (() => void)[];
}

/** Resolves when the line has come to this one. */
function waitIn(line: Line, ended: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.waiting.splice(line.waiting.indexOf(begin), 1);
      reject(ended?.reason);
    };
    const begin = (): void => {
      ended?.removeEventListener('abort', leave);
      resolve();
    };
    line.waiting.push(begin);
    ended?.addEventListener('abort', leave, { once: true });
  });
}

/** Whether a tenant is one of several: another one asked within the last ten seconds. */
export function createNeighbours(nowMs: () => number = () => performance.now()) {
  const nobody = { tenant: '', atMs: Number.NEGATIVE_INFINITY };
  let latest = { ...nobody };
  /** Of another tenant than the latest. */
  let former = { ...nobody };
  return {
    note(tenant: string): void {
      if (latest.tenant !== tenant) former = latest;
      latest = { tenant, atMs: nowMs() };
    },
    areThereFor(tenant: string): boolean {
      const other = latest.tenant === tenant ? former : latest;
      return nowMs() - other.atMs < OTHERS_MS;
    },
  };
}

export function createTenantTurns(options: TenantTurnsOptions): TenantTurns {
  const { total = Number.POSITIVE_INFINITY, alone, beside = alone, maxWaiting, refusal } = options;
  const neighbours = createNeighbours(options.nowMs ?? (() => performance.now()));
  /** In the order in which tenants come next. */
  const lines = new Map<TenantId, Line>();
  let running = 0;

  const besideOthers = (tenant: TenantId): number => (typeof beside === 'function' ? beside(tenant) : beside);
  const hasTurn = (tenant: TenantId, line: Line): boolean =>
    running < total && line.running < (neighbours.areThereFor(tenant) ? besideOthers(tenant) : alone);

  function startNext(): void {
    for (const [tenant, line] of lines) {
      if (running >= total) return;
      if (line.waiting.length === 0 || !hasTurn(tenant, line)) continue;
      lines.delete(tenant);
      lines.set(tenant, line);
      begin(line);
      line.waiting.shift()?.();
      startNext();
      return;
    }
  }

  function begin(line: Line): void {
    line.running++;
    running++;
  }

  function end(tenant: TenantId, line: Line): void {
    line.running--;
    running--;
    if (line.running === 0 && line.waiting.length === 0) lines.delete(tenant);
    startNext();
  }

  return {
    async use(tenant, work, ended) {
      ended?.throwIfAborted();
      neighbours.note(tenant);
      const line = lines.get(tenant) ?? { running: 0, waiting: [] };
      lines.set(tenant, line);
      if (line.waiting.length === 0 && hasTurn(tenant, line)) begin(line);
      else if (line.waiting.length >= maxWaiting) throw new AppError('rate_limited', refusal, { retryAfterSeconds: 1 });
      else await waitIn(line, ended);
      try {
        return await work({ isBesideOthers: neighbours.areThereFor(tenant) });
      } finally {
        end(tenant, line);
      }
    },
    running: () => running,
  };
}
