import type { TestType } from '@svc/contracts/tests/test-types';
import type { WrittenTest } from '@svc/contracts/tests/written-test';

/** A test as it comes to be: what each of its fields is, and why. */
export interface Draft {
  test: WrittenTest;
  fields: Record<string, 'asked' | 'inferred'>;
  reasons: Record<string, string>;
  rationale: string;
}

export class DraftWriter {
  readonly fields: Record<string, 'asked' | 'inferred'> = {};
  readonly reasons: Record<string, string> = {};
  /** What cannot stand in a test of this type, each a whole sentence. */
  readonly faults: string[] = [];
  private readonly test: Record<string, unknown>;

  constructor(type: TestType, target: string) {
    this.test = { name: '', type, target };
  }

  /** `path`: dotted. Without a reason it was asked for. Undefined values are left out. */
  set(path: string, value: unknown, why?: string): void {
    if (value === undefined) return;
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let node = this.test;
    for (const key of keys) {
      node[key] ??= {};
      node = node[key] as Record<string, unknown>;
    }
    node[last] = value;
    this.mark(path, why);
  }

  mark(path: string, why?: string): void {
    this.fields[path] = why === undefined ? 'asked' : 'inferred';
    if (why !== undefined) this.reasons[path] = why;
  }

  finish(rationale: string): Draft {
    return { test: this.test as WrittenTest, fields: this.fields, reasons: this.reasons, rationale };
  }
}
