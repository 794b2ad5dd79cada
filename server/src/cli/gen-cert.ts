import { AppError, isHost } from '#kernel';
import { type Command, textOption } from './command.ts';

export interface GenCertCommandDeps {
  /** Makes a leaf for the hosts (empty: SVC_TLS_HOSTS or this host's own), below the local authority. */
  makeCertificate: (hosts: readonly string[]) => Promise<MadeCertificate>;
}

export interface MadeCertificate {
  hosts: readonly string[];
  caFile: string;
  certFile: string;
  keyFile: string;
  pin: string;
  notAfterMs: number;
}

/** `svc gen-cert [--hosts a,b]` */
export function createGenCertCommand({ makeCertificate }: GenCertCommandDeps): Command {
  return {
    name: 'gen-cert',
    summary: 'Creates the certificate of the listeners that have none of their own.',
    details:
      'A local authority in the data directory signs it. The authority stays the same, so enrolled devices and printed tokens keep\nworking. A running server uses the new certificate from its next start on.',
    options: {
      hosts: { type: 'string', value: 'LIST', help: 'host names and addresses, comma-separated; default SVC_TLS_HOSTS' },
    },
    async run(input) {
      const hosts = (textOption(input, 'hosts') ?? '')
        .split(',')
        .map((host) => host.trim().toLowerCase())
        .filter(Boolean);
      const wrong = hosts.find((host) => !isHost(host));
      if (wrong) throw new AppError('bad_request', `"${wrong}" is neither a host name nor an address.`);
      const made = await makeCertificate(hosts);
      input.print(`Certificate ${made.certFile}`);
      input.print(`Key         ${made.keyFile}`);
      input.print(`Authority   ${made.caFile}`);
      input.print(`Hosts       ${made.hosts.join(', ')}`);
      input.print(`Valid until ${new Date(made.notAfterMs).toISOString()}`);
      input.print(`Pin         ${made.pin}`);
    },
  };
}
