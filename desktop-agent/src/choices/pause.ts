import type { AgentClock } from '../clock.ts';
import type { KeptFile } from '../kept-file.ts';

/** A timer stands still while the machine sleeps: it looks again at least this often. */
const LOOK_MS = 15_000;
const MINUTE_MS = 60_000;

/** The person's right to be left alone for a while. Holds over restarts, ends by itself, whatever the date is set to. */
export interface Pause {
  /** Unix milliseconds by the present date; undefined where there is none. */
  untilMs(): number | undefined;
  /** Begins a pause, or replaces the one that is. In force before it is on disk; rejects where it could not be kept. */
  begin(minutes: number): Promise<void>;
  end(): Promise<void>;
  /** Shortens a pause that is longer than this. */
  cap(minutes: number): Promise<void>;
  close(): void;
}

/** Length and begin by both clocks: the steady one counts while the machine runs, the date only over a reboot. */
interface Kept {
  lengthMs: number;
  setAtMs: number;
  setSteadyMs: number;
  boot: string;
}

export interface PauseDeps {
  file: KeptFile;
  clock: AgentClock;
  /** Names this run of the machine. */
  boot: string;
  /** A pause began, ended or changed its end. */
  onChange(): void;
}

function asKept(value: unknown): Kept | undefined {
  const kept = value as Partial<Kept> | null | undefined;
  const numbers = [kept?.lengthMs, kept?.setAtMs, kept?.setSteadyMs];
  return numbers.every((n) => typeof n === 'number' && Number.isFinite(n)) && typeof kept?.boot === 'string'
    ? (kept as Kept)
    : undefined;
}

/** What is left of a pause that an earlier run of the agent kept; never more than its whole length, even if the date was set back. */
function leftOf(kept: Kept, { clock, boot }: PauseDeps): number {
  const goneMs = kept.boot === boot ? clock.steady() - kept.setSteadyMs : clock.now() - kept.setAtMs;
  return kept.lengthMs - Math.max(0, goneMs);
}

export async function openPause(deps: PauseDeps): Promise<Pause> {
  const { clock, file } = deps;
  let endSteadyMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const leftMs = (): number => (endSteadyMs === undefined ? 0 : endSteadyMs - clock.steady());

  const look = (): void => {
    clearTimeout(timer);
    if (endSteadyMs === undefined) return;
    if (leftMs() > 0) {
      timer = setTimeout(look, Math.min(leftMs(), LOOK_MS));
      return;
    }
    endSteadyMs = undefined;
    deps.onChange();
    // Left on disk it would only be found to be over.
    file.write(undefined).catch(() => undefined);
  };
  const set = (lengthMs: number): Promise<void> => {
    endSteadyMs = lengthMs > 0 ? clock.steady() + lengthMs : undefined;
    look();
    const kept: Kept = { lengthMs, setAtMs: clock.now(), setSteadyMs: clock.steady(), boot: deps.boot };
    return file.write(lengthMs > 0 ? kept : undefined);
  };
  const change = (lengthMs: number): Promise<void> => {
    const kept = set(lengthMs);
    deps.onChange();
    return kept;
  };

  const earlier = asKept(await file.read());
  // Kept anew, so that a date which is set back twice does not prolong it twice.
  if (earlier) await set(Math.max(0, leftOf(earlier, deps))).catch(() => undefined);
  return {
    untilMs: () => (leftMs() > 0 ? Math.round(clock.now() + leftMs()) : undefined),
    begin: (minutes) => change(minutes * MINUTE_MS),
    end: () => change(0),
    cap: (minutes) => (leftMs() > minutes * MINUTE_MS ? change(minutes * MINUTE_MS) : Promise.resolve()),
    close: () => clearTimeout(timer),
  };
}
