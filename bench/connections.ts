import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { parseArgs } from 'node:util';
import { agentStatus } from '@svc/contracts/agent-messages';
import { PROTOCOL_METADATA } from '@svc/contracts/agent-version';
import { makeStatus } from '../server/src/features/fleet/test-devices.ts';
import { startFleetStack } from '../server/src/features/fleet/test-stack.ts';

/** Holds many agents' connections, each with its own TLS session and an open Fleet stream, and says what they cost the server. */
const { values } = parseArgs({ options: { connections: { type: 'string', default: '5000' } } });
const AT_ONCE = 20;

interface Order {
  address: string;
  ca: string;
  key: string;
  cert: string;
  count: number;
}

/** One connection with one open stream that has sent its status; resolves when the server answered with the policy. */
async function open({ address, ca, key, cert }: Order): Promise<void> {
  const session = connect(`https://${address}`, { ca, key, cert });
  const headers = {
    ':method': 'POST',
    ':path': '/svc.agent.v1.Fleet/Connect',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const stream = session.request({ ...headers, [PROTOCOL_METADATA]: '1' }, { endStream: false });
  const body = agentStatus.encode(makeStatus());
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(body.length, 1);
  stream.write(Buffer.concat([frame, body]));
  await once(stream, 'data');
}

async function runDevices(order: Order): Promise<void> {
  let left = order.count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await open(order);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.send?.('open');
}

async function runServer(count: number): Promise<void> {
  const stack = await startFleetStack();
  const { identity, keyPem } = await stack.enrolDevice(await stack.addTenant('bench'));
  const rssMb = () => process.memoryUsage().rss / 1e6;
  const [rssBefore, cpuBefore, from] = [rssMb(), process.cpuUsage(), performance.now()];
  const devices: ChildProcess = fork(import.meta.filename, ['--connections', '0'], { execArgv: process.execArgv });
  try {
    devices.send({ address: stack.address, ca: stack.ca, key: keyPem, cert: identity.chain, count } satisfies Order);
    const [message] = (await once(devices, 'message')) as [string];
    const { user, system } = process.cpuUsage(cpuBefore);
    const tookS = (performance.now() - from) / 1000;
    const perConnection = ((rssMb() - rssBefore) * 1000) / count;
    process.stdout.write(
      `${stack.grpc.openStreams()} streams ${message} after ${tookS.toFixed(1)} s, ${((user + system) / 1000 / count).toFixed(2)} ms CPU and ` +
        `${perConnection.toFixed(0)} kB each, RSS ${rssMb().toFixed(0)} MB\n`,
    );
    if (stack.grpc.openStreams() !== count) process.exitCode = 1;
  } finally {
    devices.kill('SIGKILL');
    await stack.close();
  }
}

if (values.connections === '0') {
  process.once('message', (order) => {
    runDevices(order as Order).catch((error: unknown) => {
      process.send?.(`failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
} else await runServer(Number(values.connections));
