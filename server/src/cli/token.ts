import { ROLES, type Role } from '@svc/contracts/permissions';
import { AppError, isTenantId, type TenantId } from '#kernel';
import { type Command, type CommandInput, textOption } from './command.ts';

type MintToken = (
  tenant: TenantId,
  token: { name: string; roles: readonly Role[]; expiresAt: Date | undefined },
) => Promise<{ id: string; secret: string }>;

export interface TokenCommandDeps {
  /** Opens what the identity slice needs, beside a running server or alone, and closes it after `work`. */
  withIdentity: <T>(work: (identity: { mintToken: MintToken }) => Promise<T>) => Promise<T>;
  now: () => number;
}

/** The tenant that --tenant names; AppError `bad_request` for what is no tenant id. */
export function readTenant(input: CommandInput): TenantId {
  const id = textOption(input, 'tenant') ?? '';
  if (!isTenantId(id)) throw new AppError('bad_request', `"${id}" is not a tenant ID: 1 to 63 characters of a-z, 0-9 and "-".`);
  return id;
}

function readRoles(text: string): Role[] {
  return text.split(',').map((word) => {
    const role = ROLES.find((one) => one === word.trim());
    if (!role) throw new AppError('bad_request', `"${word.trim()}" is not a role: use ${ROLES.join(', ')}.`);
    return role;
  });
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_LIFE_MS = 3650 * 86_400_000;

/** `90d`, `12h`, `30m` or a point of time in RFC 3339, later than now and within ten years. */
export function readExpiry(text: string, nowMs: number): Date {
  const match = /^(\d{1,6})([mhd])$/.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ''];
  const atMs = match && unit ? nowMs + Number(match[1]) * unit : /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs))
    throw new AppError('bad_request', `"${text}" is not a time: use 90d, 12h, 30m or 2027-01-31T00:00:00Z.`);
  if (atMs <= nowMs || atMs > nowMs + MAX_LIFE_MS)
    throw new AppError('bad_request', `"${text}" is not within the next ten years.`);
  return new Date(atMs);
}

/** `svc token create --tenant T --role R [--name N] [--expires D]` */
export function createTokenCreateCommand({ withIdentity, now }: TokenCommandDeps): Command {
  return {
    name: 'token create',
    summary: 'Creates an API token and prints it, once.',
    details:
      'Send it as "Authorization: Bearer TOKEN" to REST (/v1) and tRPC. It is revoked in the console, under People and tokens.',
    options: {
      tenant: { type: 'string', value: 'ID', required: true, help: 'whose data it reads and writes' },
      role: { type: 'string', value: 'LIST', required: true, help: `what it may do: ${ROLES.join(', ')}; comma-separated` },
      name: { type: 'string', value: 'NAME', help: 'a name to recognise it by; default "command line"' },
      expires: { type: 'string', value: 'TIME', help: '90d, 12h, 30m or 2027-01-31T00:00:00Z; default never' },
    },
    async run(input) {
      const tenant = readTenant(input);
      const roles = readRoles(textOption(input, 'role') ?? '');
      const name = textOption(input, 'name')?.trim() || 'command line';
      if (name.length > 200) throw new AppError('bad_request', 'A token name has at most 200 characters.');
      const expires = textOption(input, 'expires');
      const expiresAt = expires === undefined ? undefined : readExpiry(expires, now());
      const { secret } = await withIdentity((identity) => identity.mintToken(tenant, { name, roles, expiresAt }));
      input.print(secret);
    },
  };
}
