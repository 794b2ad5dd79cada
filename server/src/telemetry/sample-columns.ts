import type { Block, Column } from './ports.ts';

/** Growing columns of the `samples` table; no object a sample. */
export class SampleColumns {
  rows = 0;
  private readonly tenants: string[] = [];
  private readonly metrics: string[] = [];
  private fingerprints: Uint32Array<ArrayBuffer> = new Uint32Array(2 * 1024);
  private times: Float64Array<ArrayBuffer> = new Float64Array(1024);
  private values: Float64Array<ArrayBuffer> = new Float64Array(1024);

  /** Begins a row; the fingerprint's halves and the value follow by the next two. */
  name(tenant: string, metric: string): void {
    if (this.rows === this.times.length) this.grow();
    this.tenants.push(tenant);
    this.metrics.push(metric);
  }

  fingerprint(low: number, high: number): void {
    this.fingerprints[2 * this.rows] = low;
    this.fingerprints[2 * this.rows + 1] = high;
  }

  /** Ends the row. */
  measure(ts: number, value: number): void {
    this.times[this.rows] = ts;
    this.values[this.rows] = value;
    this.rows++;
  }

  private grow(): void {
    const { fingerprints, times, values } = this;
    this.fingerprints = new Uint32Array(fingerprints.length * 2);
    this.fingerprints.set(fingerprints);
    this.times = new Float64Array(times.length * 2);
    this.times.set(times);
    this.values = new Float64Array(values.length * 2);
    this.values.set(values);
  }

  block(): Block {
    const columns: Column[] = [
      { name: 'tenant_id', type: 'LowCardinality(String)', values: this.tenants },
      { name: 'metric', type: 'LowCardinality(String)', values: this.metrics },
      { name: 'fp', type: 'UInt64', values: new BigUint64Array(this.fingerprints.buffer, 0, this.rows) },
      { name: 'ts', type: 'DateTime64(3)', values: this.times.subarray(0, this.rows) },
      { name: 'value', type: 'Float64', values: this.values.subarray(0, this.rows) },
    ];
    return { table: 'samples', rows: this.rows, columns };
  }
}
