import type { ProviderKind } from '@svc/contracts/notify/kinds';
import type { IncidentNotice } from '@svc/contracts/notify/outbox';
import type { IconName } from '../../../ui/controls/icons.tsx';

/** Words between which an instant stands, which the viewer's clock shows, and a link to what stands there. */
export type NoticePart = string | { at: string } | { label: string; url: string };

const TOLD: Readonly<Record<ProviderKind, string>> = {
  ...{ pager_a: 'Paged', pager_b: 'Paged', chat_a: 'Posted', chat_b: 'Posted' },
  ...{ ticket_a: 'Opened', ticket_b: 'Opened', email: 'Mailed', webhook: 'Called' },
};

/** What is known of whether it arrived; nothing where the answer was plain. */
const SURE: Readonly<Partial<Record<IncidentNotice['told'], string>>> = {
  accepted: 'accepted, not confirmed',
  confirmed: 'confirmed',
};

function thingParts({ external }: IncidentNotice): NoticePart[] {
  if (!external?.label && !external?.url) return [];
  const label = external.label ?? 'open there';
  return [' ', external.url ? { label, url: external.url } : label];
}

function toldParts(notice: IncidentNotice): NoticePart[] {
  const { told_at: at, told, connector } = notice;
  if (at) {
    const sure = SURE[told];
    return [TOLD[connector.provider], ...thingParts(notice), ' ', { at }, ...(sure ? [` (${sure})`] : [])];
  }
  if (told === 'dead') return ['Could not be told'];
  if (told === 'dropped') return ['Had not to be told'];
  return ['To be told'];
}

function afterParts({
  acknowledged_at: takenAt,
  acknowledged_there_by: by,
  resolved_at: endedAt,
  is_origin: isOrigin,
}: IncidentNotice): NoticePart[] {
  return [
    ...(takenAt ? [by ? `, acknowledged there by ${by} ` : ', acknowledged ', { at: takenAt }] : []),
    ...(endedAt ? [isOrigin ? ', resolved there first ' : ', resolved ', { at: endedAt }] : []),
  ];
}

const VERBS: Readonly<Record<NonNullable<IncidentNotice['open_message']>['verb'], string>> = {
  ...{ open: 'the first message', update: 'an update', acknowledge: 'the acknowledgement' },
  ...{ resolve: 'the end', reopen: 'the reopening' },
};

/** What happened at one connector, in order: paged 14:03, acknowledged there by Ada 14:05. */
export const describeNotice = (notice: IncidentNotice): NoticePart[] => [...toldParts(notice), ...afterParts(notice)];

/** What still has to be said there, or never was; in the provider's words. */
export function describePending({ open_message: message }: IncidentNotice): NoticePart[] {
  if (!message) return [];
  const said = message.said ? `: ${message.said}` : '';
  const what = VERBS[message.verb];
  if (message.state === 'dead') return [`${what} was given up${said}`];
  if (message.state === 'confirming') return [`${what} is being confirmed`];
  return message.next_at ? [`${what} waits, next `, { at: message.next_at }, said] : [`${what} waits${said}`];
}

/** What is so there now: one word, and its icon. */
export function stateNow({ state, told, open_message: message }: IncidentNotice): {
  icon: IconName;
  word: string;
  isBad: boolean;
} {
  if (message?.state === 'dead') return { icon: 'failed', word: 'dead', isBad: true };
  if (message?.state === 'waiting') return { icon: 'pending', word: 'waiting', isBad: false };
  if (state === 'open') return { icon: 'check', word: 'open', isBad: false };
  if (state === 'resolved') return { icon: 'ok', word: 'resolved', isBad: false };
  if (state === 'gone') return { icon: 'warning', word: 'deleted there', isBad: false };
  if (state === 'dropped') return { icon: 'dash', word: 'not needed', isBad: false };
  return { icon: 'pending', word: told === 'accepted' ? 'accepted' : 'waiting', isBad: false };
}

/** The words alone, for a title or a test. */
export const plainNotice = (parts: readonly NoticePart[], clock: (at: string) => string): string =>
  parts.map((part) => (typeof part === 'string' ? part : 'at' in part ? clock(part.at) : part.label)).join('');
