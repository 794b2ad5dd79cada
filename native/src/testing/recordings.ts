import { readFileSync } from 'node:fs';
import type { Nl80211 } from '../wifi/linux-link.ts';

/** Replies of a simulated radio (mac80211_hwsim), one message each in hex: `station3` is what interface 3 answered. */
export type WifiRecording = Readonly<Record<string, readonly string[]>>;

const readFixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8'));

export const readWifiRecording = (name: 'rec-connected' | 'rec-disconnected'): WifiRecording =>
  readFixture(name) as WifiRecording;

/** Replies of rtnetlink in a lab: by scene, then by what was asked. */
export const readRouteRecording = (): Record<string, Record<string, string[]>> =>
  readFixture('rec-routes') as Record<string, Record<string, string[]>>;

export const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** Answers as the recorded kernel did. */
export function replayWifi(recording: WifiRecording): Nl80211 & { asked: string[] } {
  const asked: string[] = [];
  const answer = (key: string): Buffer[] => {
    asked.push(key);
    return (recording[key] ?? []).map(bytesOf);
  };
  return {
    asked,
    interfaces: () => answer('interfaces'),
    station: (ifindex) => answer(`station${ifindex}`),
    survey: (ifindex) => answer(`survey${ifindex}`),
    cachedScan: (ifindex) => answer(`scan${ifindex}`),
  };
}

/** A small deterministic source of bytes (xorshift), so that a failing case can be run again. */
export function seededBytes(seed: number): (length: number) => Buffer {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return (length) => Buffer.from(Array.from({ length }, () => next() & 0xff));
}
