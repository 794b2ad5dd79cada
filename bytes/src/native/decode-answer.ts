import { type Decoded, decodeColumn } from './decode-columns.ts';
import { ByteCursor, parseType, prefixOf } from './native-types.ts';

/** Some rows of an answer, in the order in which the store came to them. */
export interface AnswerBlock {
  rows: number;
  /** In the order in which they were asked for. */
  columns: readonly Decoded[];
}

/**
 * An answer in ClickHouse's Native format, whose columns stay where they lie. RangeError for bytes that end within a value, TypeError for a
 * type that no table of ours has.
 */
export function decodeAnswer(bytes: Buffer): AnswerBlock[] {
  const cursor = new ByteCursor(bytes);
  const blocks: AnswerBlock[] = [];
  while (cursor.at < bytes.length) {
    const count = cursor.varint();
    const rows = cursor.varint();
    const columns: Decoded[] = [];
    for (let i = 0; i < count; i++) {
      cursor.text();
      const type = parseType(cursor.text());
      if (rows > 0) cursor.skip(prefixOf(type));
      columns.push(decodeColumn(cursor, type, rows));
    }
    if (rows > 0) blocks.push({ rows, columns });
  }
  return blocks;
}
