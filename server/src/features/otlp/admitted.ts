import type { SharedPieces } from '@svc/otlp-wire/shared-pieces';
import type { Held } from './budget.ts';
import type { Turn } from './lanes.ts';
import type { TokenEntry } from './token-gate.ts';

/** In front of each body: a request of a few resources is stamped where it lies. */
export const ROOM_BYTES = 512;

/** A request whose token was accepted, with all that it holds; `finish` and `leave` are called, whatever became of it, in any order. */
export class Admitted {
  readonly entry: TokenEntry;
  readonly held: Held;
  /** From `wait` on. */
  turn: Turn | undefined;
  private readonly memory: SharedPieces;
  private lent: SharedArrayBuffer[] = [];
  private isFinished = false;
  private hasLeft = false;

  constructor(entry: TokenEntry, held: Held, memory: SharedPieces) {
    this.entry = entry;
    this.held = held;
    this.memory = memory;
  }

  /** Memory until it is handed over or this is finished. */
  lend(bytes: number): Buffer {
    const lent = this.memory.lend(bytes);
    const buffer: ArrayBufferLike = lent.buffer;
    if (buffer instanceof SharedArrayBuffer) this.lent.push(buffer);
    return lent;
  }

  /** The same with ROOM_BYTES in front. */
  lendBody(bytes: number): Buffer {
    return this.lend(ROOM_BYTES + bytes).subarray(ROOM_BYTES);
  }

  /** Memory of these parts is the bus's from now on; all other is given back. */
  handOver(parts: readonly Buffer[]): void {
    const others = this.lent.filter((memory) => !parts.some(({ buffer }) => (buffer as ArrayBufferLike) === memory));
    this.memory.giveBack(others);
    this.lent = [];
  }

  /** It is answered: its memory and its turn are others'; more than once is as good as once. */
  finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.handOver([]);
    this.held.empty();
    this.turn?.end();
    this.releasePlace();
  }

  /** Its sender has taken the answer, or is gone: until then it counts among the requests of its tenant. */
  readonly leave = (): void => {
    this.hasLeft = true;
    this.releasePlace();
  };

  private releasePlace(): void {
    if (this.isFinished && this.hasLeft) this.held.release();
  }
}
