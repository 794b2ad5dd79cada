import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { expect } from 'vitest';
import { root } from '../../env.ts';
import type { Door } from '../harness/ask.ts';
import { attack } from '../harness/attack.ts';
import { type Ground, ownAddress } from '../harness/ground.ts';
import { exportGrpc, exportHttp } from '../harness/otlp.ts';
import { marked, request } from '../harness/payloads.ts';
import { openFiles, watchUse } from '../harness/process-use.ts';
import { newMark } from '../harness/victim.ts';
import { publishOne } from './agents.ts';

const silence = join(root, 'e2e', 'attacks', 'harness', 'hold-connections.ts');
/** Descriptors of the server while it is attacked: what common service managers give, so that the attack needs no more than these. */
const SERVER_FILES = 4096;
const SILENT = 4500;
/** What one address may hold of a listener without having said anything, two seconds after it opened this many. */
const BY_ONE_ADDRESS = { opened: 3000, held: 2048 };
/** Slow connections of each kind, and how many of them are there at least after some seconds, or nothing was attacked. */
const SLOW = { addresses: 5, ofEach: 40, held: 40 };
/** Within which somebody who has a credential gets in. */
const GETS_IN_MS = 2000;

interface Held {
  open: number;
  release(): void;
}

/** Connections that say nothing, held by a process of its own with as many descriptors as it may have. */
async function holdConnections({ port }: Door, count: number, from = '127.0.0.1'): Promise<Held> {
  const command = `ulimit -n $(ulimit -Hn) && exec "$0" "$@"`;
  const child: ChildProcess = spawn('bash', ['-c', command, process.execPath, silence, String(port), String(count), from], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const open = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    child.once('exit', () => reject(new Error('the connections were not opened')));
  });
  return { open, release: () => void child.kill('SIGKILL') };
}

/** The slowest of five tries of the victim at each door, milliseconds. */
async function slowestOf(enter: () => Promise<number>): Promise<number> {
  let slowest = 0;
  for (let i = 0; i < 5; i += 1) slowest = Math.max(slowest, await enter());
  return slowest;
}

const body = () => request([marked('logs', newMark())]);

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

/** The soft bound of descriptors of a running process. */
function limitFiles(pid: number, files: number | 'unlimited'): void {
  const { hard } = readLimit(pid);
  spawnSync('prlimit', ['--pid', String(pid), `--nofile=${files === 'unlimited' ? hard : files}:${hard}`]);
}

const readLimit = (pid: number) => ({
  hard: /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? '',
});

async function enterOtlpHttp({ doors, victim }: Ground): Promise<number> {
  const { status, ms } = await exportHttp(doors.otlpHttp, {
    signal: 'logs',
    body: body(),
    token: victim.otlpToken,
    timeoutMs: 5000,
  });
  return status === 200 ? ms : Number.POSITIVE_INFINITY;
}

async function enterOtlpGrpc({ doors, victim }: Ground): Promise<number> {
  const { status, ms } = await exportGrpc(doors.otlpGrpc, {
    signal: 'logs',
    body: body(),
    token: victim.otlpToken,
    timeoutMs: 5000,
  });
  return status === 200 ? ms : Number.POSITIVE_INFINITY;
}

const ENTRIES: Readonly<Record<string, { door: (ground: Ground) => Door; enter: (ground: Ground) => Promise<number> }>> = {
  SVC_OTLP_HTTP_ADDR: {
    door: ({ doors }) => doors.otlpHttp,
    enter: enterOtlpHttp,
  },
  SVC_OTLP_GRPC_ADDR: {
    door: ({ doors }) => doors.otlpGrpc,
    enter: enterOtlpGrpc,
  },
  SVC_LISTEN_ADDR: {
    door: ({ doors }) => doors.https,
    async enter({ api, victim }) {
      const { status, ms } = await api('/v1/me', { token: victim.tokens.viewer, timeoutMs: 5000 });
      return status === 200 ? ms : Number.POSITIVE_INFINITY;
    },
  },
  SVC_AGENT_GRPC_ADDR: { door: ({ doors }) => doors.agents, enter: (ground) => publishOne(ground, ground.victim) },
};

for (const [key, { door, enter }] of Object.entries(ENTRIES))
  attack({
    name: `${SILENT} silent connections to ${key} keep nobody out who has a credential`,
    surfaces: [`listener ${key}`],
    cost: 'long',
    whyNot: () => (hasPrlimit ? undefined : 'there is no prlimit here'),
    async run(ground) {
      limitFiles(ground.server.pid, SERVER_FILES);
      const held = await holdConnections(door(ground), SILENT);
      try {
        expect(held.open).toBeGreaterThan(1000);
        const ms = await slowestOf(() => enter(ground));
        expect({ key, getsIn: ms < GETS_IN_MS, ms }).toEqual({ key, getsIn: true, ms });
      } finally {
        held.release();
        limitFiles(ground.server.pid, 'unlimited');
      }
    },
  });

