/** Frames of a radio since it counts. A field that the driver does not tell is undefined. */
export interface FrameCounters {
  readonly sent: number | undefined;
  /** Linux: how often a frame was sent again. Windows: frames that arrived only after they were sent again. */
  readonly retried: number | undefined;
  /** What `retried` is a part of. Linux: every time that a frame was sent. Windows: every frame that arrived. */
  readonly tries: number | undefined;
  /** Frames that were given up. */
  readonly failed: number | undefined;
  readonly beaconsLost: number | undefined;
}

/** Airtime of the channel in use since the radio counts it. */
export interface AirtimeCounters {
  readonly activeMs: number | undefined;
  readonly busyMs: number | undefined;
  readonly transmitMs: number | undefined;
}

/** What a radio has counted, and for which link. */
export interface RadioCounters {
  /** Interface and channel: counters of another one are not compared. Not sent. */
  readonly link: string;
  /** How long this association lasts; undefined where nothing tells. */
  readonly connectedSeconds: number | undefined;
  readonly frames: FrameCounters | undefined;
  readonly airtime: AirtimeCounters | undefined;
}

/** Fewer frames than this say nothing of their loss. */
const FEWEST_FRAMES = 20;
const LEAST_ACTIVE_MS = 20;

export interface RadioRatios {
  readonly retryRatio?: number;
  readonly failedRatio?: number;
  readonly beaconsLost?: number;
  readonly channelBusyRatio?: number;
  readonly channelTransmitRatio?: number;
}

/** What happened between two looks. Nothing where the radio began to count anew in between, or where there is too little to judge by. */
export function ratiosBetween(before: RadioCounters, now: RadioCounters): RadioRatios {
  if (before.link !== now.link) return {};
  return {
    ...(isSameAssociation(before, now) ? frameRatios(before.frames, now.frames) : {}),
    ...airtimeRatios(before.airtime, now.airtime),
  };
}

const isSameAssociation = (before: RadioCounters, now: RadioCounters): boolean =>
  before.connectedSeconds === undefined || now.connectedSeconds === undefined || now.connectedSeconds >= before.connectedSeconds;

/** Undefined where one is missing or the counter went back: it was reset, or ran over. */
function grown(before: number | undefined, now: number | undefined): number | undefined {
  return before === undefined || now === undefined || now < before ? undefined : now - before;
}

/** 0 to 1; some drivers count frames that are still on their way. */
const ratio = (part: number, whole: number): number => Math.min(1, part / whole);

function frameRatios(before: FrameCounters | undefined, now: FrameCounters | undefined): RadioRatios {
  const sent = grown(before?.sent, now?.sent);
  // One that went back makes the others of the same moment worthless too.
  if (sent === undefined) return {};
  const retried = grown(before?.retried, now?.retried);
  const tries = grown(before?.tries, now?.tries);
  const failed = grown(before?.failed, now?.failed);
  const beaconsLost = grown(before?.beaconsLost, now?.beaconsLost);
  const enough = sent + (failed ?? 0) >= FEWEST_FRAMES;
  return {
    ...(enough && retried !== undefined && tries !== undefined ? { retryRatio: ratio(retried, tries) } : {}),
    ...(enough && failed !== undefined ? { failedRatio: ratio(failed, sent + failed) } : {}),
    ...(beaconsLost === undefined ? {} : { beaconsLost }),
  };
}

function airtimeRatios(before: AirtimeCounters | undefined, now: AirtimeCounters | undefined): RadioRatios {
  const active = grown(before?.activeMs, now?.activeMs);
  const busy = grown(before?.busyMs, now?.busyMs);
  if (active === undefined || busy === undefined || active < LEAST_ACTIVE_MS || busy > active) return {};
  const transmit = grown(before?.transmitMs, now?.transmitMs);
  return {
    channelBusyRatio: busy / active,
    ...(transmit === undefined || transmit > active ? {} : { channelTransmitRatio: transmit / active }),
  };
}
