import type { FastifyBaseLogger } from 'fastify';
import { AppError, type Clock, type TenantId } from '#kernel';
import type { Relational } from '#relational';

/** What a tenant may use of the model in a day (UTC), over all replicas: reserved before a question, settled behind it. */

export interface Bounds {
  tokensPerDay: number;
  secondsPerDay: number;
}

export interface Used {
  tokens: number;
  busyMs: number;
}

/** As long as anybody asks what was used. */
const KEPT_DAYS = 400;

const dayOf = (clock: Clock): string => new Date(clock.now()).toISOString().slice(0, 10);

interface Deps {
  relational: Relational;
  bounds: Bounds;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Takes what a question may use at most; AppError `rate_limited` where the day has no more of it. */
async function reserve({ relational, bounds, clock }: Deps, tenant: TenantId, wanted: Used): Promise<string> {
  const day = dayOf(clock);
  if (wanted.tokens > bounds.tokensPerDay || wanted.busyMs > bounds.secondsPerDay * 1000)
    throw new AppError('rate_limited', 'One question alone may use more of the model than a day allows.', {
      retryAfterSeconds: 86_400,
    });
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query('DELETE FROM model_usage WHERE day < $1::date - $2::int', [day, KEPT_DAYS]);
    const { rowCount } = await sql.query(
      `INSERT INTO model_usage AS u (tenant_id, day, calls, tokens, busy_ms) VALUES (current_setting('app.tenant_id'), $1, 1, $2, $3)
       ON CONFLICT (tenant_id, day) DO UPDATE SET calls = u.calls + 1, tokens = u.tokens + $2, busy_ms = u.busy_ms + $3
       WHERE u.tokens + $2 <= $4 AND u.busy_ms + $3 <= $5`,
      [day, wanted.tokens, wanted.busyMs, bounds.tokensPerDay, bounds.secondsPerDay * 1000],
    );
    if (rowCount) return;
    const secondsLeft = Math.ceil((Date.parse(`${day}T00:00:00Z`) + 86_400_000 - clock.now()) / 1000);
    throw new AppError('rate_limited', 'This tenant has used its share of the model for today.', {
      retryAfterSeconds: secondsLeft,
    });
  });
  return day;
}

/**
 * Runs a question within the tenant's share. One that fails costs its time and `ifFailed` tokens, since nobody says what it took; a crash in
 * between, or a database that is away by then, leaves the reservation, never less.
 */
export async function withinBudget<T>(
  deps: Deps,
  { tenant, atMost, ifFailed }: { tenant: TenantId; atMost: Used; ifFailed: number },
  ask: () => Promise<{ value: T; tokens: number }>,
): Promise<T> {
  const day = await reserve(deps, tenant, atMost);
  const startedMs = performance.now();
  let tokens = ifFailed;
  try {
    const { value, tokens: used } = await ask();
    tokens = used;
    return value;
  } finally {
    const back = { tokens: atMost.tokens - tokens, busyMs: Math.round(atMost.busyMs - (performance.now() - startedMs)) };
    const settle = 'UPDATE model_usage SET tokens = greatest(tokens - $2, 0), busy_ms = greatest(busy_ms - $3, 0) WHERE day = $1';
    await deps.relational
      .withSystemSql(tenant, (sql) => sql.query(settle, [day, back.tokens, back.busyMs]))
      // What came of the question is worth more than the rest of its reservation.
      .catch((error: unknown) => deps.log.warn({ err: error, tenant }, 'what a question left of its share was not given back'));
  }
}
