import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '4.3.1';
const KIT = fileURLToPath(new URL('../../kafka/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/svc-kafka/', import.meta.url));
const JARS = join(CACHE, VERSION);

export const kitFile = (name: string): string => join(KIT, name);

const runs = (command: string, flag: string): boolean => spawnSync(command, [flag], { stdio: 'ignore' }).status === 0;

/** What is missing to run a broker here, as a sentence; undefined when nothing is. */
export function missingForKafka(): string | undefined {
  if (!runs('java', '-version')) return 'java (17 or newer) is missing: apt-get install openjdk-17-jre-headless';
  if (!existsSync(JARS) && !runs('mvn', '-version')) return 'mvn is missing: apt-get install maven';
  return undefined;
}

/** The folder of the broker's jars, fetched once by Maven; several test files may ask at the same time. */
export function fetchKafkaJars(): string {
  if (existsSync(JARS)) return JARS;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'fetch-'));
  const goal = [
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${folder}`,
    `-Dkafka.version=${VERSION}`,
  ];
  const done = spawnSync('mvn', ['-q', '-B', '-ntp', '-f', kitFile('pom.xml'), ...goal], { encoding: 'utf8', timeout: 300_000 });
  if (done.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`Maven could not fetch Apache Kafka: ${done.error?.message ?? `${done.stdout}${done.stderr}`.slice(-2000)}`);
  }
  try {
    renameSync(folder, JARS);
  } catch (err) {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(JARS)) throw err;
  }
  return JARS;
}
