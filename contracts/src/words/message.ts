/** One text of the catalogue: a template with `{names}`, or one for each plural form, chosen by the number `n`. */
export type Message = string | { readonly one: string; readonly other: string };

type NamesOf<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesOf<Rest> : never;
/** The placeholders of a message; a plural one always takes `n`. */
export type Placeholders<M extends Message> = M extends string
  ? NamesOf<M>
  : M extends { one: infer One extends string; other: infer Other extends string }
    ? NamesOf<One> | NamesOf<Other> | 'n'
    : never;

const PLACEHOLDER = /\{(\w+)\}/g;
/** A value that ends with a full stop, such as "3. Nov.", ends its sentence too. */
const PLACEHOLDER_AND_STOP = /\{(\w+)\}(\.?)/g;

/** The names in the braces of a template, in order. */
export const placeholdersOf = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, name]) => name as string);

/** Puts values in the place of `{names}`; a name without a value is a fault of the caller and throws. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER_AND_STOP, (_, name: string, stop: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`No value for {${name}} in "${template}".`);
    return value.endsWith('.') ? value : value + stop;
  });
}

/** The same keys as the English catalogue, each with the same kind of message. */
export type Translation<C extends Readonly<Record<string, Message>>> = {
  readonly [K in keyof C]: C[K] extends string ? string : { readonly one: string; readonly other: string };
};
