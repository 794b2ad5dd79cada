import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-log-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const now = () => Date.UTC(2026, 0, 2);
const read = (name: string) => readFileSync(join(directory, name), 'utf8');

it('writes each message with its time, for its owner alone, and goes on after a restart', async () => {
  const inner = join(directory, 'state', 'agent');
  for (const message of ['first\nsecond', 'third']) (await openLogFile({ directory: inner, now }))(message);
  const [name = ''] = readdirSync(inner);
  expect(name).toBe('agent.log');
  expect(readFileSync(join(inner, name), 'utf8')).toBe(
    '2026-01-02T00:00:00.000Z first\nsecond\n2026-01-02T00:00:00.000Z third\n',
  );
  expect(statSync(join(inner, name)).mode & 0o777).toBe(0o600);
});

it('holds two files of at most its bound, whatever it is told', async () => {
  const write = await openLogFile({ directory, now, maxBytes: 1000 });
  for (let n = 0; n < 200; n += 1) write(`message ${n}`);
  expect(readdirSync(directory).sort()).toEqual(['agent.log', 'agent.log.1']);
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).size).toBeLessThanOrEqual(1000);
  expect(read('agent.log').trimEnd().endsWith('message 199')).toBe(true);
  const reopened = await openLogFile({ directory, now, maxBytes: 1000 });
  for (let n = 0; n < 30; n += 1) reopened(`again ${n}`);
  expect(statSync(join(directory, 'agent.log')).size).toBeLessThanOrEqual(1000);
  expect(read('agent.log.1')).toContain('again 0');
});

it('stays below its bound where the file cannot be moved, and says nothing of a disk that refuses', async () => {
  mkdirSync(join(directory, 'agent.log.1', 'in the way'), { recursive: true });
  const write = await openLogFile({ directory, now, maxBytes: 500 });
  for (let n = 0; n < 100; n += 1) write(`message ${n}`);
  expect(statSync(join(directory, 'agent.log')).size).toBeLessThanOrEqual(500);
  rmSync(directory, { recursive: true, force: true });
  expect(() => write('gone')).not.toThrow();
});
