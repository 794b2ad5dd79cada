import { beforeEach, expect, it } from 'vitest';
import type { KeptFile } from '../kept-file.ts';
import { createManagedToken } from './managed-token.ts';

let kept: unknown;
beforeEach(() => {
  kept = undefined;
});
const file: KeptFile = {
  read: async () => kept,
  write: async (value) => {
    kept = value;
  },
};
const server = 'https://monitor.example';
/** One start of the agent. */
const start = (token: string | undefined, isEnrolled: boolean) =>
  createManagedToken({ file, offered: token === undefined ? undefined : { server, token }, isEnrolled });

it('offers nothing where nothing is managed', async () => {
  expect(await start(undefined, false)()).toBeUndefined();
  expect(kept).toBeUndefined();
});

it('is handed over once, kept as a hash alone, and spent when it is asked for again', async () => {
  const take = start('svc_enr_a', false);
  expect(await take()).toEqual({ server, token: 'svc_enr_a' });
  expect(JSON.stringify(kept)).not.toContain('svc_enr');
  expect(await take()).toBeUndefined();
  expect(await start('svc_enr_a', false)()).toBeUndefined();
  expect(await start('svc_enr_b', false)()).toMatchObject({ token: 'svc_enr_b' });
});

it('is offered again after a restart that came before the server answered', async () => {
  expect(await start('svc_enr_a', false)()).toBeDefined();
  expect(await start('svc_enr_a', false)()).toBeDefined();
});

it('does not bring a device back that was enrolled with it and then forgotten; a new one does', async () => {
  expect(await start('svc_enr_a', false)()).toBeDefined();
  expect(await start('svc_enr_a', true)()).toBeUndefined();
  const take = start('svc_enr_b', true);
  expect(await take()).toMatchObject({ token: 'svc_enr_b' });
  expect(await take()).toBeUndefined();
});

it('is offered to a device that was enrolled by hand before', async () => {
  expect(await start('svc_enr_a', true)()).toMatchObject({ token: 'svc_enr_a' });
});
