const MEASURED_PHASES = ['dns', 'connect', 'tls', 'ttfb'] as const;
export type MeasuredPhase = (typeof MEASURED_PHASES)[number] | 'proxy' | 'rest';

interface PhaseTimes {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly proxyMs?: number | null;
  readonly tlsMs: number | null;
  readonly ttfbMs: number | null;
  readonly totalMs: number;
}

/**
 * Where a session spent most of its time; `rest` is the body, or the phase in which it failed. Null where no phase has half of it:
 * then the session is slow all over, as behind a long way.
 */
export function longestPhase(session: PhaseTimes): MeasuredPhase | null {
  const parts = MEASURED_PHASES.map((phase) => ({ phase: phase as MeasuredPhase, ms: session[`${phase}Ms`] ?? 0 }));
  // The tunnel is a part of connecting.
  const proxyMs = session.proxyMs ?? 0;
  for (const part of parts) if (part.phase === 'connect') part.ms -= proxyMs;
  parts.push({ phase: 'proxy', ms: proxyMs });
  const rest = session.totalMs - parts.reduce((sum, part) => sum + part.ms, 0);
  parts.push({ phase: 'rest', ms: Math.max(0, rest) });
  return parts.find((part) => part.ms > 0 && part.ms * 2 >= session.totalMs)?.phase ?? null;
}
