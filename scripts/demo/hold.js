// One demo a data directory: two of them would be the same devices, and each would throw the other's connections out.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A socket ends with its process, however that ends; of a file, only its text would tell. */
function addressOf(dataDir) {
  // A path of its own: one inside of the directory may be longer than a socket's may be.
  const name = `svc-demo-${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

const isAnswered = (address) =>
  new Promise((resolveWith) => {
    const socket = connect(address);
    socket.once('connect', () => resolveWith(true)).once('error', () => resolveWith(false));
    socket.once('close', () => resolveWith(false));
    socket.once('connect', () => socket.destroy());
  });

const listen = (address) =>
  new Promise((resolveWith, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(address, () => {
      // It keeps no process alive.
      server.unref();
      resolveWith(server);
    });
  });

/** Takes the demo of a data directory; resolves to what gives it back. Rejects with what to do where another process has it. */
export async function holdDemo(dataDir) {
  const address = addressOf(dataDir);
  const taken = `A demo of ${dataDir} runs already. Stop it with Ctrl-C first, or set SVC_DATA_DIR to another folder and other ports for a second one.`;
  if (await isAnswered(address)) throw new Error(taken);
  try {
    // What a demo left that was killed.
    if (process.platform !== 'win32') rmSync(address, { force: true });
    const server = await listen(address);
    return () => server.close();
  } catch (error) {
    if (error.code === 'EADDRINUSE') throw new Error(taken);
    // A temporary folder in which nothing can be made keeps nobody from a demo.
    return () => {};
  }
}
