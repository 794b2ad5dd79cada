import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import {
  IPC_CALLS,
  IPC_EVENTS,
  IPC_MAX_FRAME,
  IPC_PROTOCOL,
  type IpcCall,
  type IpcEvent,
  type IpcInput,
  type IpcOutput,
  IpcReply,
} from '@svc/contracts/agent/ipc';
import { AgentError } from '../agent-error.ts';
import { addressToConnect, seatToConnect } from './address.ts';
import { type Channel, type ChannelBounds, socketChannel } from './channel.ts';
import { IpcFault, type IpcFaultCode } from './ipc-fault.ts';

const ANSWER_LIMIT_MS = 15_000;
/** Windows lets a client wait half a minute for a pipe whose one place is taken. */
const CONNECT_LIMIT_MS = 2000;
const SEAT_TRIES = 3;

export type EventValue<E extends IpcEvent> = ReturnType<(typeof IPC_EVENTS)[E]['parse']>;

/** A face's end of the contract. Runs on Node 16 too, inside the main process of the Electron that the tests use. */
export interface ServiceClient {
  /** Version of the service. */
  version: string;
  /** Rejects with IpcFault where the service refuses, with AgentError where it is gone, silent or breaks the contract. */
  call<C extends IpcCall>(call: C, input: IpcInput<C>): Promise<IpcOutput<C>>;
  /** Events come after `watch`. Gives what takes the listener away. */
  on<E extends IpcEvent>(event: E, listener: (value: EventValue<E>) => void): () => void;
  /** Resolves when the connection is over. */
  closed: Promise<void>;
  close(): void;
}

interface Waiting {
  call: IpcCall;
  resolve(value: never): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

interface Talking {
  channel: Channel;
  waiting: Map<number, Waiting>;
  listeners: Map<IpcEvent, Set<(value: never) => void>>;
  lastId: number;
  over: boolean;
}

const gone = (): AgentError => new AgentError('unreachable', 'The agent ended the connection.');

function settle(t: Talking, id: number): Waiting | undefined {
  const waiting = t.waiting.get(id);
  t.waiting.delete(id);
  clearTimeout(waiting?.timer);
  return waiting;
}

function hearEvent(t: Talking, event: string, value: unknown): void {
  if (!Object.keys(IPC_EVENTS).includes(event)) return;
  const parsed = IPC_EVENTS[event as IpcEvent].safeParse(value);
  if (parsed.success) for (const listener of t.listeners.get(event as IpcEvent) ?? []) listener(parsed.data as never);
  else t.channel.close();
}

function hearAnswer(waiting: Waiting, answer: { output: unknown } | { fault: { code: IpcFaultCode; message: string } }): void {
  if ('fault' in answer) {
    waiting.reject(new IpcFault(answer.fault.code, answer.fault.message));
    return;
  }
  const output = IPC_CALLS[waiting.call].output.safeParse(answer.output);
  if (output.success) waiting.resolve(output.data as never);
  else waiting.reject(new AgentError('bad_answer', `The agent's answer to ${waiting.call} is not valid.`));
}

function parseReply(line: string): IpcReply | undefined {
  try {
    return IpcReply.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function hear(t: Talking, line: string): void {
  const reply = parseReply(line);
  if (!reply) t.channel.close();
  else if ('event' in reply) hearEvent(t, reply.event, reply.value);
  else {
    const waiting = settle(t, reply.id);
    if (waiting) hearAnswer(waiting, reply);
  }
}

function ask<C extends IpcCall>(t: Talking, call: C, input: IpcInput<C>): Promise<IpcOutput<C>> {
  return new Promise((resolve, reject) => {
    if (t.over) return reject(gone());
    t.lastId += 1;
    const id = t.lastId;
    const timer = setTimeout(() => {
      settle(t, id)?.reject(new AgentError('unavailable', `The agent did not answer ${call} in time.`));
    }, ANSWER_LIMIT_MS);
    t.waiting.set(id, { call, resolve: resolve as (value: never) => void, reject, timer });
    t.channel.send(JSON.stringify({ id, call, input }));
  });
}

/** Greets the service on a channel of any kind. Rejects where it is of another protocol or no service of ours. */
export async function openClient(channel: Channel, face: 'window' | 'cli'): Promise<ServiceClient> {
  const t: Talking = { channel, waiting: new Map(), listeners: new Map(), lastId: 0, over: false };
  const closed = new Promise<void>((resolve) => {
    channel.start({
      line: (text) => hear(t, text),
      closed() {
        t.over = true;
        for (const id of [...t.waiting.keys()]) settle(t, id)?.reject(gone());
        resolve();
      },
    });
  });
  const { version } = await ask(t, 'hello', { protocol: IPC_PROTOCOL, face });
  return {
    version,
    call: (call, input) => ask(t, call, input),
    on(event, listener) {
      const listeners = t.listeners.get(event) ?? new Set();
      t.listeners.set(event, listeners.add(listener as (value: never) => void));
      return () => void listeners.delete(listener as (value: never) => void);
    },
    closed,
    close: () => channel.close(),
  };
}

/** What a face holds its channel to. */
export const FACE_BOUNDS: ChannelBounds = { frame: IPC_MAX_FRAME, backlog: 4 * IPC_MAX_FRAME };

/** Connects to a service at this address. Throws AgentError as `connectToService`. */
async function connectTo(address: string, face: 'window' | 'cli', where: string): Promise<ServiceClient> {
  const socket = connect(address);
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => socket.destroy(new Error('nobody took the connection')), CONNECT_LIMIT_MS);
    socket.once('connect', resolve);
    socket.once('error', (cause) => reject(new AgentError('unreachable', `No agent runs on ${where}.`, { cause })));
    socket.once('connect', () => clearTimeout(late));
    socket.once('close', () => clearTimeout(late));
  });
  try {
    return await openClient(socketChannel(socket, FACE_BOUNDS), face);
  } catch (cause) {
    const isCutOff = cause instanceof AgentError && cause.code === 'unreachable';
    throw isCutOff
      ? new AgentError('forbidden', 'The agent refused this: it answers the user whom it runs as, or who sits at this machine.', {
          cause,
        })
      : cause;
  }
}

/** Connects to the service that rests in this state directory. Throws AgentError: `unreachable` where none runs, `forbidden` where it runs as another user. */
export async function connectToService(stateDir: string, face: 'window' | 'cli'): Promise<ServiceClient> {
  return await connectTo(await addressToConnect(stateDir), face, stateDir);
}

/** Whether a service of the machine has opened a socket to whoever sits at it. */
export const isSeatThere = (address: string | undefined): address is string => address !== undefined && existsSync(address);

/** Connects to the service of the machine. Throws AgentError: `forbidden` to who does not sit at it. */
export async function connectToSeat(address: string, face: 'window' | 'cli'): Promise<ServiceClient> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await connectTo(await seatToConnect(address), face, address);
    } catch (error) {
      // Another face took that pipe in between: the next one has another name.
      const isTaken = process.platform === 'win32' && error instanceof AgentError && error.code === 'unreachable';
      if (!isTaken || tried === SEAT_TRIES) throw error;
    }
  }
}
