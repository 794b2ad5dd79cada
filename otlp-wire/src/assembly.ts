import { webAssembly } from '@svc/bytes';

/** A place in an assembly's memory, bytes from its beginning. */
export type Address = number;

type Host = Readonly<Record<string, (...numbers: number[]) => unknown>>;

/** Code of otlp-wire/assembly that runs as long as this thread, with a memory of its own. */
export interface Assembly<Exports> {
  readonly code: Exports;
  /** All of the memory as it is now. What is there stays there when it grows; what is added is in the next view only. */
  memory(): Buffer;
}

/** As otlp-wire/generate-assembly.js tells the compiler: 1 MiB, and 2 GiB at most, since addresses come as signed numbers. */
const PAGES = { initial: 16, maximum: 32_768 };

/**
 * Runs a module that otlp-wire/generate-assembly.js made (base64) with what its host.ts declares. The assembly reads and writes what it is told to
 * within its own memory and nothing else, and an error that the host throws ends its call.
 */
export function runAssembly<Exports>(module: string, host: Host): Assembly<Exports> {
  // Shared, so that it grows without taking the views of it away.
  const memory = new webAssembly.Memory({ ...PAGES, shared: true });
  const { exports } = new webAssembly.Instance(new webAssembly.Module(Buffer.from(module, 'base64')), { env: { memory }, host });
  let view = Buffer.from(memory.buffer);
  return {
    code: exports as unknown as Exports,
    memory() {
      if (view.buffer !== memory.buffer) view = Buffer.from(memory.buffer);
      return view;
    },
  };
}
