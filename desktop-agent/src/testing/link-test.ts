import type { ServerDuplexStream } from '@grpc/grpc-js';
import { type Echo, LINK_TEST_BOUNDS, type LoadChunk } from '@svc/contracts/agent/link-test';

/** Without the bounds of a real one. */
export function linkTest(admit: (call: ServerDuplexStream<unknown, unknown>) => boolean) {
  return {
    load(call: ServerDuplexStream<LoadChunk, LoadChunk>) {
      if (!admit(call)) return;
      let taken = 0;
      call.on('data', ({ wanted_bytes, payload }: LoadChunk) => {
        taken += payload.length;
        if (wanted_bytes === 0) call.write({ wanted_bytes: 0, taken_bytes: taken, payload: Buffer.alloc(0) });
        for (let left = wanted_bytes; left > 0; left -= LINK_TEST_BOUNDS.chunkBytes)
          call.write({ wanted_bytes: 0, taken_bytes: taken, payload: Buffer.alloc(Math.min(left, LINK_TEST_BOUNDS.chunkBytes)) });
      });
      call.on('end', () => call.end());
    },
    echo(call: ServerDuplexStream<Echo, Echo>) {
      if (!admit(call)) return;
      call.on('data', (echo: Echo) => call.write(echo));
      call.on('end', () => call.end());
    },
  };
}
