import { CALL_CHANNEL, EVENT_CHANNEL } from '@svc/contracts/agent/window-channels';
import {
  WINDOW_CALLS,
  WINDOW_EVENTS,
  type WindowCall,
  type WindowEvent,
  type WindowOutput,
  type WindowValue,
} from '@svc/contracts/agent/window-ipc';
import type { IpcMainInvokeEvent, WebContents } from 'electron';
import type { z } from 'zod';
import { messageOf } from '../agent-error.ts';
import { PAGE_HOST, SCHEME } from './app-pages.ts';
import type { Electron } from './electron.ts';

/** What a page asked for, after its input was parsed. */
export type Answers = {
  [C in WindowCall]: (input: z.output<(typeof WINDOW_CALLS)[C]['input']>) => WindowOutput<C> | Promise<WindowOutput<C>>;
};

export interface WindowIpcDeps {
  electron: Pick<Electron, 'ipcMain'>;
  /** The contents of the window that is open. */
  contents(): WebContents | undefined;
  answers: Answers;
  /** Each refusal in a few words; a page of ours never causes one. */
  log(text: string): void;
}

export interface WindowIpc {
  /** Sends to the window if one is open. */
  send<E extends WindowEvent>(event: E, value: WindowValue<E>): void;
  close(): void;
}

/** Calls that one page may have under way: ours needs five at most. */
const MOST_UNDER_WAY = 32;

function isOurPage(url: string | undefined): boolean {
  try {
    const { protocol, host } = new URL(url ?? '');
    return protocol === `${SCHEME}:` && host === PAGE_HOST;
  } catch {
    return false;
  }
}

/** The main frame of the open window, on our own page; undefined, or why somebody else was asking. */
function whyNotOurs(event: IpcMainInvokeEvent, contents: WebContents | undefined): string | undefined {
  if (!contents || event.sender !== contents) return 'not from the open window';
  // A frame that is gone by now is null.
  const frame = event.senderFrame;
  if (!frame || frame.parent !== null) return 'not from its main frame';
  return isOurPage(frame.url) ? undefined : 'not from our page';
}

const isCall = (name: unknown): name is WindowCall => typeof name === 'string' && Object.hasOwn(WINDOW_CALLS, name);

/** Takes the calls of the window's page. Whoever lies about who they are or what they send is refused and learns nothing. */
export function openWindowIpc({ electron, contents, answers, log }: WindowIpcDeps): WindowIpc {
  let underWay = 0;
  const refuse = (why: string): never => {
    log(`The window asked for what it may not have: ${why}.`);
    throw new Error('refused');
  };
  const answer = async (name: WindowCall, given: unknown): Promise<unknown> => {
    const input = WINDOW_CALLS[name].input.safeParse(given);
    if (!input.success) return refuse(`${name} with an input that is not valid`);
    try {
      const output = await answers[name](input.data as never);
      return WINDOW_CALLS[name].output.parse(output);
    } catch (error) {
      // Of our own side; its words may hold paths.
      log(`${name} failed: ${messageOf(error)}`);
      throw new Error('failed');
    }
  };
  electron.ipcMain.handle(CALL_CHANNEL, async (event, name: unknown, given: unknown) => {
    const why = whyNotOurs(event, contents());
    if (why !== undefined) return refuse(why);
    if (!isCall(name)) return refuse('an unknown call');
    if (underWay >= MOST_UNDER_WAY) return refuse('too many calls at once');
    underWay += 1;
    try {
      return await answer(name, given);
    } finally {
      underWay -= 1;
    }
  });
  return {
    send(event, value) {
      const target = contents();
      if (!target || target.isDestroyed() || !isOurPage(target.getURL())) return;
      target.send(EVENT_CHANNEL, event, WINDOW_EVENTS[event].parse(value));
    },
    close: () => electron.ipcMain.removeHandler(CALL_CHANNEL),
  };
}
