import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { removeInstallation } from '../../faults/server-process.ts';
import { attack } from '../harness/attack.ts';
import { keepingAgent } from '../harness/flood.ts';
import { openGround, planInstallation } from '../harness/ground.ts';
import { exportHttp } from '../harness/otlp.ts';
import { logRecord, nsOf, request } from '../harness/payloads.ts';
import { expectWhole, ingestToReadable, plant } from '../harness/victim.ts';

const DISK_MIB = 1024;
const FILL_MS = 150_000;
/** What the server logs then. */
const REFUSED = 'tenants that hold more than their share of it are refused';
const LANES = 4;
/** Of 3 MiB each. */
const VICTIM_MESSAGES = 5;
/** What was taken before is stored first. */
const READABLE_MS = 30_000;
/** Seldom enough for the victim's own budget of calls. */
const PATIENT = { timeout: READABLE_MS, interval: 1000 };

const mount = (...args: string[]): boolean => spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
const unmount = (place: string): void => void spawnSync('umount', ['-l', place], { stdio: 'ignore' });

/** Records that no compression makes smaller, 3 MiB of them. */
const heavy = (): Buffer => {
  const atNs = nsOf(Date.now());
  return request(
    Array.from({ length: 50 }, (_, i) => logRecord({ atNs: atNs + BigInt(i), body: randomBytes(46_000).toString('base64') })),
  );
};

attack({
  name: 'a tenant that fills the disk is refused before it is full, and the others are stored as before',
  surfaces: ['listener SVC_OTLP_HTTP_ADDR', 'topic svc.otlp.logs'],
  cost: 'long',
  limitMs: 300_000,
  whyNot: () => (process.getuid?.() === 0 ? undefined : 'a small disk needs root'),
  async run() {
    // A disk of its own: filling the machine's would be an attack on the machine.
    const { installation: planned, otlp } = await planInstallation({ SVC_BUS_LOG_MAX_BYTES: String(64 * 1024 * 1024) });
    const disk = join(dirname(planned.dataDir), 'disk');
    const installation = { ...planned, dataDir: join(disk, 'installation', 'data') };
    mkdirSync(disk);
    if (!mount('-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk)) throw new Error('the small disk cannot be mounted');
    mkdirSync(dirname(installation.dataDir));
    try {
      const ground = await openGround(installation, otlp);
      try {
        // The victim holds data of its own, far less than its share.
        const planted = await plant(ground);
        const own = { signal: 'logs' as const, token: ground.victim.otlpToken };
        for (let i = 0; i < VICTIM_MESSAGES; i += 1)
          expect((await exportHttp(ground.doors.otlpHttp, { ...own, body: heavy() })).status).toBe(200);
        await expectWhole(ground, planted);
        const agent = keepingAgent(LANES);
        const token = ground.hostile.otlpToken;
        const send = () => exportHttp(ground.doors.otlpHttp, { signal: 'logs', body: heavy(), token, agent });
        const end = Date.now() + FILL_MS;
        const isRefused = () => ground.server.output().includes(REFUSED);
        const lane = async () => {
          while (Date.now() < end && !isRefused()) if ((await send()).status !== 200) await sleep(100);
        };
        await Promise.all(Array.from({ length: LANES }, lane));
        expect(isRefused(), 'the disk fills and nobody is refused').toBe(true);
        expect((await send()).status).toBe(503);
        agent.destroy();
        const ms = await ingestToReadable(ground, ground.victim, 2 * READABLE_MS);
        expect({ readable: ms < READABLE_MS, ms }).toEqual({ readable: true, ms });
        // All that it had is there, and what it sends on is taken.
        await expectWhole(ground, planted, PATIENT);
        await expectWhole(ground, await plant(ground), PATIENT);
        expect((await exportHttp(ground.doors.otlpHttp, { ...own, body: heavy() })).status).toBe(200);
        expect((await send()).status).toBe(503);
      } finally {
        await ground.close();
      }
    } finally {
      unmount(disk);
      removeInstallation(planned);
    }
  },
});
