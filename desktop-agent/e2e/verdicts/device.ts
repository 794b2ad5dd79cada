import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Actor, FaultKind } from '@svc/contracts/fault-kinds';
import type { WifiReading } from '@svc/native/wifi/wifi';
import type { Netlab } from '@svc/testkit/netlab/netlab';

export interface DeviceOrder {
  readonly caFile: string;
  readonly traceTargets: readonly string[];
  readonly sessionTargets: readonly string[];
  /** `http://host:port`. */
  readonly proxy?: string;
}

export type DevicePart = 'wifi' | 'gateway' | 'paths' | 'sessions' | 'resolvers';

/** In the order of its fields; all may be absent. */
export interface DeviceCommand {
  /** What the radio answers from now on; null is the lab's cable again. */
  readonly wifi?: WifiReading | null;
  /** The device's clocks go on by this. */
  readonly advanceMs?: number;
  /** The agent starts anew. */
  readonly restart?: boolean;
  /** The system says that the device is in another network. */
  readonly networkChanged?: boolean;
  /** The system woke up. */
  readonly slept?: boolean;
  /** Measures everything, or these parts, once, and judges. */
  readonly round?: boolean;
  readonly parts?: readonly DevicePart[];
}

/** The kind of a verdict's fault, or that measuring has only just begun. */
export type SaidKind = FaultKind | 'measuring';

/** A verdict as it is sent; cause null where nothing could be judged. */
export interface Observed {
  readonly cause: string | null;
  readonly kind: SaidKind | null;
  /** The kind of what is named second. */
  readonly also: FaultKind | null;
  readonly actor: Actor | null;
  readonly confidence: number | null;
  /** All layers were measured that this device has and its targets reach. */
  readonly isCovered: boolean;
  /** Layers, in words. */
  readonly measured: string;
  readonly flips: number;
  readonly sentence: string;
}

export interface LabDevice {
  /** Gives the verdict where a round was asked for. */
  do(command: DeviceCommand): Promise<Observed | null>;
  close(): void;
}

const PROGRAM = fileURLToPath(new URL('device-main.ts', import.meta.url));

/** The agent's measurer on the lab's client, as an ordinary user. */
export function startDevice(lab: Netlab, order: Omit<DeviceOrder, 'caFile'>): LabDevice {
  const argv = [process.execPath, '--no-deprecation', PROGRAM, JSON.stringify({ ...order, caFile: lab.caFile })];
  const child = lab.start('client', argv, { env: { HOME: '/nonexistent' } });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk).slice(-4000);
  });
  const waiting: { resolve: (answer: Observed | null) => void; reject: (error: Error) => void }[] = [];
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { answer, error } = JSON.parse(line) as { answer: Observed | null; error?: string };
      const one = waiting.shift();
      if (error === undefined) one?.resolve(answer);
      else one?.reject(new Error(error));
    });
  }
  child.once('close', () => {
    for (const one of waiting.splice(0)) one.reject(new Error(`a device of the lab ended: ${errors}`));
  });
  child.stdin?.on('error', () => undefined);
  return {
    do: (command) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin?.write(`${JSON.stringify(command)}\n`);
      }),
    close: () => child.stdin?.end(),
  };
}
