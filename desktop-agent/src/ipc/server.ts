import type { IpcCall, IpcEvent, IpcOutput, IpcParsed } from '@svc/contracts/agent/ipc';
import type { Channel, ChannelBounds } from './channel.ts';
import { IpcFault } from './ipc-fault.ts';

type Contract = typeof import('@svc/contracts/agent/ipc');

/** One connected face, as its calls know it. */
export interface Face {
  readonly kind: 'window' | 'cli';
}

/** What the service answers. A call throws IpcFault for what a face should read; anything else is told as `failed` without details. */
export type FaceCalls = {
  [C in Exclude<IpcCall, 'hello'>]: (input: IpcParsed<C>, face: Face) => IpcOutput<C> | Promise<IpcOutput<C>>;
};

export interface IpcServerDeps {
  version: string;
  calls: FaceCalls;
  /** The schemas; loaded with the first face, so that an agent without one does not carry them. */
  load(): Promise<Contract>;
  /** A call failed in a way that nobody foresaw. */
  onFailure(call: string, error: unknown): void;
  /** The number of faces, or of those that watch, changed. */
  onFaces(): void;
}

export interface IpcServer {
  /** Takes a face in; closes its channel where there are too many. */
  accept(open: (bounds: ChannelBounds) => Channel): Promise<void>;
  /** Sends an event to the faces that watch; `only` to those of one kind. Gives how many it went to. */
  emit(event: IpcEvent, value: unknown, only?: Face['kind']): number;
  watchers(only?: Face['kind']): number;
  /** Faces that are there, whether or not they watch. */
  faces(only?: Face['kind']): number;
  close(): void;
}

/** Calls of one face that are under way at once. */
const MAX_OUTSTANDING = 32;
/** Who says nothing must not keep others out. */
const GREETING_LIMIT_MS = 10_000;

interface Client {
  channel: Channel;
  face: Face | undefined;
  watches: boolean;
  outstanding: number;
  open: boolean;
}

interface Asked {
  id: number;
  call: IpcCall;
  input: unknown;
}

interface Serving extends IpcServerDeps {
  contract: Contract;
}

function leave(client: Client): void {
  client.open = false;
  client.channel.close();
}

function reply(s: Serving, client: Client, answer: { id: number; [part: string]: unknown }): void {
  if (!client.open) return;
  const line = JSON.stringify(answer);
  const fault = { code: 'failed', message: 'The answer is too large for one frame.' };
  const fits = Buffer.byteLength(line) <= s.contract.IPC_MAX_FRAME;
  client.channel.send(fits ? line : JSON.stringify({ id: answer.id, fault }));
}

/** The first call says who calls; a face of another protocol is told so and let go. */
function greet(s: Serving, client: Client, { id, call, input }: Asked): void {
  const hello = call === 'hello' ? s.contract.IPC_CALLS.hello.input.safeParse(input).data : undefined;
  const protocol = s.contract.IPC_PROTOCOL;
  if (hello?.protocol === protocol) {
    client.face = { kind: hello.face };
    reply(s, client, { id, output: { protocol, version: s.version } });
    s.onFaces();
    return;
  }
  if (hello) reply(s, client, { id, fault: { code: 'refused', message: `This service speaks protocol ${protocol}.` } });
  leave(client);
}

async function answerCall(s: Serving, client: Client, request: Asked): Promise<void> {
  const { id, call } = request;
  const parsed = s.contract.IPC_CALLS[call].input.safeParse(request.input);
  if (!parsed.success) {
    const message = `The input of ${call} is not valid: ${parsed.error.issues[0]?.path.join('.') ?? ''}`.slice(0, 200);
    reply(s, client, { id, fault: { code: 'bad_input', message } });
    return;
  }
  if (client.outstanding >= MAX_OUTSTANDING) {
    reply(s, client, { id, fault: { code: 'busy', message: `More than ${MAX_OUTSTANDING} calls at once.` } });
    return;
  }
  client.outstanding += 1;
  try {
    const answer = s.calls[call as Exclude<IpcCall, 'hello'>] as (input: unknown, face: Face) => unknown;
    const output = await answer(parsed.data, client.face as Face);
    if (call === 'watch' && !client.watches) {
      client.watches = true;
      s.onFaces();
    }
    reply(s, client, { id, output });
  } catch (error) {
    const fault = error instanceof IpcFault ? error : new IpcFault('failed', 'The agent could not do this; its log says why.');
    if (fault !== error) s.onFailure(call, error);
    reply(s, client, { id, fault: { code: fault.code, message: fault.message.slice(0, 500) } });
  } finally {
    client.outstanding -= 1;
  }
}

/** Undefined for what breaks the contract. */
function parseRequest({ contract }: Serving, line: string): Asked | undefined {
  try {
    const request = contract.IpcRequest.safeParse(JSON.parse(line)).data;
    return request && Object.hasOwn(contract.IPC_CALLS, request.call) ? { ...request, call: request.call as IpcCall } : undefined;
  } catch {
    return undefined;
  }
}

function hear(s: Serving, client: Client, line: string): void {
  if (!client.open) return;
  const asked = parseRequest(s, line);
  if (!asked) leave(client);
  else if (!client.face) greet(s, client, asked);
  else if (asked.call === 'hello') leave(client);
  else void answerCall(s, client, asked);
}

/** Answers faces over any channel. A face that breaks the contract is cut off; the others notice nothing of it. */
export function createIpcServer(deps: IpcServerDeps): IpcServer {
  const clients = new Set<Client>();
  const among = (only: Face['kind'] | undefined): Client[] =>
    [...clients].filter((client) => client.face !== undefined && (only === undefined || client.face.kind === only));
  return {
    async accept(open) {
      const contract = await deps.load();
      const serving: Serving = { ...deps, contract };
      const channel = open({ frame: contract.IPC_MAX_FRAME, backlog: 4 * contract.IPC_MAX_FRAME });
      if (clients.size >= contract.IPC_MAX_CLIENTS) return channel.close();
      const client: Client = { channel, face: undefined, watches: false, outstanding: 0, open: true };
      clients.add(client);
      const late = setTimeout(() => {
        if (!client.face) leave(client);
      }, GREETING_LIMIT_MS);
      channel.start({
        line: (text) => hear(serving, client, text),
        closed() {
          clearTimeout(late);
          client.open = false;
          if (clients.delete(client)) deps.onFaces();
        },
      });
    },
    emit(event, value, only) {
      const watching = among(only).filter((client) => client.watches && client.open);
      if (watching.length === 0) return 0;
      const line = JSON.stringify({ event, value });
      for (const client of watching) client.channel.send(line);
      return watching.length;
    },
    watchers: (only) => among(only).filter((client) => client.watches).length,
    faces: (only) => among(only).length,
    close() {
      for (const client of clients) leave(client);
    },
  };
}
