import { ByteSink } from '#telemetry';

/** New memory for every block would keep the system busier than the blocks: what a block was written into comes back. */
const MAX_IDLE = 4;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
const idle: SharedArrayBuffer[] = [];

const share = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));

/** An empty sink to encode one block into, of this thread. Its memory is shared: the thread that inserts reads it where it lies. */
export function takeSink(): ByteSink {
  const memory = idle.pop();
  return new ByteSink(1 << 20, (bytes) => (memory && bytes <= memory.byteLength ? Buffer.from(memory) : share(bytes)));
}

/** Takes back the memory of a sink whose bytes nobody reads any more. */
export function giveMemory(memory: SharedArrayBuffer): void {
  if (idle.length < MAX_IDLE && memory.byteLength <= MAX_KEPT_BYTES) idle.push(memory);
}
