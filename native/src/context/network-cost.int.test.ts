import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLibrary } from '../ffi/library.ts';
import { macMissing } from '../testing/mac-machine.ts';
import { createReadMetered } from './network-cost.ts';

describe.skipIf(macMissing())("Windows' network cost (a stand-in of its COM object)", () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-com-'));
  const library = join(folder, 'fake-com.so');
  let set: { cost: (now: number) => void; failure: (status: number) => void; held: () => number };
  beforeAll(() => {
    const source = fileURLToPath(new URL('../testing/fake-com.c', import.meta.url));
    execFileSync('cc', ['-O1', '-Wall', '-shared', '-fPIC', '-o', library, source]);
    const { bind } = openLibrary(library);
    const setter = (name: string) => bind<(value: number) => void>(name, { returns: 'void', takes: ['uint32_t'] });
    const held = bind<() => number>('fake_held', { returns: 'int', takes: [] });
    set = { cost: setter('fake_cost'), failure: setter('fake_failure'), held };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['unrestricted', 0x1, { value: false }],
    ['fixed', 0x2, { value: true }],
    ['variable', 0x4, { value: true }],
    ['unrestricted and congested', 0x20001, { value: false }],
    ['unrestricted abroad', 0x40001, { value: true }],
    ['variable and over its limit', 0x10004, { value: true }],
    ['unknown', 0, { unavailable: 'not_supported' }],
  ])('is read: %s', (_name, cost, reading) => {
    set.cost(cost);
    expect(createReadMetered(library)()).toEqual(reading);
    expect(set.held()).toBe(0);
  });

  it('says why it is not there', () => {
    set.failure(0x80070005);
    expect(createReadMetered(library)()).toEqual({ unavailable: 'permission' });
    set.failure(0x80040154);
    expect(createReadMetered(library)()).toEqual({ unavailable: 'not_supported' });
    set.failure(0);
    expect(createReadMetered('/no/such/ole32.dll')()).toEqual({ unavailable: 'not_supported' });
  });
});
