import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The newest release whose ClickHouse exporter the Go module proxy has as well; the providers are of the same release. */
const RELEASE = 'v0.161.0';
const PROVIDERS = 'v1.67.0';
const CACHE = join(homedir(), '.cache', 'svc-collector');
const BUILD_LIMIT_MS = 600_000;

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

/**
 * The Collector and telemetrygen, built once from the Go module proxy: three to four minutes on two cores, then at once. Several test
 * files may ask at the same time.
 */
export async function buildCollector(): Promise<CollectorPrograms> {
  if (isBuilt()) return PROGRAMS;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'build-'));
  const run = async (command: readonly string[]) => {
    const settings = ['GOWORK=off', 'CGO_ENABLED=0', `GOBIN=${folder}`, 'GOFLAGS=-trimpath'];
    await promisify(execFile)('env', [...settings, ...command], { timeout: BUILD_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
  };
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
  return PROGRAMS;
}
