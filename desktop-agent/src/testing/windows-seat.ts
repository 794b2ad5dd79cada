import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openPipe } from '@svc/native/pipe/win32';
import { readSeatUser } from '@svc/native/seat/win32';
import { messageOf } from '../agent-error.ts';
import { connectToSeat, type ServiceClient } from '../ipc/client.ts';
import { listenForSeat } from '../ipc/listen-seat.ts';
import { createIpcServer, type FaceCalls } from '../ipc/server.ts';
import { serviceStateOf } from './service-state.ts';

/** What runs inside wine for ipc/pipe-door.int.test.ts: real pipes, and a seat that changes hands as it says. Prints what happened. */
const [file = ''] = process.argv.slice(2);
const happened: Record<string, unknown> = {};
const refused: (number | undefined)[] = [];
const faults: string[] = [];

const server = createIpcServer({
  version: '1',
  calls: { watch: () => serviceStateOf() } as Partial<FaceCalls> as FaceCalls,
  load: () => import('@svc/contracts/agent/ipc'),
  onFailure: () => undefined,
  onFaces: () => undefined,
});
const own = readSeatUser();
let sits = own;
mkdirSync(dirname(file), { recursive: true });
const door = await listenForSeat({
  address: file,
  server,
  readSeatUser: () => sits,
  onRefused: (session) => refused.push(session),
  onFault: (error) => faults.push(messageOf(error)),
});
const told = (): string => readFileSync(file, 'utf8');
const pipeOf = (name: string): string => `\\\\.\\pipe\\svc-agent-${name}`;
const tryTo = (open: () => unknown): string => {
  try {
    open();
    return 'done';
  } catch (error) {
    return messageOf(error);
  }
};
const knock = async (): Promise<string> =>
  await connectToSeat(file, 'window').then(
    (client) => {
      client.close();
      return 'let in';
    },
    (error) => error.code,
  );
/** Connects and leaves at once, or is let go of. */
const visit = (name: string, manner: 'leave' | 'stay'): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(pipeOf(name), () => {
      if (manner === 'leave') socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('close', () => resolve());
  });
const ends = (client: ServiceClient): Promise<string> => {
  const limit = new Promise<string>((resolve) => setTimeout(() => resolve('stayed'), 5000).unref());
  return Promise.race([client.closed.then(() => 'let go'), limit]);
};

const first = told();
happened.session = own;
happened.sameName = tryTo(() => openPipe(pipeOf(first)));
const ana = await connectToSeat(file, 'window');
const answers = await Promise.all(Array.from({ length: 30 }, () => ana.call('watch', {})));
happened.answered = answers.filter((state) => state.organisation === 'Example').length;
happened.otherName = told() !== first;
happened.atOnce = await Promise.all([knock(), knock()]);

const beforeBen = told();
sits = 61_002;
happened.left = await ends(ana);
happened.other = await knock();
await visit(told(), 'leave');
sits = undefined;
happened.nobody = await knock();
happened.nameKept = told() === beforeBen;
happened.refused = [...new Set(refused)];
sits = own;
happened.back = await knock();
const named = told();
rmSync(dirname(file), { recursive: true });
await visit(named, 'stay');
mkdirSync(dirname(file));
while (!existsSync(file)) await wait(50);
happened.mended = await knock();
const last = told();
await door.close();
happened.closed = await knock();
happened.free = tryTo(() => openPipe(pipeOf(last)).close());
happened.faults = faults.map((fault) => fault.split(':')[0]);
server.close();
console.log(JSON.stringify(happened));
process.exit();
