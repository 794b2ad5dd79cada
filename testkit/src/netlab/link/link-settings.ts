import type { FrameVerdict } from './frame.ts';

/** Losses that come in bursts (Gilbert-Elliott): frames are lost while the link is in its bad state. Chances are of each frame. */
export interface Bursts {
  /** Chance to fall into the bad state. */
  readonly enter: number;
  /** Chance to leave it. */
  readonly leave: number;
}

/** What happens to those frames alone that fit everything named here. */
export interface LinkRule {
  readonly kind?: Exclude<FrameVerdict, 'neighbour' | 'other'> | 'tcp' | 'udp';
  /** Either port of TCP or UDP. */
  readonly port?: number;
  readonly from?: string;
  readonly to?: string;
  /** 0 to 1, each way. */
  readonly lossRatio?: number;
  readonly delayMs?: number;
}

/** Settings of one link. Delay and jitter count one way, both ways have them; loss and bursts count for the round trip. */
export interface LinkSettings {
  readonly delayMs?: number;
  readonly jitterMs?: number;
  /** 0 to 1, towards the server. */
  readonly lossRatio?: number;
  /** The same from the server. */
  readonly lossBackRatio?: number;
  /** Towards the server; null ends them. */
  readonly bursts?: Bursts | null;
  /** Share of frames that come `reorderMs` later than those sent after them. */
  readonly reorderRatio?: number;
  readonly reorderMs?: number;
  /** Each way; 0 is no limit. What is faster waits in a queue of `queueBytes` and is lost where that is full. */
  readonly rateKbps?: number;
  readonly queueBytes?: number;
  /** Larger packets vanish without a word; 0 is no limit. */
  readonly mtu?: number;
  /** `errors` hides routers (time exceeded, unreachable); `all` takes echoes too. */
  readonly dropIcmp?: 'none' | 'errors' | 'all';
  readonly rules?: readonly LinkRule[];
}

export const PERFECT_LINK: Required<LinkSettings> = {
  delayMs: 0,
  jitterMs: 0,
  lossRatio: 0,
  lossBackRatio: 0,
  bursts: null,
  reorderRatio: 0,
  reorderMs: 30,
  rateKbps: 0,
  queueBytes: 256 * 1024,
  mtu: 0,
  dropIcmp: 'none',
  rules: [],
};
