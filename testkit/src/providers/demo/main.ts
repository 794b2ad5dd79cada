import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CallBackTarget } from '../call-back.ts';
import { type Credentials, type Kind, newCredentials, startAllProviders } from './all.ts';
import { keepTls } from './authority.ts';
import { startPage } from './page.ts';

/** The process of `npm run demo` that plays all providers; told by messages where to call back, and gone with its parent. */

interface Kept {
  ports: Partial<Record<string, number>>;
  credentials: Credentials;
}

function readKept(file: string): Kept {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept;
  } catch {
    return { ports: {}, credentials: newCredentials() };
  }
}

async function start(folder: string, targets: Map<Kind, CallBackTarget>) {
  const file = join(folder, 'state.json');
  const { ports, credentials } = readKept(file);
  const { caFile, ...tls } = await keepTls(folder);
  const all = await startAllProviders({ tls, ports, credentials, callBackOf: (kind) => targets.get(kind) });
  const page = await startPage({ tls, host: 'localhost', port: ports.page ?? 0 }, all.running);
  const bound = Object.fromEntries(Object.entries(all.running).map(([kind, { port }]) => [kind, port]));
  // Connectors of before lead elsewhere where another program has one of the ports by now.
  const isMoved = Object.entries(bound).some(([kind, port]) => ports[kind] !== undefined && ports[kind] !== port);
  const state: Kept = { ports: { ...bound, page: page.port }, credentials };
  writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
  const own = { caFile, secret: credentials.callBackSecret };
  return { connectors: all.connectors, page: `${page.origin}/`, ports: Object.values(bound), ...own, isMoved };
}

const { values } = parseArgs({ options: { state: { type: 'string' } } });
if (!values.state) throw new Error('--state names a folder');
const targets = new Map<Kind, CallBackTarget>();
const started = await start(values.state, targets);
process.on('message', (message: { type?: string; targets?: Record<string, CallBackTarget> }) => {
  if (message.type !== 'call-back') return;
  for (const [kind, target] of Object.entries(message.targets ?? {})) targets.set(kind as Kind, target);
});
const stop = (): never => process.exit(0);
process.on('disconnect', stop);
process.on('SIGTERM', stop);
process.send?.({ type: 'providers-ready', ...started });
