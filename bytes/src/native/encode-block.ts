import type { ByteSink } from '../byte-sink.ts';
import type { Block, Column, ColumnType, EncodedColumn, NativeColumn } from './block.ts';
import { newColumn } from './encode-columns.ts';

function encoded(column: Column | EncodedColumn): NativeColumn {
  if ('writeBody' in column.values) return column.values;
  const built: NativeColumn & { push(value: unknown): void } = newColumn(column.type as ColumnType) as NativeColumn & {
    push(value: unknown): void;
  };
  for (let i = 0; i < column.values.length; i++) built.push(column.values[i]);
  return built;
}

/** Appends one block in ClickHouse's Native format. TypeError for a value that its column cannot hold. */
export function encodeBlock(sink: ByteSink, block: Block): void {
  sink.varint(block.columns.length);
  sink.varint(block.rows);
  for (const column of block.columns) {
    if (column.values.length !== block.rows) {
      throw new TypeError(`Column ${column.name} has ${column.values.length} values for ${block.rows} rows`);
    }
    const values = encoded(column);
    sink.string(column.name);
    sink.string(column.type);
    values.writePrefix(sink);
    values.writeBody(sink);
  }
}
