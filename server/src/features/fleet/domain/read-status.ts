import type { AgentStatus } from '@svc/contracts/agent/messages';
import {
  AGENT_STATES,
  type AgentState,
  DISCLOSURE_STATES,
  type DisclosureState,
  MISSING_PERMISSIONS,
  type MissingPermission,
} from '@svc/contracts/verdict';
import { AppError } from '#kernel';

/** A device's status after admission: bounded texts, a known state, null for what it does not say. */
export interface ReadStatus {
  state: AgentState;
  pausedUntilMs: number | null;
  agentVersion: string;
  os: string | null;
  osVersion: string | null;
  arch: string | null;
  model: string | null;
  policyVersion: number;
  spoolResults: number;
  spoolDropped: number;
  deviceName: string | null;
  /** Device's clock minus ours; bounded to a month either way. */
  clockSkewMs: number;
  disclosureShownAtMs: number | null;
  simulated: boolean;
  face: Face | null;
  missingPermissions: readonly MissingPermission[];
  disclosure: DisclosureState | null;
  site: string | null;
  ownerEmail: string | null;
}

const FACES = ['window', 'headless'] as const;
type Face = (typeof FACES)[number];

/** As the device itself checks it. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const MAX_SKEW_MS = 31 * 86_400_000;
const MAX_TIME_MS = 8_640_000_000_000;
const MAX_INT = 2_147_483_647;

const isState = (text: string): text is AgentState => (AGENT_STATES as readonly string[]).includes(text);
const hasControlCharacter = (text: string): boolean => {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 32) return true;
  return false;
};

function readText(field: string, text: string, max: number): string | null {
  if (text.length > max || hasControlCharacter(text) || !text.isWellFormed())
    throw new AppError('validation', `The status field ${field} is not valid.`);
  return text === '' ? null : text;
}

const readCount = (value: number, max: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(0, Math.trunc(value)), max) : 0;

/** The one of these words that this is; null for a word that a newer agent may have. */
const wordOf = <T extends string>(words: readonly T[], text: string | undefined): T | null =>
  words.find((word) => word === text) ?? null;

function readEmail(text: string): string | null {
  const email = readText('owner_email', text, 320);
  if (email !== null && !EMAIL.test(email)) throw new AppError('validation', 'The status field owner_email is not valid.');
  return email;
}

/** The status as the server keeps it; `validation` for a state that does not exist or a text over its bound. */
export function readStatus(status: AgentStatus, nowMs: number): ReadStatus {
  if (!isState(status.state)) throw new AppError('validation', `Unknown agent state "${status.state.slice(0, 32)}".`);
  const shownAtMs = Date.parse(status.disclosure_shown_at);
  const skewMs = status.clock_ms > 0 ? status.clock_ms - nowMs : 0;
  return {
    state: status.state,
    pausedUntilMs: status.paused_until_ms > 0 && status.paused_until_ms < MAX_TIME_MS ? status.paused_until_ms : null,
    agentVersion: readText('agent_version', status.agent_version, 64) ?? '',
    os: readText('os', status.os, 64),
    osVersion: readText('os_version', status.os_version, 128),
    arch: readText('arch', status.arch, 32),
    model: readText('model', status.model, 128),
    policyVersion: readCount(status.policy_version, MAX_INT),
    spoolResults: readCount(status.spool_results, MAX_INT),
    spoolDropped: readCount(status.spool_dropped, Number.MAX_SAFE_INTEGER),
    deviceName: readText('device_name', status.device_name, 255),
    clockSkewMs: Math.trunc(Math.min(Math.max(skewMs, -MAX_SKEW_MS), Math.min(MAX_SKEW_MS, MAX_INT))),
    disclosureShownAtMs: Number.isFinite(shownAtMs) && Math.abs(shownAtMs) < MAX_TIME_MS ? shownAtMs : null,
    simulated: status.simulated,
    face: wordOf(FACES, status.face),
    missingPermissions: MISSING_PERMISSIONS.filter((word) => status.missing_permissions?.includes(word)),
    disclosure: wordOf(DISCLOSURE_STATES, status.disclosure),
    site: readText('site', status.site ?? '', 128),
    ownerEmail: readEmail(status.owner_email ?? ''),
  };
}
