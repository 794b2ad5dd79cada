import { useEffect } from 'react';
import { clearDrafts, keepDraftsOf } from './draft-store.ts';

const CHANNEL = 'svc.session';

/** Ends every draft of this person in this browser; to be called when they sign out. */
export function endDrafts(): void {
  clearDrafts();
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('signed-out');
  channel.close();
}

/** Once in the shell: no draft outlives a sign-out in another tab, nor is it there for the next person. `account` is who is signed in. */
export function useOwnDrafts(account: string | undefined): void {
  useEffect(() => {
    if (account !== undefined) keepDraftsOf(account);
  }, [account]);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = clearDrafts;
    return () => channel.close();
  }, []);
}
