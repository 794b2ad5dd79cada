import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createNetlab, type Netlab, type NetlabOptions, netlabUnavailable } from './netlab.ts';

const reason = netlabUnavailable();
if (reason) console.warn(`SKIPPED: the network lab: ${reason}`);

const labs: Netlab[] = [];
const openLab = async (options?: NetlabOptions): Promise<Netlab> => {
  const lab = await createNetlab(options);
  labs.push(lab);
  return lab;
};
/** What labs of a process leave in the system. */
const traces = (pid: number): string[] =>
  ['/run/netns', '/etc/netns', os.tmpdir()]
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((name) => name.startsWith(`svclab-${pid}-`));
/** Milliseconds to connect to the server's HTTP port, measured inside the lab. */
const CONNECT = `const net = require('node:net'); const at = performance.now();
net.connect(80, process.argv[1], () => { console.log(performance.now() - at); process.exit(0); }).on('error', (e) => { console.log(e.code); process.exit(1); });`;
const connect = (lab: Netlab, address: string) =>
  lab.exec('client', [process.execPath, '-e', CONNECT, address], { timeoutMs: 10_000 });

afterEach(async () => {
  await Promise.all(labs.splice(0).map((lab) => lab.close()));
});

describe.skipIf(reason)('the network lab', () => {
  it('carries both families to the server, by name too, as an ordinary user', async () => {
    const lab = await openLab();
    const me = await lab.exec('client', ['sh', '-c', 'id -u; grep CapEff /proc/self/status; cat /etc/resolv.conf']);
    expect(me.stdout).toMatch(/^65534\nCapEff:\s+0+\nnameserver 203\.0\.113\.10/);
    for (const address of [lab.server.v4, lab.server.v6, 'app.lab.test']) {
      expect(await connect(lab, address)).toMatchObject({ code: 0 });
    }
  });

  it('reaches nothing outside of itself', async () => {
    const lab = await openLab();
    const links = await lab.exec('r3', ['ip', '-o', 'link'], { uid: 0 });
    const names = [...links.stdout.matchAll(/^\d+: ([^@:]+)/gm)].map((match) => match[1]);
    expect(names.sort()).toEqual(['inner', 'lo', 'outer']);
    const outside = await lab.exec('client', [process.execPath, '-e', CONNECT, '192.0.2.2'], { timeoutMs: 1500 });
    expect(outside.code).not.toBe(0);
  });

  it('delays both ways, and changes while it runs', async () => {
    const lab = await openLab({ links: [{ delayMs: 30 }] });
    await connect(lab, lab.server.v4);
    expect(Number((await connect(lab, lab.server.v4)).stdout)).toBeGreaterThan(59);
    await lab.setLink(0, { delayMs: 0 });
    await lab.setLink(3, { delayMs: 80 });
    expect(Number((await connect(lab, lab.server.v6)).stdout)).toBeGreaterThan(159);
  });

  it('loses what it is told to', async () => {
    const lab = await openLab({ links: [{}, { lossRatio: 1 }] });
    const script = `${CONNECT} setTimeout(() => process.exit(7), 700);`;
    expect(await lab.exec('client', [process.execPath, '-e', script, lab.server.v4])).toMatchObject({ code: 7 });
    await lab.setLink(1, { lossRatio: 0 });
    expect(await connect(lab, lab.server.v4)).toMatchObject({ code: 0 });
  });

  it('stands beside another, with settings of its own', async () => {
    const [slow, quick] = await Promise.all([openLab({ links: [{ delayMs: 60 }] }), openLab()]);
    const [slowRun, quickRun] = [await connect(slow, slow.server.v4), await connect(quick, quick.server.v4)];
    expect(Number(slowRun.stdout)).toBeGreaterThan(119);
    expect(quickRun.code).toBe(0);
    await slow.close();
    expect(await connect(quick, quick.server.v4)).toMatchObject({ code: 0 });
  });

  it('leaves nothing behind, closed twice', async () => {
    const lab = await createNetlab();
    expect(traces(process.pid).length).toBeGreaterThan(0);
    await Promise.all([lab.close(), lab.close()]);
    expect(traces(process.pid)).toEqual([]);
  });

  it('leaves nothing behind where making it failed', async () => {
    await expect(createNetlab({ links: [{}, {}, {}, {}, { delayMs: 1 }] })).rejects.toThrow('link 4');
    expect(traces(process.pid)).toEqual([]);
  });

  it.each([
    ['ended without closing it', 'process.exit(0)', 0],
    ['was killed', "process.kill(process.pid, 'SIGKILL')", null],
  ])('is taken away when the process that made it %s', async (_how, end, code) => {
    const module = fileURLToPath(new URL('netlab.ts', import.meta.url));
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `const { createNetlab } = await import(${JSON.stringify(module)}); await createNetlab(); ${end};`,
    ]);
    const ended = await new Promise((resolve) => child.once('close', resolve));
    expect(ended).toBe(code);
    // The next lab sweeps what a killed process could not.
    await openLab();
    expect(traces(child.pid ?? 0)).toEqual([]);
  });
});
