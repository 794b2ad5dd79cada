import type { IpcParsed } from '@svc/contracts/agent/ipc';
import { sentRequest } from '../identity/sent-document.ts';
import { IpcFault } from '../ipc/ipc-fault.ts';
import type { LedgerBlock } from '../publish/ledger.ts';
import { documentBlock } from '../service/sent-record.ts';

/** What a window may ask for itself: feeds and files of releases. */
const RELEASE_PATH = /^\/agent\/releases\/[\w./+-]{1,256}$/;
/** As many as a window keeps for a service that was away; then a look for updates with its files. */
const BURST = 100;
const PER_MINUTE = 10;

interface Deps {
  /** The service's own control plane; null while it has none. */
  server(): string | null;
  now(): number;
  steady(): number;
}

/**
 * The record of a request that a window says it sent. A window is whoever holds the socket: the record takes the service's own clock, and only
 * what an update could have asked of the own control plane, at a rate that pushes nothing out of the ledger.
 */
export function createToldRequests({ server, now, steady }: Deps): (told: IpcParsed<'noteSent'>) => LedgerBlock {
  let left = BURST;
  let atMs = steady();
  return ({ server: toldServer, path }) => {
    if (toldServer !== server() || !RELEASE_PATH.test(path))
      throw new IpcFault('refused', "Only requests for releases of this device's own control plane are written down.");
    left = Math.min(BURST, left + ((steady() - atMs) / 60_000) * PER_MINUTE);
    atMs = steady();
    if (left < 1) throw new IpcFault('refused', 'More requests than a window sends.');
    left -= 1;
    return documentBlock(sentRequest({ server: toldServer, path, atMs: now() }));
  };
}