attack({
  name: 'silent connections of one address are let go of: they do not fill a listener for minutes',
  surfaces: Object.keys(ENTRIES).map((key) => `listener ${key}`),
  cost: 'short',
  async run(ground) {
    const kept: string[] = [];
    for (const [key, { door }] of Object.entries(ENTRIES)) {
      const from = '127.0.0.66';
      const held = await holdConnections(door(ground), BY_ONE_ADDRESS.opened, from);
      await sleep(2000);
      const open = countOpen(door(ground).port, [from]);
      held.release();
      if (open > BY_ONE_ADDRESS.held) kept.push(`${key}: ${open} of ${BY_ONE_ADDRESS.opened} are held`);
    }
    expect(kept).toEqual([]);
  },
});

const toHex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

/** Connections that the kernel has established from those addresses to the port. */
function countOpen(port: number, from: readonly string[]): number {
  const peers = from.map((address) => address.split('.').reduceRight((hex, byte) => hex + toHex(Number(byte), 2), ''));
  const ends = peers.map((peer) => `: 0100007F:${toHex(port, 4)} ${peer}:`);
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return lines.filter((line) => / 01 /.test(line) && ends.some((end) => line.includes(end))).length;
}

/** Sends a byte twice a second on connections from as many addresses as it takes: one address has a bound of its own. */
function openSlow(door: Door, text: string): { countHeld(): number; release(): void } {
  const drips: NodeJS.Timeout[] = [];
  const sockets = Array.from({ length: SLOW.addresses }, ownAddress).flatMap((localAddress) =>
    Array.from({ length: SLOW.ofEach }, () => {
      const tcp = connectTcp({ host: '127.0.0.1', port: door.port, localAddress });
      const socket = connect({ socket: tcp, ca: door.ca, servername: 'localhost' });
      for (const one of [tcp, socket]) one.on('error', () => {});
      socket.resume();
      socket.once('secureConnect', () => {
        socket.write(text);
        drips.push(setInterval(() => socket.writable && socket.write('x'), 500));
      });
      return socket;
    }),
  );
  return {
    countHeld: () => sockets.filter(({ closed, destroyed }) => !closed && !destroyed).length,
    release() {
      for (const drip of drips) clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}

attack({
  name: 'slow headers and slow bodies end, and take no place of others',
  surfaces: ['listener SVC_OTLP_HTTP_ADDR', 'listener SVC_LISTEN_ADDR'],
  cost: 'long',
  limitMs: 90_000,
  async run(ground) {
    const { https, otlpHttp } = ground.doors;
    const body = 'content-type: application/x-protobuf\r\ncontent-length: 100000\r\n\r\n\n';
    const slow = [
      openSlow(https, 'GET / HTTP/1.1\r\nhost: localhost\r\n'),
      openSlow(otlpHttp, 'POST /v1/logs HTTP/1.1\r\n'),
      openSlow(
        otlpHttp,
        `POST /v1/logs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${ground.hostile.otlpToken}\r\n${body}`,
      ),
    ];
    const countHeld = () => slow.map((one) => one.countHeld());
    try {
      await sleep(3000);
      const held = countHeld();
      expect({ attacks: held.every((count) => count >= SLOW.held), held }).toEqual({ attacks: true, held });
      const ms = await slowestOf(() => enterOtlpHttp(ground));
      expect({ getsIn: ms < GETS_IN_MS, ms }).toEqual({ getsIn: true, ms });
      // The longest of the documented times for a request to arrive is 30 s.
      await expect.poll(countHeld, { timeout: 45_000, interval: 500 }).toEqual([0, 0, 0]);
    } finally {
      for (const one of slow) one.release();
    }
  },
});

attack({
  name: 'streams that are opened and reset in turn keep nobody waiting',
  surfaces: ['listener SVC_OTLP_GRPC_ADDR', 'listener SVC_AGENT_GRPC_ADDR'],
  cost: 'short',
  async run(ground) {
    const reset = async ({ port, ca }: Door, path: string) => {
      const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: 'localhost' });
      session.on('error', () => {});
      for (const end = Date.now() + 3000; Date.now() < end && !session.destroyed && !session.closed; await sleep(5))
        for (let i = 0; i < 50 && !session.destroyed && !session.closed; i += 1) {
          const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
          stream.on('error', () => {});
          stream.close(8);
        }
      session.destroy();
    };
    const resetting = Promise.all([
      reset(ground.doors.otlpGrpc, '/opentelemetry.proto.collector.logs.v1.LogsService/Export'),
      reset(ground.doors.agents, '/svc.agent.v1.Results/Publish'),
    ]);
    await sleep(1000);
    const ms = await slowestOf(() => enterOtlpGrpc(ground));
    await resetting;
    expect({ getsIn: ms < GETS_IN_MS, ms }).toEqual({ getsIn: true, ms });
  },
});

