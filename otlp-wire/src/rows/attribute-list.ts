import { ByteSink } from '@svc/bytes';
import type { TypedAttributes } from '@svc/contracts/otlp/origin-notes';
import { AnyValueWriter } from './any-value.ts';
import { entry, MAX_ATTRIBUTES, readKeyValue } from './attribute-map.ts';
import { WireReader } from './wire-reader.ts';

/** The fields that are neither 0 nor empty; undefined for none. */
export const given = <T extends object>(fields: T): T | undefined => {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== 0 && value !== '');
  return kept.length > 0 ? (Object.fromEntries(kept) as T) : undefined;
};

/** Attributes as texts with letters, within the bounds of a record: for what is written as JSON. */
export class AttributeList {
  cut = false;
  private keys: string[] = [];
  private values: string[] = [];
  private types = '';
  private readonly writer = new AnyValueWriter();
  private readonly scratch = new ByteSink(256);
  private readonly written = new WireReader();

  add(reader: WireReader, end: number): void {
    if (this.keys.length >= MAX_ATTRIBUTES) {
      this.cut = true;
      reader.at = end;
      return;
    }
    readKeyValue(reader, end);
    this.keys.push(reader.bytes.toString('utf8', entry.keyStart, entry.keyEnd));
    this.scratch.reset();
    const { cuts } = this.writer;
    reader.at = entry.valueStart;
    this.types += String.fromCharCode(this.writer.write(reader, entry.valueEnd, this.scratch));
    reader.at = end;
    // Behind its length.
    this.written.open(this.scratch.bytes);
    this.written.varint();
    this.values.push(this.scratch.bytes.toString('utf8', this.written.at, this.scratch.length));
    if (this.writer.cuts > cuts) this.cut = true;
  }

  /** Says in the list that something was cut. */
  mark(): void {
    this.keys.push('svc.truncated');
    this.values.push('true');
    this.types += 'b';
  }

  /** What was added, undefined for none; the list is empty again. */
  take(): TypedAttributes | undefined {
    const { keys, values, types } = this;
    if (keys.length === 0) return undefined;
    this.keys = [];
    this.values = [];
    this.types = '';
    return { keys, values, types };
  }
}
