import {
  RESOURCE_METRICS_RESOURCE as RESOURCE,
  RESOURCE_ATTRIBUTES as RESOURCE_ATTRIBUTE,
  RESOURCE_METRICS_SCHEMA_URL as SCHEMA_URL,
  SCOPE_METRICS_SCOPE as SCOPE,
  INSTRUMENTATION_SCOPE_ATTRIBUTES as SCOPE_ATTRIBUTE,
  INSTRUMENTATION_SCOPE_NAME as SCOPE_NAME,
  INSTRUMENTATION_SCOPE_VERSION as SCOPE_VERSION,
} from '../../generated/tags.ts';
import { describeOrigin, OriginGatherer } from '../origin-notes.ts';
import type { WireReader } from '../wire-reader.ts';
import { Fingerprint, SetHash } from './hash.ts';
import { type AttributeRange, eachAttribute } from './labels.ts';
import { textOf } from './names.ts';

/** Where the field lies that may stand behind those it belongs to; nowhere without one. */
function findField(reader: WireReader, end: number, { tag: wanted, range }: { tag: number; range: AttributeRange }): void {
  const begin = reader.at;
  range.begin = range.end = begin;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === wanted) {
      range.end = reader.enter(end);
      range.begin = reader.at;
      reader.at = range.end;
    } else reader.skip(tag, end);
  }
  reader.at = begin;
}

/** Who sent points: their resource and scope, as they lie in the request that is read. */
export class PointSource {
  /** Of both, as a part of the fingerprint of a series. */
  readonly hash = new Fingerprint();
  readonly resource: AttributeRange = { begin: 0, end: 0, tag: RESOURCE_ATTRIBUTE };
  readonly scope: AttributeRange = { begin: 0, end: 0, tag: SCOPE_ATTRIBUTE };
  scopeName = '';
  scopeVersion = '';
  private readonly resourceSchema: AttributeRange = { begin: 0, end: 0, tag: SCHEMA_URL };
  private readonly scopeSchema: AttributeRange = { begin: 0, end: 0, tag: SCHEMA_URL };
  private readonly resourceHash = new SetHash();
  private readonly entry = new Fingerprint();
  private readonly gathered = new OriginGatherer();

  /** Of a ResourceMetrics, which the reader stands at and stays at. */
  readResource(reader: WireReader, end: number): void {
    const begin = reader.at;
    findField(reader, end, { tag: RESOURCE, range: this.resource });
    findField(reader, end, { tag: SCHEMA_URL, range: this.resourceSchema });
    this.resourceHash.clear();
    this.hashAttributes(reader, this.resource, this.resourceHash);
    reader.at = begin;
  }

  /** Of a ScopeMetrics, which the reader stands at and stays at. */
  readScope(reader: WireReader, end: number): void {
    const begin = reader.at;
    findField(reader, end, { tag: SCOPE, range: this.scope });
    findField(reader, end, { tag: SCHEMA_URL, range: this.scopeSchema });
    const attributes = new SetHash();
    this.hashAttributes(reader, this.scope, attributes);
    const name: AttributeRange = { begin: 0, end: 0, tag: 0 };
    reader.at = this.scope.begin;
    findField(reader, this.scope.end, { tag: SCOPE_NAME, range: name });
    this.scopeName = textOf(reader.bytes, name);
    const version: AttributeRange = { begin: 0, end: 0, tag: 0 };
    findField(reader, this.scope.end, { tag: SCOPE_VERSION, range: version });
    this.scopeVersion = textOf(reader.bytes, version);
    this.hash.begin();
    this.hash.bytes(reader.words, name.begin, name.end);
    this.hash.halves(attributes);
    this.hash.halves(this.resourceHash);
    this.hash.end();
    reader.at = begin;
  }

  private hashAttributes(reader: WireReader, range: AttributeRange, into: SetHash): void {
    eachAttribute(reader, range, (stop) => {
      this.entry.begin();
      this.entry.bytes(reader.words, reader.at, stop);
      this.entry.end();
      into.add(this.entry);
    });
  }

  /** Column `origin` of the metric that lies in the range; the reader's place is its own afterwards. */
  describe(reader: WireReader, metric: AttributeRange): { text: string; cut: boolean } {
    const { gathered, resource, scope, resourceSchema, scopeSchema } = this;
    const each = ({ begin, end }: AttributeRange, take: (tag: number, end: number) => void): void => {
      reader.at = begin;
      while (reader.at < end) take(reader.varint(), end);
    };
    gathered.beginResource();
    each(resource, (tag, end) => gathered.resourceField(reader, tag, end));
    gathered.endResource(reader, { start: resourceSchema.begin, end: resourceSchema.end });
    each(scope, (tag, end) => gathered.scopeField(reader, tag, end));
    gathered.endScope(reader, { start: scopeSchema.begin, end: scopeSchema.end });
    each(metric, (tag, end) => gathered.metricField(reader, tag, end));
    return describeOrigin(gathered);
  }
}
