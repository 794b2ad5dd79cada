import type { Actor, FaultKind } from '@svc/contracts/fault-kinds';
import type { Cause } from '@svc/contracts/verdict';
import type { WifiReading } from '@svc/native/wifi/wifi';
import type { Netlab, NetlabOptions } from '@svc/testkit/netlab/netlab';
import type { DeviceOrder, DevicePart, LabDevice, SaidKind } from '../device.ts';

/** What is true, written down before anything was judged. Of several entries each is right: there the truth has two names. */
export interface Expected {
  readonly cause: Cause | readonly Cause[];
  readonly kind: SaidKind | null | readonly (SaidKind | null)[];
  /** What has to be named second. */
  readonly also?: FaultKind;
  /** Confidence that such evidence carries. */
  readonly confidence: readonly [min: number, max: number];
  /** Who can do something about it; absent where nothing is wrong. */
  readonly actor?: Actor;
}

/** What a situation is played with. */
export interface Stage {
  readonly lab: Netlab;
  readonly device: LabDevice;
  /** Rounds a minute apart, or `everyMs`; the newest verdict is the situation's. */
  rounds(count: number, everyMs?: number): Promise<void>;
  /** These parts alone, now. */
  measure(...parts: DevicePart[]): Promise<void>;
  wifi(reading: WifiReading | null): Promise<void>;
  /** Nothing is measured meanwhile, as while a machine sleeps. */
  pass(ms: number): Promise<void>;
  /** A command as root on a node: `ip ...` and the like. */
  root(node: Parameters<Netlab['exec']>[0], command: string): Promise<void>;
}

export interface Situation {
  readonly name: string;
  /** What is broken, in words. */
  readonly truth: string;
  /** A person who works there notices. */
  readonly hurts: boolean;
  /** Something that this device has was not measured, so that nobody can call it healthy. */
  readonly partial?: true;
  readonly expected: Expected;
  readonly lab?: NetlabOptions;
  /** Default: the lab's server is traced and opened. */
  readonly device?: Partial<Omit<DeviceOrder, 'caFile'>>;
  readonly play: (stage: Stage) => Promise<void>;
}

/** Readings that a judged value is the median of. */
export const READINGS = 5;
export const HOUR_MS = 3_600_000;

export const APP = 'https://app.lab.test/';
export const CRM = 'https://crm.lab.test/';
export const MAIL = 'https://mail.lab.test/';

/** A fault that is there from the start and stays. */
export const lasting =
  (make: (stage: Stage) => Promise<unknown>): Situation['play'] =>
  async (stage) => {
    await make(stage);
    await stage.rounds(READINGS);
  };

/** A fault that begins on a device that was well for as long. */
export const begun =
  (make: (stage: Stage) => Promise<unknown>): Situation['play'] =>
  async (stage) => {
    await stage.rounds(READINGS);
    await make(stage);
    await stage.rounds(READINGS);
  };

/** Long enough on this network that its usual values are known. */
export const settled =
  (make: (stage: Stage) => Promise<unknown>): Situation['play'] =>
  async (stage) => {
    // The last of an hour's readings closes no hour yet.
    await stage.rounds(14, HOUR_MS / 2);
    await make(stage);
    await stage.rounds(READINGS);
  };
