import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const VERSION = '1.45.2';
const PACKAGES = ['opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-grpc', 'opentelemetry-exporter-otlp-proto-http'];
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/svc-python-exporters/', import.meta.url));
const SITE = join(CACHE, VERSION);
const SCRIPT = fileURLToPath(new URL('../python/send-otlp.py', import.meta.url));
const FETCH_LIMIT_MS = 180_000;

const run = promisify(execFile);

/** Why the Python exporters cannot run here, in a sentence for the test's output; undefined where they can. */
export function pythonExportersUnavailable(): string | undefined {
  if (spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'], { stdio: 'ignore' }).status !== 0)
    return 'python3 (3.10 or newer) is missing';
  if (!existsSync(SITE) && spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status !== 0)
    return 'pip is missing: it fetches the OpenTelemetry exporters for Python';
  return undefined;
}

/** The exporters from PyPI in a folder of their own, fetched once; give it as PYTHONPATH. */
export async function fetchPythonExporters(): Promise<string> {
  if (existsSync(SITE)) return SITE;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'fetch-'));
  const wanted = PACKAGES.map((name) => `${name}==${VERSION}`);
  try {
    await run('python3', ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', folder, ...wanted], {
      timeout: FETCH_LIMIT_MS,
    });
    renameSync(folder, SITE);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(SITE)) throw error;
  }
  return SITE;
}

export interface PythonSend {
  way: 'grpc' | 'http';
  /** host:port of the receiver. */
  target: string;
  token: string;
  /** PEM file of the authority that the receiver is checked with. */
  caFile: string;
}

/** Sends a span, a log record and a metric as the SDK makes them; gives what each exporter says: SUCCESS or FAILURE. */
export async function sendFromPython({ way, target, token, caFile }: PythonSend): Promise<Record<string, string>> {
  const site = await fetchPythonExporters();
  // requests believes these before the file it is given.
  const clean = ['-u', 'REQUESTS_CA_BUNDLE', '-u', 'CURL_CA_BUNDLE'];
  const { stdout } = await run('env', [...clean, `PYTHONPATH=${site}`, 'python3', SCRIPT, way, target, token, caFile], {
    timeout: 60_000,
  });
  return JSON.parse(stdout) as Record<string, string>;
}
