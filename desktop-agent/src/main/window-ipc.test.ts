import { CALL_CHANNEL } from '@svc/contracts/agent/window-channels';
import { WINDOW_CALLS } from '@svc/contracts/agent/window-ipc';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeElectron, FakeContents } from '../testing/fake-electron.ts';
import { serviceStateOf } from '../testing/service-state.ts';
import { type Answers, openWindowIpc, type WindowIpc } from './window-ipc.ts';

const PAGE = 'app://face/index.html';
let fake: ReturnType<typeof createFakeElectron>;
let contents: FakeContents;
let ipc: WindowIpc;
let said: string[];
let answers: Answers;

beforeEach(() => {
  fake = createFakeElectron();
  contents = new FakeContents();
  contents.url = PAGE;
  said = [];
  answers = Object.fromEntries(Object.keys(WINDOW_CALLS).map((name) => [name, vi.fn(() => ({}))])) as unknown as Answers;
  ipc = openWindowIpc({
    electron: fake.electron,
    contents: () => contents as never,
    answers,
    log: (text) => said.push(text),
  });
});

const from = (over: object = {}) => ({ sender: contents, senderFrame: { parent: null, url: PAGE }, ...over });
const call = (name: unknown, input: unknown = {}, event: unknown = from()): Promise<unknown> =>
  fake.handlers.get(CALL_CHANNEL)?.(event, name, input) ?? Promise.reject(new Error('no handler'));

describe('the calls of the window', () => {
  it('reach what they name with a parsed input, and their answer is parsed too', async () => {
    answers.pause = vi.fn(() => ({ ok: true as const, output: { pausedUntilMs: 5 } }));
    expect(await call('pause', { minutes: 15 })).toEqual({ ok: true, output: { pausedUntilMs: 5 } });
    expect(answers.pause).toHaveBeenCalledWith({ minutes: 15 });
  });

  it.each([
    ['another window', { sender: new FakeContents() }],
    ['a frame inside', { senderFrame: { parent: {}, url: PAGE } }],
    ['a frame that is gone', { senderFrame: null }],
    ['another page', { senderFrame: { parent: null, url: 'https://app.example/face' } }],
    ['another host', { senderFrame: { parent: null, url: 'app://other/index.html' } }],
    ['no address at all', { senderFrame: { parent: null, url: '' } }],
  ])('from %s are refused and go nowhere', async (_who, over) => {
    await expect(call('testNow', {}, from(over))).rejects.toThrow(/^refused$/);
    expect(answers.testNow).not.toHaveBeenCalled();
    expect(said).toHaveLength(1);
  });

  it.each([
    ['hello', {}],
    ['note', {}],
    ['proxyFound', {}],
    ['watch', {}],
    ['__proto__', {}],
    ['toString', {}],
    [undefined, {}],
    [['about'], {}],
    ['pause', { minutes: 15, more: true }],
    ['pause', { minutes: '15' }],
    ['pause', undefined],
    ['copy', { text: '' }],
    ['saveFile', { name: '../x', text: '' }],
    ['saveFile', { name: '.profile', text: '' }],
    ['setSettings', { theme: 'pink' }],
  ])('%j with %j are refused', async (name, input) => {
    await expect(call(name, input)).rejects.toThrow(/^refused$/);
  });

  it('are refused beyond 32 at once', async () => {
    answers.testNow = () => new Promise<never>(() => undefined);
    const all = Array.from({ length: 33 }, () => call('testNow'));
    await expect(all.at(-1)).rejects.toThrow(/^refused$/);
    for (const one of all) one.catch(() => undefined);
  });

  it('learn nothing from a failure, nor from a service that answers what it may not', async () => {
    answers.copy = () => {
      throw new Error('/home/marta/secret');
    };
    await expect(call('copy', { text: 'x' })).rejects.toThrow(/^failed$/);
    answers.about = (() => ({ ok: true, output: { version: '1', stranger: true } })) as never;
    await expect(call('about')).rejects.toThrow(/^failed$/);
  });

  it('are answered with what the window is told, only while our page is in it', () => {
    ipc.send('service', { reachable: true, state: serviceStateOf() });
    contents.url = 'https://elsewhere.example/';
    ipc.send('openPage', 'sent');
    contents.url = PAGE;
    contents.destroyed = true;
    ipc.send('openPage', 'sent');
    expect(contents.sent.map(({ event }) => event)).toEqual(['service']);
  });
});
