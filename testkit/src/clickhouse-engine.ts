// The child of clickhouse.ts: becomes a ClickHouse server (HTTP on 127.0.0.1) out of the engine that the npm package chdb carries.
// usage: clickhouse-engine.ts DATA_DIR HTTP_PORT TCP_PORT CONFIG.xml; blocks, SIGTERM ends it, the data stay.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import koffi from 'koffi';

function findLibrary(): string {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('@chdb/lib-linux-x64-gnu/package.json'));
  const library = ['libchdb.so', 'lib/libchdb.so'].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (library === undefined) throw new Error(`no libchdb.so in ${folder}`);
  return library;
}

/** A query that never ends keeps the listeners open. */
const FOREVER =
  'SELECT sleepEachRow(1) FROM numbers(1000000000) FORMAT Null SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1';

function becomeServer([data, http, tcp, config]: string[]): void {
  const argv = [
    'clickhouse',
    `--path=${data}`,
    '--listen_host=127.0.0.1',
    `--http_port=${http}`,
    `--tcp_port=${tcp}`,
    `--config-file=${config}`,
    `--query=SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; ${FOREVER}`,
  ];
  const libc = koffi.load('libc.so.6');
  const strdup = libc.func('void *strdup(const char *)');
  const vector = libc.func('void *calloc(size_t, size_t)')(argv.length + 1, 8);
  for (const [i, word] of argv.entries()) koffi.encode(vector, i * 8, 'void *', strdup(word));
  const handle = libc.func('void *dlopen(const char *, int)')(findLibrary(), 1);
  const entry = libc.func('void *dlsym(void *, const char *)')(handle, 'query_stable_v2');
  // The engine checks that it runs on the thread's own stack, which a call through koffi does not: glibc calls entry(argc, argv) at exit.
  libc.func('int on_exit(void *, void *)')(entry, vector);
  // process.exit would run handlers of Node that free what the engine still needs.
  Reflect.get(process, 'reallyExit').call(process, argv.length);
}

becomeServer(process.argv.slice(2));
