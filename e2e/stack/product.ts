import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@svc/testkit/free-port';
import { cleanEnv, root } from '../env.ts';

export interface Product {
  url: string;
  claimLink: string | undefined;
  dataDir: string;
  /** Milliseconds from the command to its banner. */
  readyMs: number;
  pid: number;
  output(): string;
  /** Ctrl-C, as a person would; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ProductOptions {
  dataDir?: string;
  ports?: { http: number; grpc: number };
  env?: Record<string, string>;
  args?: readonly string[];
}

/** Starts the product by the README's own command, on free loopback ports and a data directory of its own. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-e2e-'));
  const ports = options.ports ?? { http: await freePort(), grpc: await freePort() };
  const url = `https://localhost:${ports.http}`;
  const began = performance.now();
  const child = spawn('npm', ['start', '--silent', '--', ...(options.args ?? [])], {
    cwd: root,
    env: cleanEnv({
      // Viewers are elsewhere (tests/zones.spec.ts); what a server puts into words must not be its own time.
      TZ: 'UTC',
      SVC_DATA_DIR: dataDir,
      SVC_LISTEN_ADDR: `127.0.0.1:${ports.http}`,
      SVC_AGENT_GRPC_ADDR: `127.0.0.1:${ports.grpc}`,
      SVC_AGENT_PUBLIC_ADDR: `localhost:${ports.grpc}`,
      SVC_PUBLIC_URL: url,
      SVC_OTLP_GRPC_ADDR: `127.0.0.1:${await freePort()}`,
      SVC_OTLP_HTTP_ADDR: `127.0.0.1:${await freePort()}`,
      ...options.env,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await waitForBanner(child, () => output);
  return {
    url,
    claimLink: /https:\S+\/auth\/claim\S*/.exec(output)?.[0],
    dataDir,
    readyMs: performance.now() - began,
    pid: child.pid ?? 0,
    output: () => output,
    stop: () => interrupt(child),
  };
}

const READY_LIMIT_MS = 240_000;

async function waitForBanner(child: ChildProcess, output: () => string): Promise<void> {
  const limit = Date.now() + READY_LIMIT_MS;
  while (!/^Stop\s+Ctrl-C/m.test(output())) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output()}`);
    if (Date.now() > limit) throw new Error(`npm start was not ready in time:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function interrupt(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || !child.pid) return child.exitCode;
  // `close`: every process that holds the output is gone. npm itself ends by the signal once its script has ended well.
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal === 'SIGINT' ? 0 : code));
  });
  // The whole group, as a terminal does on Ctrl-C.
  process.kill(-child.pid, 'SIGINT');
  return exited;
}

export const removeData = (product: Product): void => rmSync(product.dataDir, { recursive: true, force: true });
