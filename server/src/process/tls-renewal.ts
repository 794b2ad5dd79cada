import type { FastifyBaseLogger } from 'fastify';
import type { Clock, Health } from '#kernel';
import type { ServerTls } from './local-tls.ts';

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 60_000;
/** A local leaf is made anew 30 days before its end: below this somebody has to look. */
const WARN_BELOW_MS = 14 * DAY_MS;

export interface TlsRenewalDeps {
  /** What the listeners present now. */
  tls: ServerTls;
  /** Reads the files again, or brings the local authority's leaf up to date. */
  reopen: () => Promise<ServerTls>;
  /** Presents it to whoever connects from now on. */
  present: (tls: ServerTls) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Looks each minute whether there is a newer certificate, and presents it without a restart. */
export function createTlsRenewal({ tls, reopen, present, clock, log }: TlsRenewalDeps) {
  let current = tls;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  let fault = '';
  let timer: NodeJS.Timeout | undefined;

  const endsIn = () => current.notAfterMs - clock.now();

  const take = (next: ServerTls) => {
    if (next.cert === current.cert) return;
    // Enrol tokens and devices hold to the authority that was there at the start.
    if (next.pin !== current.pin) throw new Error('the local authority itself was replaced: restart the server to use it');
    present(next);
    current = next;
    log.info({ notAfter: new Date(next.notAfterMs).toISOString() }, 'the listeners present a new certificate');
  };

  const look = async (): Promise<void> => {
    try {
      take(await reopen());
      fault = '';
    } catch (error) {
      // Half-written files of a renewal under way are well a minute later.
      const text = error instanceof Error ? error.message : String(error);
      if (text !== fault) log.warn({ err: error }, 'no new certificate could be read; the listeners keep theirs');
      fault = text;
    }
    if (endsIn() > WARN_BELOW_MS || clock.now() - warnedAtMs < DAY_MS) return;
    warnedAtMs = clock.now();
    log.warn({ notAfter: new Date(current.notAfterMs).toISOString() }, "the listeners' certificate ends soon: renew it");
  };

  return {
    look,
    start(): void {
      timer = setInterval(() => void look(), LOOK_EVERY_MS);
      timer.unref();
    },
    health: async (): Promise<Health> =>
      endsIn() > WARN_BELOW_MS
        ? { status: 'ok' }
        : { status: 'degraded', detail: `The listeners' certificate ends at ${new Date(current.notAfterMs).toISOString()}.` },
    close: (): void => clearInterval(timer),
  };
}
