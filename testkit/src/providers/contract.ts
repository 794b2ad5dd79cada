import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

/** Providers' published contracts (testkit/fixtures/README.md), by which their simulations judge what they are sent. */

const FOLDER = join(import.meta.dirname, '..', '..', 'fixtures');

export const readFixture = (provider: string, name: string): Buffer => readFileSync(join(FOLDER, provider, name));

const readJson = (provider: string, name: string): Record<string, unknown> =>
  JSON.parse(readFixture(provider, name).toString('utf8')) as Record<string, unknown>;

/** What a value breaks; empty where it keeps the contract. */
export type Check = (value: unknown) => string[];

const toCheck = (validate: ValidateFunction): Check => {
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'the body'} ${message ?? ''}`);
};

/** Contracts of vendors hold keywords and formats of their own. */
const createAjv = (): Ajv =>
  new Ajv({ strict: false, validateFormats: false, validateSchema: false, allErrors: true, logger: false });

const documents = new Map<string, Ajv>();

/** A schema inside of an OpenAPI or Swagger document, by its JSON pointer. */
export function checkOf(provider: string, file: string, pointer: string): Check {
  const name = `${provider}/${file}`;
  let ajv = documents.get(name);
  if (!ajv) {
    ajv = createAjv();
    ajv.addSchema(readJson(provider, file), 'document');
    documents.set(name, ajv);
  }
  return toCheck(ajv.compile({ $ref: `document#${pointer}` }));
}

/** The message around a card, and the card by Adaptive Cards' own schema. */
export function checkCards(): { envelope: Check; card: Check } {
  const { $schema: _, ...envelope } = readJson('teams', 'message-envelope.facts.schema.json');
  // It says draft 6 and has the id of draft 4: neither compiles.
  const { $schema: __, id: ___, ...card } = readJson('teams', 'adaptive-card-1.4.0.json');
  const ofCard = toCheck(createAjv().compile(card));
  // What Teams adds to a card is described beside the envelope.
  const withoutTeams = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const { msteams: ____, ...rest } = value as Record<string, unknown>;
    return rest;
  };
  return { envelope: toCheck(createAjv().compile(envelope)), card: (value) => ofCard(withoutTeams(value)) };
}
