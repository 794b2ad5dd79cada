import { AppError, type AuditEntry, type TenantId } from '#kernel';
import type { CreateEnrolToken } from '../api.ts';

export interface StartTokens {
  /** What to run on another device; undefined where no token could be made. */
  command?: string;
  /** For the agent of this machine; undefined where no token could be made. */
  token?: string;
  /** What to do about a token that could not be made. */
  notes: readonly string[];
}

type Mint = (
  owner: { tenant: TenantId; actor: AuditEntry['actor'] },
  input: CreateEnrolToken,
) => Promise<{ token: string; command: string }>;

/**
 * Mints the two tokens that a start shows: one for other devices, one for this machine. Never rejects: whoever may mint tokens could
 * otherwise keep the server from starting.
 */
export async function mintAtStart(mint: Mint, tenant: TenantId): Promise<StartTokens> {
  const owner = { tenant, actor: { kind: 'system' as const, id: 'start' } };
  try {
    const others = await mint(owner, { label: 'printed at start', uses: 20, expires_in_hours: 24 });
    const own = await mint(owner, { label: 'this machine', uses: 1, expires_in_hours: 1 / 6 });
    return { command: others.command, token: own.token, notes: [] };
  } catch (error) {
    const why = error instanceof AppError ? error.message : 'The server failed to make one.';
    const advice = 'Revoke tokens that nobody needs and create one under Fleet, "Enrol a device".';
    return { notes: [`This start has no enrol token to show. ${why} ${advice}`] };
  }
}
