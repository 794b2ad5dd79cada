import { type EncodedColumn, newColumn } from '#telemetry';
import type { AttributeMap } from './attribute-map.ts';
import { column, Dictionary } from './columns.ts';
import { WireReader } from './wire-reader.ts';

/** Attributes with a column of their own, newest name first; older semantic conventions name the same. */
const KEYS = [
  ['http.request.method', 'http.method'],
  ['http.route'],
  ['http.response.status_code', 'http.status_code'],
  ['db.system.name', 'db.system'],
  ['rpc.service'],
  ['peer.service'],
  ['server.address', 'net.peer.name'],
  ['server.port', 'net.peer.port'],
  ['messaging.system'],
] as const;
const [METHOD, ROUTE, STATUS, DB, RPC, PEER, ADDRESS, PORT, MESSAGING] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

/** Name -> its place in `found`: two for each attribute, the newer name's first. */
const PLACES: ReadonlyMap<string, number> = new Map(
  KEYS.flatMap((names, which) => names.map((name, age): [string, number] => [name, which * 2 + age])),
);

const CLIENT = 3;
const PRODUCER = 4;
const EMPTY = Buffer.alloc(0);

const digitsAt = (bytes: Buffer, start: number, end: number): number => {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = (bytes[i] as number) - 48;
    if (digit < 0 || digit > 9) return 0;
    value = value * 10 + digit;
  }
  return value <= 65_535 ? value : 0;
};

/** The columns of the attributes that people filter by (clickhouse/migrations/0006), filled from the map while it is collected. */
export class HotAttributes {
  private readonly method = new Dictionary();
  private readonly route = new Dictionary();
  private readonly status = newColumn('UInt16');
  private readonly db = new Dictionary();
  private readonly rpc = new Dictionary();
  private readonly peer = new Dictionary();
  private readonly attributes: AttributeMap;
  /** Place in `found` by key id, -1 for the others; known ids only. */
  private readonly places: number[] = [];
  private readonly found = new Int32Array(KEYS.length * 2).fill(-1);
  private any = false;
  private readonly value = new WireReader();
  private valueEnd = 0;

  constructor(attributes: AttributeMap) {
    this.attributes = attributes;
  }

  /** The attribute that was just added to the map, by the id of its key. */
  note(key: number): void {
    if (key < 0) return;
    const place = this.places[key] ?? this.placeOf(key);
    if (place < 0) return;
    this.found[place] = this.attributes.valueAt;
    this.any = true;
  }

  private placeOf(key: number): number {
    const place = PLACES.get(this.attributes.keys.text(key)) ?? -1;
    // Ids come in order, '' (0) before all; what other maps took in between is none of ours yet.
    while (this.places.length < key) this.places.push(PLACES.get(this.attributes.keys.text(this.places.length)) ?? -1);
    this.places[key] = place;
    return place;
  }

  /** Ends the row of a span of this kind. */
  endRow(kind: number): void {
    this.push(this.method, METHOD);
    this.push(this.route, ROUTE);
    this.status.push(this.find(STATUS) ? digitsAt(this.value.bytes, this.value.at, this.valueEnd) : 0);
    this.push(this.db, DB);
    this.push(this.rpc, RPC);
    this.pushPeer(kind);
    if (this.any) this.found.fill(-1);
    this.any = false;
  }

  /** Whether the record has the attribute; `value` and `valueEnd` then tell where its text lies. */
  private find(which: number): boolean {
    const newer = this.found[which * 2] as number;
    const at = newer >= 0 ? newer : (this.found[which * 2 + 1] as number);
    if (at < 0) return false;
    this.value.bytes = this.attributes.values.sink.bytes;
    this.value.at = at;
    const size = this.value.varint();
    this.valueEnd = this.value.at + size;
    return size > 0;
  }

  private push(into: Dictionary, which: number): void {
    if (this.any && this.find(which)) into.add(this.value.bytes, this.value.at, this.valueEnd);
    else into.push(0);
  }

  private pushPeer(kind: number): void {
    if (!this.any || (kind !== CLIENT && kind !== PRODUCER)) this.peer.push(0);
    else if (this.find(PEER)) this.peer.add(this.value.bytes, this.value.at, this.valueEnd);
    else if (this.find(ADDRESS)) this.pushAddress();
    else if (this.find(DB) || this.find(MESSAGING)) this.peer.add(this.value.bytes, this.value.at, this.valueEnd);
    else this.peer.push(0);
  }

  private pushAddress(): void {
    const { bytes, at } = this.value;
    const end = this.valueEnd;
    const port = this.find(PORT) ? this.value.bytes.subarray(this.value.at, this.valueEnd) : EMPTY;
    if (port.length === 0) {
      this.peer.add(bytes, at, end);
      return;
    }
    const address = bytes.toString('latin1', at, end);
    const whole = Buffer.from(`${address.includes(':') ? `[${address}]` : address}:${port.toString('latin1')}`, 'latin1');
    this.peer.add(whole, 0, whole.length);
  }

  reset(): void {
    for (const { values } of this.columns()) values.reset();
    this.places.length = 0;
    this.found.fill(-1);
    this.any = false;
  }

  columns(): EncodedColumn[] {
    return [
      column('http_method', 'LowCardinality(String)', this.method),
      column('http_route', 'LowCardinality(String)', this.route),
      column('http_status', 'UInt16', this.status),
      column('db_system', 'LowCardinality(String)', this.db),
      column('rpc_service', 'LowCardinality(String)', this.rpc),
      column('peer', 'LowCardinality(String)', this.peer),
    ];
  }
}
