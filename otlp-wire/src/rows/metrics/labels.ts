import { ByteSink } from '@svc/bytes';
import { AnyValueWriter } from '../any-value.ts';
import { entry, MAX_ATTRIBUTES, readKeyValue } from '../attribute-map.ts';
import { WireReader } from '../wire-reader.ts';

/** Attributes on the wire: fields with this tag between these positions. */
export interface AttributeRange {
  begin: number;
  end: number;
  tag: number;
}

/** Visits each of the range: the reader stands where it begins, `stop` is where it ends. */
export function eachAttribute(
  reader: WireReader,
  { begin, end, tag: wanted }: AttributeRange,
  visit: (stop: number) => void,
): void {
  reader.at = begin;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag !== wanted) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    visit(stop);
    reader.at = stop;
  }
}

/** Says whose a series is; every series of a tenant would have it. */
const TENANT_KEY = 'svc.tenant.id';

/** Makes labels of attributes; once a series and month, so texts are made here. */
export class LabelReader {
  private readonly writer = new AnyValueWriter();
  private readonly scratch = new ByteSink(1024);
  private readonly written = new WireReader();

  /** The first range that has a key wins. What is beyond the bounds is cut and marked; `cut` tells so. */
  read(reader: WireReader, ranges: readonly AttributeRange[]): { labels: Record<string, string>; cut: boolean } {
    const labels = new Map<string, string>();
    const { cuts } = this.writer;
    let left = false;
    for (const range of ranges)
      eachAttribute(reader, range, (stop) => {
        left = !this.add(reader, stop, labels) || left;
      });
    const cut = left || this.writer.cuts > cuts;
    if (cut) labels.set('svc.truncated', 'true');
    return { labels: Object.fromEntries(labels), cut };
  }

  private add(reader: WireReader, end: number, labels: Map<string, string>): boolean {
    readKeyValue(reader, end);
    const { valueStart, valueEnd } = entry;
    reader.at = end;
    const key = reader.bytes.toString('utf8', entry.keyStart, entry.keyEnd);
    if (labels.has(key) || key === TENANT_KEY) return true;
    if (labels.size >= MAX_ATTRIBUTES) return false;
    this.scratch.reset();
    reader.at = valueStart;
    this.writer.write(reader, valueEnd, this.scratch);
    reader.at = end;
    // Behind its length.
    this.written.open(this.scratch.bytes);
    this.written.varint();
    labels.set(key, this.scratch.bytes.toString('utf8', this.written.at, this.scratch.length));
    return true;
  }
}
