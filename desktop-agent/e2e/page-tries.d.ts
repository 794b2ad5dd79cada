import type { AgentBridge, FaceSettings } from '../src/renderer/bridge.ts';

export function lookAround(): { globals: string[]; bridge: string[]; url: string };
export function tryToLoad(
  away: string,
): Promise<{ fetched: string; text: boolean; inline: boolean; outline: string; violated: string[] }>;
export function tryToLeave(away: string): void;
export function tryToBeGranted(away: string): Promise<{ opened: boolean; states: string[]; camera: string; place: unknown }>;
export function tryToLie(calls: unknown[][]): Promise<string[]>;
export function closeWindow(): void;
export function setSettings(change: Partial<FaceSettings>): Promise<FaceSettings>;
export function openView(): ReturnType<AgentBridge['open']>;
