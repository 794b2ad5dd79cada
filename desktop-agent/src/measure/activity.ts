/** Measurements under way were ended from outside, by a pause or by the end of the service: nothing went wrong. */
export class Halted extends Error {
  override readonly name = 'Halted';
}

/** Whether a failure is only the echo of `halt`. */
export const isHalt = (error: unknown): boolean =>
  error instanceof Error && (error instanceof Halted || error.name === 'AbortError' || error.cause instanceof Halted);

/** Whether anything may be measured now, and the means to end what is under way. */
export interface Activity {
  /** For what is begun now; aborted with `Halted` while nothing may be measured. */
  signal(): AbortSignal;
  isHalted(): boolean;
  /** Ends what is under way and lets nothing begin until `resume`. */
  halt(why: string): void;
  resume(): void;
  /** Ends what is under way, where anything may be, and lets the next begin at once. */
  restart(why: string): void;
}

export function createActivity(): Activity {
  let control = new AbortController();
  const halt = (why: string): void => control.abort(new Halted(why));
  return {
    signal: () => control.signal,
    isHalted: () => control.signal.aborted,
    halt,
    resume() {
      if (control.signal.aborted) control = new AbortController();
    },
    restart(why) {
      const before = control;
      if (before.signal.aborted) return;
      // First the new one: what is ended may begin anew in the same moment.
      control = new AbortController();
      before.abort(new Halted(why));
    },
  };
}
