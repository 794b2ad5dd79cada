import { AppError, type AuditEntry, type TenantId } from '#kernel';
import { type Command, type CommandInput, textOption } from './command.ts';
import { readExpiry, readTenant } from './token.ts';

interface NewEnrolToken {
  label?: string;
  site?: string;
  owner?: string;
  uses: number;
  expires_in_hours: number;
}

export interface EnrollTokenCommandDeps {
  /** Opens what the fleet slice needs, beside a running server or alone, and closes it after `work`. */
  withFleet: <T>(
    work: (fleet: {
      createEnrolToken: (
        owner: { tenant: TenantId; actor: AuditEntry['actor'] },
        input: NewEnrolToken,
      ) => Promise<{ token: string; command: string }>;
    }) => Promise<T>,
  ) => Promise<T>;
  now: () => number;
}

const HOUR_MS = 3_600_000;
const MAX_USES = 100_000;
const MAX_HOURS = 8784;

function readUses(text: string): number {
  const uses = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (uses < 1 || uses > MAX_USES) throw new AppError('bad_request', `Invalid number of uses "${text}": use 1 to ${MAX_USES}.`);
  return uses;
}

function readHours(input: CommandInput, nowMs: number): number {
  const hours = (readExpiry(textOption(input, 'expires') ?? '24h', nowMs).getTime() - nowMs) / HOUR_MS;
  if (hours > MAX_HOURS) throw new AppError('bad_request', 'An enrol token lives for a year at most.');
  return hours;
}

/** `svc enroll-token create --tenant T [--uses N] [--expires D] [--site S] [--owner E] [--quiet]` */
export function createEnrollTokenCommand({ withFleet, now }: EnrollTokenCommandDeps): Command {
  return {
    name: 'enroll-token create',
    summary: 'Creates a token that enrols devices and prints the commands to run there, once.',
    details: 'Only its hash is kept. It is listed and revoked in the console, under People and tokens.',
    options: {
      tenant: { type: 'string', value: 'ID', required: true, help: 'the tenant that the devices join' },
      uses: { type: 'string', value: 'N', help: 'how many devices it enrols; default 1' },
      expires: { type: 'string', value: 'TIME', help: '7d, 12h, 30m or 2027-01-31T00:00:00Z; default 24h' },
      site: { type: 'string', value: 'NAME', help: 'site of the devices it enrols' },
      owner: { type: 'string', value: 'E-MAIL', help: 'owner of the devices it enrols' },
      quiet: { type: 'boolean', help: 'print the token alone' },
    },
    async run(input) {
      const tenant = readTenant(input);
      const site = textOption(input, 'site');
      const owner = textOption(input, 'owner');
      const wanted: NewEnrolToken = {
        label: 'command line',
        uses: readUses(textOption(input, 'uses') ?? '1'),
        expires_in_hours: readHours(input, now()),
        ...(site ? { site } : {}),
        ...(owner ? { owner } : {}),
      };
      const actor = { kind: 'system' as const, id: 'cli' };
      const made = await withFleet((fleet) => fleet.createEnrolToken({ tenant, actor }, wanted));
      input.print(input.options.quiet ? made.token : made.command);
    },
  };
}
