import { ByteSink, type EncodedColumn, type NativeColumn, newColumn } from '@svc/bytes';
import { BuildFault } from './wire-reader.ts';

/** Values of a fixed width, copied from the wire: FixedString, UInt64, DateTime64. */
export class FixedBytes implements NativeColumn {
  length = 0;
  private readonly width: number;
  private readonly sink = new ByteSink(4096);

  constructor(width: number) {
    this.width = width;
  }

  /** Zeros where the range has not the column's width: an absent id. */
  add(bytes: Buffer, start: number, end: number): void {
    if (end - start !== this.width) this.addZeros();
    else {
      this.sink.copy(bytes, start, end);
      this.length++;
    }
  }

  addZeros(): void {
    const { sink, width } = this;
    const at = sink.reserve(width);
    for (let i = 0; i < width; i++) sink.bytes[at + i] = 0;
    sink.length = at + width;
    this.length++;
  }

  reset(): void {
    this.length = 0;
    this.sink.reset();
  }

  writePrefix(_sink: ByteSink): void {}

  writeBody(sink: ByteSink): void {
    sink.append(this.sink);
  }
}

/** String out of UTF-8 that lies in the wire bytes. */
export class TextBytes implements NativeColumn {
  length = 0;
  /** For writers of values, which then call `added`. */
  readonly sink = new ByteSink(4096);

  add(bytes: Buffer, start: number, end: number): void {
    this.sink.varint(end - start);
    this.sink.copy(bytes, start, end);
    this.length++;
  }

  added(): void {
    this.length++;
  }

  reset(): void {
    this.length = 0;
    this.sink.reset();
  }

  writePrefix(_sink: ByteSink): void {}

  writeBody(sink: ByteSink): void {
    sink.append(this.sink);
  }
}

/** The ends of rows in what their entries are collected in; shared by arrays that have the same number of entries a row. */
export class RowEnds implements NativeColumn {
  private readonly ends = newColumn('UInt64');

  get length(): number {
    return this.ends.length;
  }

  end(total: number): void {
    this.ends.pushHalves(total, 0);
  }

  reset(): void {
    this.ends.reset();
  }

  writePrefix(_sink: ByteSink): void {}

  writeBody(sink: ByteSink): void {
    this.ends.writeBody(sink);
  }
}

/** Array(T): entries go into `items`, and `ends` says where each row ends. */
export class ArrayColumn<T extends NativeColumn> implements NativeColumn {
  readonly items: T;
  private readonly ends: NativeColumn;

  constructor(items: T, ends: NativeColumn) {
    this.items = items;
    this.ends = ends;
  }

  get length(): number {
    return this.ends.length;
  }

  reset(): void {
    this.items.reset();
    this.ends.reset();
  }

  writePrefix(sink: ByteSink): void {
    this.items.writePrefix(sink);
  }

  writeBody(sink: ByteSink): void {
    this.ends.writeBody(sink);
    this.items.writeBody(sink);
  }
}

/** A column by name and ClickHouse type. */
export const column = (name: string, type: string, values: NativeColumn): EncodedColumn => ({ name, type, values });

/** Throws where columns do not have the same number of rows: a fault of a builder, which no store should see. */
export function checkRows(columns: readonly EncodedColumn[], rows: number): void {
  for (const { name, values } of columns)
    if (values.length !== rows) throw new BuildFault(`Column ${name} has ${values.length} values for ${rows} rows.`);
}
