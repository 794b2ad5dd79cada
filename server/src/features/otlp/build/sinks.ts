import { ByteSink } from '#telemetry';

/** New memory for every block would keep the system busier than the blocks: what a block was written into comes back. */
const MAX_IDLE = 3;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
const idle: Buffer[] = [];

/** An empty sink to encode one block into, of this thread. Its memory may be transferred. */
export function takeSink(): ByteSink {
  const sink = new ByteSink(0);
  sink.bytes = idle.pop() ?? Buffer.allocUnsafeSlow(1 << 20);
  return sink;
}

/** Takes back the memory of a sink whose bytes nobody reads any more. */
export function giveBuffer(bytes: Buffer): void {
  if (idle.length < MAX_IDLE && bytes.length <= MAX_KEPT_BYTES) idle.push(bytes);
}
