import { assembly, doublesAt } from './assembly/instance.ts';
import type { BuildMessage } from './builder.ts';
import type { WireReader } from './wire-reader.ts';

/** As the first field of Facts lies in otlp-wire/assembly/rows/log.ts. */
const times = doublesAt(assembly.logFacts(), 1);

const NS_PER_MS = 1_000_000n;

/** What is asked of the log record that was read last, before it is a row. */
export class LogFacts {
  /** Unix ms, with fractions: of the event, else of its observation, else of the receipt. */
  tsMs = 0;
  /** Place within the message, out of time or not. */
  row = 0;
  /** Receive time, Unix ns. */
  received = 0n;
  private message: BuildMessage | undefined;

  /** Reads the record up to `end`: all of it but its attributes. */
  read({ at }: WireReader, end: number, message: BuildMessage): void {
    if (message !== this.message) this.beginMessage(message);
    else this.row++;
    assembly.readLog(at, end);
    this.tsMs = times[0] || message.at;
  }

  private beginMessage(message: BuildMessage): void {
    this.message = message;
    this.row = 0;
    this.received = BigInt(message.at) * NS_PER_MS;
  }
}
