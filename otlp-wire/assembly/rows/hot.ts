import { Bytes } from './bytes';
import { Dictionary } from './dictionary';
import { placeOf } from './host';
import { pos, varint } from './wire';

/** Places in `found`, two for each attribute, the newer name's first; as in src/rows/assembly/hot-attributes.ts. */
const METHOD: u32 = 0;
const ROUTE: u32 = 1;
const STATUS: u32 = 2;
const DB: u32 = 3;
const RPC: u32 = 4;
const PEER: u32 = 5;
const ADDRESS: u32 = 6;
const PORT: u32 = 7;
const MESSAGING: u32 = 8;
const PLACES: u32 = 18;

const CLIENT: u32 = 3;
const PRODUCER: u32 = 4;
const COLON: u8 = 58;

/** The columns of the attributes that people filter by (clickhouse/migrations/0006), filled from the map while it is collected. */
@unmanaged
@final
export class Hot {
  method: Dictionary = new Dictionary();
  route: Dictionary = new Dictionary();
  status: Bytes = new Bytes();
  db: Dictionary = new Dictionary();
  rpc: Dictionary = new Dictionary();
  peer: Dictionary = new Dictionary();
  private values: Bytes;
  /** Place by key id, as signed bytes. */
  private places: Bytes = new Bytes();
  private found: usize = heap.alloc(PLACES * 4);
  private any: bool = false;
  /** host:port, put together. */
  private address: Bytes = new Bytes();
  private text: usize = 0;
  private size: u32 = 0;

  constructor(values: Bytes) {
    this.values = values;
  }

  /** An empty one; to be called before anything else. */
  reset(): void {
    this.method.reset();
    this.route.reset();
    this.status.length = 0;
    this.db.reset();
    this.rpc.reset();
    this.peer.reset();
    this.places.length = 0;
    this.forget();
  }

  private forget(): void {
    memory.fill(this.found, 0xff, PLACES * 4);
    this.any = false;
  }

  /** The attribute that was just added to the map. */
  @inline
  note(keys: Dictionary, id: u32, valueAt: u32): void {
    while (this.places.length <= id) {
      const next = this.places.length;
      this.places.u8(placeOf(keys.textAt(next), keys.sizeOf(next)));
    }
    const place = <i32>load<i8>(this.places.data + id);
    if (place < 0) return;
    store<u32>(this.found + place * 4, valueAt);
    this.any = true;
  }

  /** Whether the record has the attribute, and some text in it. */
  private find(which: u32): bool {
    const pair = this.found + which * 8;
    const newer = load<i32>(pair);
    const at = newer >= 0 ? newer : load<i32>(pair, 4);
    if (at < 0) return false;
    this.size = varint(this.values.data + at);
    this.text = pos;
    return this.size > 0;
  }

  private push(into: Dictionary, which: u32): void {
    if (this.find(which)) into.add(this.text, this.size);
    else into.push(0);
  }

  /** Ends the row of a span of this kind. */
  endRow(kind: u32): void {
    if (!this.any) {
      this.method.push(0);
      this.route.push(0);
      this.status.u16(0);
      this.db.push(0);
      this.rpc.push(0);
      this.peer.push(0);
      return;
    }
    this.push(this.method, METHOD);
    this.push(this.route, ROUTE);
    this.status.u16(this.find(STATUS) ? this.number() : 0);
    this.push(this.db, DB);
    this.push(this.rpc, RPC);
    this.pushPeer(kind);
    this.forget();
  }

  /** The text as a number of 16 bits, 0 for any other. */
  private number(): u32 {
    let value: u32 = 0;
    for (let i: u32 = 0; i < this.size; i++) {
      const digit = <u32>load<u8>(this.text + i) - 48;
      if (digit > 9) return 0;
      value = value * 10 + digit;
      if (value > 65_535) return 0;
    }
    return value;
  }

  private pushPeer(kind: u32): void {
    const peer = this.peer;
    if (kind !== CLIENT && kind !== PRODUCER) peer.push(0);
    else if (this.find(PEER)) peer.add(this.text, this.size);
    else if (this.find(ADDRESS)) this.pushAddress();
    else if (this.find(DB) || this.find(MESSAGING)) peer.add(this.text, this.size);
    else peer.push(0);
  }

  private pushAddress(): void {
    const host = this.text;
    const hostSize = this.size;
    if (!this.find(PORT)) {
      this.peer.add(host, hostSize);
      return;
    }
    let isNumeric = false;
    for (let i: u32 = 0; i < hostSize && !isNumeric; i++) isNumeric = load<u8>(host + i) === COLON;
    const address = this.address;
    address.length = 0;
    if (isNumeric) address.u8(91);
    address.copy(host, hostSize);
    if (isNumeric) address.u8(93);
    address.u8(COLON);
    address.copy(this.text, this.size);
    this.peer.add(address.data, address.length);
  }

  /** What it holds. */
  bytes(): u32 {
    return this.method.bytes() + this.route.bytes() + this.status.length + this.db.bytes() + this.rpc.bytes() + this.peer.bytes();
  }

  free(): void {
    this.method.free();
    this.route.free();
    this.status.free();
    this.db.free();
    this.rpc.free();
    this.peer.free();
    this.places.free();
    this.address.free();
    heap.free(this.found);
    heap.free(changetype<usize>(this));
  }
}