/** Connections that pipeline, from so many addresses, and requests on each. */
const PIPELINED = { connections: 80, addresses: 10, requests: 60 };
/** What they may cost beside their connections: files that are being sent, and what is left unread. */
const FILES_OF_ANSWERS = 160;
const GROWN_MIB = 512;

attack({
  name: 'requests that are pipelined and never read hold neither files nor memory, and others are answered',
  surfaces: ['listener SVC_LISTEN_ADDR', 'GET /*'],
  cost: 'short',
  async run(ground) {
    const { https } = ground.doors;
    const page = await ground.api('/');
    const paths = [/\/assets\/index-[\w-]+\.js/.exec(page.body)?.[0] ?? '/', '/docs/api/static/swagger-ui-bundle.js'];
    const before = openFiles(ground.server.pid);
    const use = watchUse(ground.server.pid);
    const sockets = Array.from({ length: PIPELINED.connections }, (_, i) => {
      const from = `127.0.77.${(i % PIPELINED.addresses) + 1}`;
      const tcp = connectTcp({ host: '127.0.0.1', port: https.port, localAddress: from });
      const socket = connect({ socket: tcp, ca: https.ca, servername: 'localhost' });
      const text = `GET ${paths[i % paths.length]} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
      socket.on('error', () => {});
      socket.on('secureConnect', () => socket.pause().write(text.repeat(PIPELINED.requests)));
      return socket;
    });
    let most = 0;
    const count = setInterval(() => {
      most = Math.max(most, openFiles(ground.server.pid) - before);
    }, 50);
    try {
      await sleep(3000);
      const ms = await slowestOf(() => ENTRIES.SVC_LISTEN_ADDR?.enter(ground) ?? Promise.resolve(Number.POSITIVE_INFINITY));
      expect({ getsIn: ms < GETS_IN_MS, ms }).toEqual({ getsIn: true, ms });
      expect((await ground.api('/')).status).toBe(200);
      expect(most).toBeLessThanOrEqual(PIPELINED.connections + FILES_OF_ANSWERS);
    } finally {
      clearInterval(count);
      for (const socket of sockets) socket.destroy();
    }
    expect(use.stop().grownMiB).toBeLessThan(GROWN_MIB);
    await expect.poll(() => openFiles(ground.server.pid) - before, { timeout: 10_000 }).toBeLessThan(40);
  },
});

/** Connections without a credential, from so many addresses, and requests on each: more than the buffers on the way take of the answers. */
const REFUSED = { connections: 240, addresses: 4, requests: 60_000 };

attack({
  name: 'requests that are refused, pipelined and never read keep no place of a listener',
  surfaces: ['listener SVC_OTLP_HTTP_ADDR'],
  cost: 'short',
  async run(ground) {
    const { otlpHttp } = ground.doors;
    const text = 'GET /v1/logs HTTP/1.1\r\nhost:\r\n\r\n'.repeat(REFUSED.requests);
    let secured = 0;
    let isOver = false;
    const from = Array.from({ length: REFUSED.addresses }, ownAddress);
    const sockets = new Set<Socket>();
    /** Whose handshake a busy listener ends comes again: all of them get in. */
    const attackFrom = (localAddress: string | undefined): void => {
      const tcp = connectTcp({ host: '127.0.0.1', port: otlpHttp.port, localAddress });
      const socket = connect({ socket: tcp, ca: otlpHttp.ca, servername: 'localhost' });
      let isIn = false;
      for (const one of [tcp, socket]) one.on('error', () => {});
      socket.once('secureConnect', () => {
        isIn = true;
        secured += 1;
        socket.pause().write(text);
      });
      socket.once('close', () => {
        sockets.delete(socket);
        if (!isIn && !isOver) attackFrom(localAddress);
      });
      sockets.add(socket);
    };
    for (let i = 0; i < REFUSED.connections; i++) attackFrom(from[i % from.length]);
    try {
      await expect.poll(() => secured, { timeout: 60_000 }).toBe(REFUSED.connections);
      const ms = await slowestOf(() => enterOtlpHttp(ground));
      expect({ getsIn: ms < GETS_IN_MS, ms }).toEqual({ getsIn: true, ms });
      await expect.poll(() => countOpen(otlpHttp.port, from), { timeout: 10_000 }).toBe(0);
    } finally {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    }
  },
});
