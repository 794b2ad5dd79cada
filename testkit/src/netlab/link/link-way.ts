import { describePacket, type FrameVerdict, judgeFrame, type Packet } from './frame.ts';
import type { LinkRule, LinkSettings } from './link-settings.ts';

/** One direction of a link. */
export interface LinkWay {
  /** Milliseconds until the frame comes out at the other end; undefined where it is lost. */
  carry(frame: Buffer, nowMs: number): number | undefined;
}

interface WayOptions {
  /** Read at each frame, so that a changed setting counts at once. */
  readonly settings: Required<LinkSettings>;
  /** Towards the server. */
  readonly outward: boolean;
  /** 0 to 1. */
  readonly random?: () => number;
}

export function createLinkWay({ settings, outward, random = Math.random }: WayOptions): LinkWay {
  let isBad = false;
  let busyUntilMs = 0;

  const isBurst = (): boolean => {
    const { bursts } = settings;
    if (!bursts || !outward) return false;
    isBad = random() < (isBad ? 1 - bursts.leave : bursts.enter);
    return isBad;
  };

  /** Until the frame has left the queue; undefined where the queue is full. */
  const queueMs = (bytes: number, nowMs: number): number | undefined => {
    const bytesPerMs = settings.rateKbps / 8;
    if (bytesPerMs === 0) return 0;
    const waitMs = Math.max(0, busyUntilMs - nowMs);
    if (waitMs * bytesPerMs + bytes > settings.queueBytes) return undefined;
    busyUntilMs = nowMs + waitMs + bytes / bytesPerMs;
    return busyUntilMs - nowMs;
  };

  const chance = (ratio: number): boolean => ratio > 0 && random() < ratio;

  return {
    carry(frame, nowMs) {
      const verdict = judgeFrame(frame);
      if (verdict === 'neighbour') return settings.delayMs;
      if (isHidden(settings.dropIcmp, verdict)) return undefined;
      const packet = describePacket(frame);
      if (settings.mtu > 0 && packet.bytes > settings.mtu) return undefined;
      const rules = settings.rules.filter((rule) => fits(rule, verdict, packet));
      const ratio = outward ? settings.lossRatio : settings.lossBackRatio;
      if (isBurst() || chance(ratio) || rules.some((rule) => chance(rule.lossRatio ?? 0))) return undefined;
      const queued = queueMs(frame.length, nowMs);
      if (queued === undefined) return undefined;
      const late = chance(settings.reorderRatio) ? settings.reorderMs : 0;
      const ruled = rules.reduce((sum, rule) => sum + (rule.delayMs ?? 0), 0);
      const jitter = settings.jitterMs > 0 ? random() * settings.jitterMs : 0;
      return queued + settings.delayMs + jitter + late + ruled;
    },
  };
}

const isHidden = (dropIcmp: 'none' | 'errors' | 'all', verdict: FrameVerdict): boolean =>
  (dropIcmp === 'all' && verdict !== 'other') || (dropIcmp === 'errors' && verdict === 'icmp-error');

function fits(rule: LinkRule, verdict: FrameVerdict, packet: Packet): boolean {
  const { kind, port, from, to } = rule;
  return (
    (kind === undefined || kind === verdict || kind === packet.transport) &&
    (port === undefined || packet.ports.includes(port)) &&
    (from === undefined || from === packet.from) &&
    (to === undefined || to === packet.to)
  );
}
