import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificates } from '../../netlab/certificates.ts';

/** An authority of this machine alone, kept beside the demo's state: the control plane is told to trust it for what it calls outside. */

const FIVE_YEARS_MS = 5 * 365 * 86_400_000;

export interface Tls {
  caFile: string;
  cert: string;
  key: string;
}

/** The same at each start, so that a control plane that trusts it goes on to. The authority's own key is kept nowhere. */
export async function keepTls(folder: string): Promise<Tls> {
  const [caFile, certFile, keyFile] = ['ca.crt', 'providers.crt', 'providers.key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  if (![caFile, certFile, keyFile].every((file) => existsSync(file))) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const validTo = new Date(Date.now() + FIVE_YEARS_MS);
    const { ca, cert, key } = await createCertificates({ dns: ['localhost'], ip: ['127.0.0.1'], validTo });
    for (const [file, text] of [
      [caFile, ca],
      [certFile, cert],
      [keyFile, key],
    ] as const)
      writeFileSync(file, text, { mode: 0o600 });
  }
  return { caFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}
