import { AppError, type AuditEntry, type TenantId } from '#kernel';
import { type Command, textOption } from './command.ts';
import { readExpiry, readTenant } from './token.ts';

export interface RunnerTokenCommandDeps {
  mintRunnerToken: (
    owner: { tenant: TenantId; actor: AuditEntry['actor'] },
    input: { name?: string; labels: Record<string, string>; site?: string; uses: number; expires_in_hours: number },
  ) => Promise<{ token: string; command: string }>;
  now: () => number;
}

const HOUR_MS = 3_600_000;

/** `svc runner-token create --tenant T [--uses N] [--expires D] [--name N] [--site S] [--quiet]` */
export function createRunnerTokenCommand({ mintRunnerToken, now }: RunnerTokenCommandDeps): Command {
  return {
    name: 'runner-token create',
    summary: 'Creates a token that enrols runners of synthetic tests and prints the commands to run there, once.',
    details: 'Only its hash is kept. It enrols no device. It is listed and revoked on the page of runners.',
    options: {
      tenant: { type: 'string', value: 'ID', required: true, help: 'the tenant whose tests they run' },
      uses: { type: 'string', value: 'N', help: 'how many runners it enrols, 1 to 1000; default 1' },
      expires: { type: 'string', value: 'TIME', help: '7d, 12h, 30m or 2027-01-31T00:00:00Z; default 24h' },
      name: { type: 'string', value: 'NAME', help: 'name of the runner, where it says none itself' },
      site: { type: 'string', value: 'NAME', help: 'site of the runners it enrols' },
      quiet: { type: 'boolean', help: 'print the token alone' },
    },
    async run(input) {
      const uses = Number(textOption(input, 'uses') ?? '1');
      if (!Number.isSafeInteger(uses) || uses < 1 || uses > 1000)
        throw new AppError('bad_request', 'Invalid number of uses: 1 to 1000.');
      const nowMs = now();
      const hours = (readExpiry(textOption(input, 'expires') ?? '24h', nowMs).getTime() - nowMs) / HOUR_MS;
      if (hours > 8784) throw new AppError('bad_request', 'A token for runners lives for a year at most.');
      const [name, site] = [textOption(input, 'name')?.trim(), textOption(input, 'site')?.trim()];
      const wanted = { labels: {}, uses, expires_in_hours: hours, ...(name ? { name } : {}), ...(site ? { site } : {}) };
      const made = await mintRunnerToken({ tenant: readTenant(input), actor: { kind: 'system', id: 'cli' } }, wanted);
      input.print(input.options.quiet ? made.token : made.command);
    },
  };
}
