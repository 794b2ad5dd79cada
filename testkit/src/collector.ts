import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The newest release whose ClickHouse exporter the Go module proxy has as well; the providers are of the same release. */
const RELEASE = 'v0.161.0';
const PROVIDERS = 'v1.67.0';
const CACHE = join(homedir(), '.cache', 'svc-collector');
const TURN = join(CACHE, 'turn');
const BUILD_LIMIT_MS = 600_000;
const NAMED_WITHIN_MS = 10_000;
/** For hooks of tests that build or wait for it. */
export const COLLECTOR_LIMIT_MS = BUILD_LIMIT_MS;

const CORE = 'go.opentelemetry.io/collector';
const CONTRIB = 'github.com/open-telemetry/opentelemetry-collector-contrib';

export interface CollectorPrograms {
  collector: string;
  telemetrygen: string;
}

const PROGRAMS: CollectorPrograms = { collector: join(CACHE, 'otelcol-bench'), telemetrygen: join(CACHE, 'telemetrygen') };

const isBuilt = (): boolean => existsSync(PROGRAMS.collector) && existsSync(PROGRAMS.telemetrygen);

/** Why there is no OpenTelemetry Collector here, in a sentence for the test's output; undefined where it is built or can be. */
export function collectorUnavailable(): string | undefined {
  if (isBuilt() || spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0) return undefined;
  return 'Go is missing: it builds the OpenTelemetry Collector and telemetrygen';
}

const modules = (kind: string, names: readonly string[], version = RELEASE): string =>
  `${kind}:\n${names.map((name) => `  - gomod: ${name} ${version}\n`).join('')}`;

const builderConfig = (folder: string): string =>
  `dist: { name: otelcol-bench, output_path: ${join(folder, 'src')}, version: ${RELEASE.slice(1)} }\n` +
  modules('receivers', [`${CORE}/receiver/otlpreceiver`]) +
  modules('processors', [
    `${CORE}/processor/batchprocessor`,
    `${CORE}/processor/memorylimiterprocessor`,
    `${CONTRIB}/processor/resourceprocessor`,
    `${CONTRIB}/processor/attributesprocessor`,
  ]) +
  modules('exporters', [
    `${CORE}/exporter/debugexporter`,
    `${CORE}/exporter/nopexporter`,
    `${CORE}/exporter/otlpexporter`,
    `${CORE}/exporter/otlphttpexporter`,
    `${CONTRIB}/exporter/fileexporter`,
    `${CONTRIB}/exporter/clickhouseexporter`,
  ]) +
  modules('extensions', [`${CONTRIB}/extension/bearertokenauthextension`, `${CONTRIB}/extension/storage/filestorage`]) +
  modules(
    'providers',
    ['envprovider', 'fileprovider', 'yamlprovider'].map((name) => `${CORE}/confmap/provider/${name}`),
    PROVIDERS,
  );

async function build(): Promise<void> {
  const folder = mkdtempSync(join(CACHE, 'build-'));
  // What is measured in other tests meanwhile goes first.
  const before = ['-n', '15', 'env', 'GOWORK=off', 'CGO_ENABLED=0', `GOBIN=${folder}`, 'GOFLAGS=-trimpath'];
  const run = (command: readonly string[]) =>
    promisify(execFile)('nice', [...before, ...command], { timeout: BUILD_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
  try {
    const config = join(folder, 'builder.yaml');
    writeFileSync(config, builderConfig(folder));
    await run(['go', 'install', `${CORE}/cmd/builder@${RELEASE}`]);
    await run([join(folder, 'builder'), '--config', config, '--ldflags=-s -w']);
    await run(['go', 'install', '-ldflags=-s -w', `${CONTRIB}/cmd/telemetrygen@${RELEASE}`]);
    renameSync(join(folder, 'src', 'otelcol-bench'), PROGRAMS.collector);
    renameSync(join(folder, 'telemetrygen'), PROGRAMS.telemetrygen);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a process has this number; one of another kind that took it over holds a build up until the folder is old. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whoever makes the folder builds, and leaves its number in it: what a killed process left behind counts for nothing. */
function takeTurn(): boolean {
  const owner = join(TURN, 'pid');
  try {
    mkdirSync(TURN);
    writeFileSync(owner, String(process.pid));
    return true;
  } catch {
    const ageMs = Date.now() - (statSync(TURN, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    // Between folder and number there is a moment.
    const isLeft = existsSync(owner) ? !lives(Number(readFileSync(owner, 'utf8'))) : ageMs > NAMED_WITHIN_MS;
    if (isLeft || ageMs > 3 * BUILD_LIMIT_MS) rmSync(TURN, { recursive: true, force: true });
    return false;
  }
}

/**
 * The Collector and telemetrygen, built once from the Go module proxy: three to four minutes on two cores, then at once. Several test
 * files may ask at the same time.
 */
export async function buildCollector(): Promise<CollectorPrograms> {
  mkdirSync(CACHE, { recursive: true });
  while (!isBuilt()) {
    if (!takeTurn()) {
      await sleep(500);
      continue;
    }
    try {
      if (!isBuilt()) await build();
    } finally {
      rmSync(TURN, { recursive: true, force: true });
    }
  }
  return PROGRAMS;
}
