import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** PEM files of a throw-away authority and a client of it. */
export interface TestCertificates {
  caFile: string;
  clientCertFile: string;
  clientKeyFile: string;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function openssl(folder: string, args: string[]): void {
  const done = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`openssl ${args[0]} failed: ${done.error?.message ?? done.stderr}`);
}

function issue(folder: string, name: string): void {
  openssl(folder, ['req', ...KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`]);
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
  openssl(folder, ['x509', '-req', '-in', `${name}.csr`, ...authority, '-extfile', 'names.cnf', '-out', `${name}.pem`]);
}

/** A test authority, a broker's certificate for 127.0.0.1 as the PEM key store that Kafka reads, and a client's certificate. */
export function makeCertificates(folder: string): TestCertificates {
  writeFileSync(join(folder, 'names.cnf'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  openssl(folder, ['req', '-x509', ...KEY, '-days', '2', '-subj', '/CN=test-ca', '-keyout', 'ca.key', '-out', 'ca.pem']);
  issue(folder, 'broker');
  issue(folder, 'client');
  const store = ['broker.key', 'broker.pem', 'ca.pem'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  writeFileSync(join(folder, 'broker-store.pem'), store, { mode: 0o600 });
  return {
    caFile: join(folder, 'ca.pem'),
    clientCertFile: join(folder, 'client.pem'),
    clientKeyFile: join(folder, 'client.key'),
  };
}
