/** Time that runs faster: hours of waiting pass in minutes, and whoever shares the same base sees the same hour. */
export interface VirtualBase {
  realMs: number;
  speed: number;
}

export const virtualNow =
  ({ realMs, speed }: VirtualBase): (() => number) =>
  () =>
    Math.round(realMs + (Date.now() - realMs) * speed);

/** Timers of the files whose path ends so run as fast as the virtual clock; all others, such as those of connections, stay as they are. */
export function hastenTimers({ speed }: VirtualBase, file: string): void {
  const isMeant = (): boolean => new Error('whose timer').stack?.includes(file) ?? false;
  const { setTimeout: later, setInterval: again } = globalThis;
  type Timer = (run: () => void, ms?: number, ...rest: unknown[]) => NodeJS.Timeout;
  const hasten =
    (timer: Timer): Timer =>
    (run, ms = 0, ...rest) =>
      timer(run, isMeant() ? ms / speed : ms, ...rest);
  globalThis.setTimeout = Object.assign(hasten(later as Timer), later) as typeof later;
  globalThis.setInterval = Object.assign(hasten(again as Timer), again) as typeof again;
}
