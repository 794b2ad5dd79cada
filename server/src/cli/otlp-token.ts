import { AppError, type TenantId } from '#kernel';
import { type Command, textOption } from './command.ts';
import { readExpiry, readTenant } from './token.ts';

export interface OtlpTokenCommandDeps {
  /** Opens the database beside a running server or alone, mints, and closes it. */
  mintOtlpToken: (tenant: TenantId, token: { name: string; expiresAt: Date | undefined }) => Promise<{ token: string }>;
  now: () => number;
}

/** `svc otlp-token create --tenant T [--name N] [--expires D]` */
export function createOtlpTokenCommand({ mintOtlpToken, now }: OtlpTokenCommandDeps): Command {
  return {
    name: 'otlp-token create',
    summary: 'Creates a token that may send OpenTelemetry data and prints it, once.',
    details: 'Only its hash is kept. A running server takes it within a second. It is listed and revoked in the console.',
    options: {
      tenant: { type: 'string', value: 'ID', required: true, help: 'the tenant whose data it sends' },
      name: { type: 'string', value: 'NAME', help: 'a name to recognise it by; default "command line"' },
      expires: { type: 'string', value: 'TIME', help: '90d, 12h, 30m or 2027-01-31T00:00:00Z; default never' },
    },
    async run(input) {
      const tenant = readTenant(input);
      const name = textOption(input, 'name')?.trim() || 'command line';
      if (name.length > 200) throw new AppError('bad_request', 'A token name has at most 200 characters.');
      const expires = textOption(input, 'expires');
      const expiresAt = expires === undefined ? undefined : readExpiry(expires, now());
      input.print((await mintOtlpToken(tenant, { name, expiresAt })).token);
    },
  };
}
