import { afterEach, expect, it, vi } from 'vitest';
import { ask } from './api.ts';

afterEach(() => void vi.unstubAllGlobals());

const answer = (data: object, message: string) =>
  vi.stubGlobal('fetch', async () =>
    Response.json(
      { error: { message, code: -32_003, data: { code: 'FORBIDDEN', httpStatus: 403, appCode: 'forbidden', ...data } } },
      { status: 403 },
    ),
  );

it('says in words which permission is missing', async () => {
  answer({ faults: [{ path: 'permission', message: 'agent.read' }] }, 'This needs the permission agent.read.');
  await expect(ask('endpoint.summary', {})).rejects.toMatchObject({
    code: 'forbidden',
    message: 'Your role cannot see devices.',
  });
});

it('keeps the sentence of another refusal', async () => {
  answer({}, 'You are not a member of this tenant.');
  await expect(ask('endpoint.summary', {})).rejects.toMatchObject({
    code: 'forbidden',
    message: 'You are not a member of this tenant.',
  });
});
