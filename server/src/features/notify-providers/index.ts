import type { NativeReaders, Providers } from '#kernel';
import { createChatA } from './chats/chat-a.ts';
import { createChatB } from './chats/chat-b.ts';
import type { ProviderDeps } from './context.ts';
import { createReaders } from './inbound/readers.ts';
import { createEmail } from './others/email.ts';
import { createWebhook } from './others/webhook.ts';
import { createAskKeys, createPagerA } from './pagers/pager-a.ts';
import { createPagerB } from './pagers/pager-b.ts';
import { createTicketA } from './tickets/ticket-a.ts';
import { createTicketB } from './tickets/ticket-b.ts';

/**
 * How each provider of notifications is spoken to and read: no state, no store, no repeats. Who is told what and when is the business of another
 * slice, which gets these as functions.
 */
export function createProviders({
  outbound,
  now = Date.now,
}: Pick<ProviderDeps, 'outbound'> & { now?: () => number }): Providers {
  const deps: ProviderDeps = { outbound, now };
  return {
    pager_a: createPagerA(deps),
    pager_b: createPagerB(deps),
    chat_a: createChatA(deps),
    chat_b: createChatB(deps),
    ticket_a: createTicketA(deps),
    ticket_b: createTicketB(deps),
    email: createEmail(deps),
    webhook: createWebhook(deps),
  };
}

export const createNativeReaders = ({ outbound }: Pick<ProviderDeps, 'outbound'>): NativeReaders =>
  createReaders(createAskKeys({ outbound }));
