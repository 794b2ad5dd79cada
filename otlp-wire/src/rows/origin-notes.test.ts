import { parseOriginNotes } from '@svc/contracts/otlp/origin-notes';
import { describe, expect, test } from 'vitest';
import { lookupType } from '../walk/test-conforming.ts';
import { describeOrigin, OriginGatherer } from './origin-notes.ts';
import { WireReader } from './wire-reader.ts';

const attribute = (key: string, text: string) => ({ key, value: { string_value: text } });
const encode = (type: string, fields: object): Buffer => {
  const found = lookupType(`opentelemetry.proto.${type}`);
  return Buffer.from(found.encode(found.fromObject(fields)).finish());
};

interface Said {
  resource?: object;
  resourceSchema?: string;
  scope?: object;
  scopeSchema?: string;
}

/** Gathers as the builders do: of what lies in a message, here one after the other. */
function gather({ resource = {}, resourceSchema = '', scope = {}, scopeSchema = '' }: Said, into = new OriginGatherer()) {
  const read = (bytes: Buffer, take: (reader: WireReader, tag: number, end: number) => void): WireReader => {
    const reader = new WireReader();
    reader.open(bytes);
    while (reader.at < bytes.length) take(reader, reader.varint(), bytes.length);
    return reader;
  };
  const schemaOf = (text: string) => {
    const reader = new WireReader();
    reader.open(Buffer.from(text));
    return { reader, part: { start: 0, end: reader.bytes.length } };
  };
  const [first, second] = [schemaOf(resourceSchema), schemaOf(scopeSchema)];
  into.beginResource();
  read(encode('resource.v1.Resource', resource), (...field) => into.resourceField(...field));
  into.endResource(first.reader, first.part);
  into.beginScope();
  read(encode('common.v1.InstrumentationScope', scope), (...field) => into.scopeField(...field));
  into.endScope(second.reader, second.part);
  return into;
}

const notesOf = (said: Said) => {
  const { text, cut } = describeOrigin(gather(said));
  return { notes: parseOriginNotes(text), cut };
};

describe('what is noted of a resource and a scope', () => {
  test('is nothing where they have only what has columns of its own', () => {
    const said = { resource: { attributes: [attribute('a', 'b')] }, scope: { name: 'library', version: '1' } };
    expect(describeOrigin(gather(said))).toEqual({ text: '', cut: false });
  });

  test('tells the schema of the one from that of the other, and a scope from the one before it', () => {
    const gatherer = gather({ resourceSchema: 'r', scopeSchema: 's', scope: { attributes: [attribute('a', 'b')] } });
    const scope = { schemaUrl: 's', attributes: { keys: ['a'], values: ['b'], types: 's' } };
    expect(JSON.parse(describeOrigin(gatherer).text)).toEqual({ resource: { schemaUrl: 'r' }, scope });
    gatherer.beginScope();
    expect(JSON.parse(describeOrigin(gatherer).text)).toEqual({ resource: { schemaUrl: 'r' } });
    expect(JSON.parse(describeOrigin(gather({ scopeSchema: 's' }, gatherer)).text)).toEqual({ scope: { schemaUrl: 's' } });
  });

  test('is cut at the bounds of a record, marked and told', () => {
    const many = Array.from({ length: 130 }, (_, i) => attribute(`k${i}`, 'v'));
    const { notes, cut } = notesOf({ scope: { attributes: many } });
    expect(cut).toBe(true);
    expect(notes.scope?.attributes?.keys).toHaveLength(129);
    expect(notes.scope?.attributes?.keys.at(-1)).toBe('svc.truncated');
    expect(notes.scope?.attributes?.types).toBe(`${'s'.repeat(128)}b`);
    const long = notesOf({ scope: { attributes: [attribute('long', 'é'.repeat(4000))] }, resourceSchema: 'x'.repeat(5000) });
    expect(long.cut).toBe(true);
    expect(Buffer.byteLength(long.notes.scope?.attributes?.values[0] ?? '')).toBe(4096);
    expect(long.notes.resource?.schemaUrl).toHaveLength(4096);
  });

  test('has entities whole or not at all', () => {
    const entity = (keys: number) => ({ type: 'host', id_keys: Array.from({ length: keys }, (_, i) => `key.number.${i}`) });
    const { notes, cut } = notesOf({ resource: { entity_refs: [entity(2), entity(1000), entity(1)] } });
    expect(cut).toBe(true);
    expect(notes.resource?.entityRefs?.map(({ idKeys }) => idKeys?.length)).toEqual([2, 1]);
  });
});
