import type { Cause } from '@svc/contracts/verdict';
import { type Device, type FaultKind, TRUE_CAUSE } from './device.ts';
import { createRandom, hashOf, type Random } from './random.ts';

/** How the world is around one device at one moment: the ground truth in numbers. Milliseconds, dBm, ratios 0 to 1. */
export interface Conditions {
  wifi: { rssiDbm: number; noiseDbm: number; linkRateMbps: number } | null;
  gateway: { rttMs: number; lossRatio: number } | null;
  isp: { rttMs: number; lossRatio: number } | null;
  /** Behind the provider's edge, from the fourth hop on. */
  beyond: { lossRatio: number };
  /** What each of the device's targets adds to a session's waiting, and what all phases are stretched by; what finding a name adds; why the first target refuses. */
  sessions: { baseMs: number; stretch: number; serverMs: readonly number[]; dnsMs: number; refusal: string | null };
}

const DAY = 86_400_000;
const EPISODE = 40 * 60_000;
/** Towards the anchor an intermittent fault is there for good, so that it can be seen. */
const FOR_GOOD_FROM = -90 * 60_000;

/** The fault at work at a moment, if any. */
export function faultAt(device: Device, atMs: number): FaultKind | undefined {
  const { fault } = device;
  if (!fault || atMs < fault.fromMs) return undefined;
  if (!fault.intermittent || atMs >= FOR_GOOD_FROM) return fault.kind;
  // One gateway, so the same episodes for everybody behind it.
  const episode = hashOf('episode', device.gateway ?? '', Math.floor(atMs / EPISODE));
  return episode % 100 < 40 ? fault.kind : undefined;
}

/** The verdict that attribution owes for a device at a moment. */
export function trueCauseAt(device: Device, atMs: number): Cause {
  const fault = faultAt(device, atMs);
  return fault ? TRUE_CAUSE[fault] : 'none';
}

/** True where the truth was the same over the whole while before: loss windows need it to fill or to empty. */
export function isSettled(device: Device, atMs: number, whileMs: number): boolean {
  const step = 60_000;
  for (let back = 0; back <= whileMs; back += step) if (faultAt(device, atMs - back) !== faultAt(device, atMs)) return false;
  return true;
}

/** Asleep, paused, declined and silent devices measure nothing. */
export function isMeasuring(device: Device, atMs: number): boolean {
  if (device.declined) return false;
  if (device.silentFromMs !== null && atMs >= device.silentFromMs) return false;
  if (device.refusedFromMs !== null && atMs >= device.refusedFromMs) return false;
  if (device.paused && atMs >= device.paused.fromMs && atMs < device.paused.untilMs) return false;
  return !isAsleep(device, atMs);
}

export function isAsleep({ sleep }: Device, atMs: number): boolean {
  // The scenario's day is shown by day: whoever looks on after the anchor looks on without a night.
  if (!sleep || atMs >= 0) return false;
  const inDay = (((atMs + DAY) % DAY) + DAY) % DAY;
  return inDay >= sleep.fromMs + DAY && inDay < sleep.toMs + DAY;
}

function wifiOf(device: Device, fault: FaultKind | undefined, random: Random): Conditions['wifi'] {
  if (device.connection === 'wired') return null;
  const weak = device.percentOnly ? -80 : -77 - (device.index % 6);
  const rssiDbm = fault === 'weak_wifi' ? weak + random.between(-0.8, 0.8) : device.baseline.rssiDbm + random.between(-2, 2);
  const linkRateMbps = rssiDbm < -74 ? random.between(13, 58) : random.between(390, 866);
  return { rssiDbm: Math.round(rssiDbm), noiseDbm: Math.round(random.between(-97, -94)), linkRateMbps: Math.round(linkRateMbps) };
}

/** The world around a device at a moment; pure, the same for the same seed. */
export function conditionsAt(device: Device, atMs: number, seed: number): Conditions {
  const random = createRandom(hashOf(seed, device.index, atMs));
  const fault = faultAt(device, atMs);
  const { baseline } = device;
  const jitter = random.between(0.85, 1.25);
  const wifi = wifiOf(device, fault, random);
  let gateway = { rttMs: baseline.gatewayRttMs * jitter, lossRatio: 0 };
  let isp = { rttMs: baseline.ispRttMs * jitter, lossRatio: 0 };
  let stretch = jitter;
  let dnsMs = 0;
  const serverMs = device.targets.map(() => random.between(0, 60));
  if (fault === 'weak_wifi') {
    const bad = (device.index % 6) / 6;
    gateway = { rttMs: (20 + 34 * bad) * jitter, lossRatio: 0.012 + 0.035 * bad };
    isp = { rttMs: gateway.rttMs + baseline.ispRttMs, lossRatio: gateway.lossRatio };
    stretch = 7 + 7 * bad + random.between(0, 2);
  } else if (fault === 'lossy_gateway') {
    gateway = { rttMs: random.between(42, 60), lossRatio: 0.085 };
    isp = { rttMs: gateway.rttMs + random.between(5, 9), lossRatio: 0.085 };
    stretch = random.between(7, 9);
  } else if (fault === 'slow_isp') {
    isp = { rttMs: random.between(125, 144), lossRatio: 0.03 };
    stretch = random.between(8, 11);
  } else if (fault === 'slow_saas') {
    serverMs[0] = random.between(3600, 4600);
  } else if (fault === 'slow_names') {
    dnsMs = random.between(2600, 3400);
  } else if (fault === 'slow_unseen') {
    stretch = random.between(8, 9.5);
  }
  const isHidden = device.gateway === null;
  return {
    wifi,
    gateway: isHidden ? null : gateway,
    isp: isHidden ? null : isp,
    beyond: { lossRatio: fault === 'lossy_path' ? 0.2 : 0 },
    sessions: {
      baseMs: baseline.sessionMs,
      stretch,
      serverMs,
      dnsMs,
      refusal: fault === 'expired_certificate' ? 'CERT_HAS_EXPIRED' : null,
    },
  };
}
