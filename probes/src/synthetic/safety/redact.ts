/** Each one is looked for in all that is told: what many lines come to would keep the whole machine waiting. */
const MAX_FORMS = 4000;

/** Removes the values of secrets, whatever form a server gives them back in. */
export interface Redactor {
  /** Throws a RangeError where there is more than can be looked for. */
  readonly add: (name: string, value: string) => void;
  readonly redact: (text: string) => string;
  /**
   * The same for a text that goes on where it was cut: so much of its end goes as may be the beginning of a secret, whatever stands there; a
   * part of one is not known again, and to look for it would tell of it.
   */
  readonly redactCut: (text: string) => string;
  /** As they were added. */
  readonly values: () => readonly string[];
}

/** Base64 of a text inside of a longer one: it shows in three alignments, without the characters that its neighbours change. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    const isWhole = (bytes.length + shift) % 3 === 0;
    const inner = text.slice(from, isWhole ? undefined : -1);
    return inner.length < 6 ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const escapeHtml = (text: string, quote: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", quote);

/** encodeURIComponent refuses half characters. */
const percent = (text: string): string => encodeURIComponent(text.toWellFormed());
const lowerEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (found) => found.toLowerCase());

/** As JSON may write characters: all of them, or those that are not ASCII. */
const unicodeEscapes = (text: string, which: RegExp): string =>
  text.replace(which, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

function formsOf(value: string): string[] {
  const hex = Buffer.from(value, 'utf8').toString('hex');
  const escaped = percent(value);
  const strict = escaped.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const json = JSON.stringify(value).slice(1, -1);
  const forms = [
    value,
    ...[escaped, strict, strict.replaceAll('%20', '+')].flatMap((form) => [form, lowerEscapes(form)]),
    json,
    json.replaceAll('/', '\\/'),
    unicodeEscapes(json, /[^\x20-\x7e]/g),
    unicodeEscapes(json.replaceAll('/', '\\/'), /[^\x20-\x7e]/g),
    unicodeEscapes(value, /[\s\S]/g),
    unicodeEscapes(value, /[\s\S]/g).replace(/[0-9a-f]{4}/g, (hex) => hex.toUpperCase()),
    escapeHtml(value, '&#39;'),
    escapeHtml(value, '&#x27;'),
    ...base64Forms(value),
    ...(hex.length < 8 ? [] : [hex, hex.toUpperCase()]),
  ];
  return [...new Set(forms)].filter((form) => form !== '');
}

function createRedact(ordered: () => readonly (readonly [form: string, name: string])[]): (text: string) => string {
  return (text) => {
    let clean = text;
    for (const [form, name] of ordered()) if (clean.includes(form)) clean = clean.replaceAll(form, () => `[secret ${name}]`);
    return clean;
  };
}

export function createRedactor(): Redactor {
  const known = new Map<string, string>();
  let ordered: [string, string][] = [];
  const values = new Set<string>();
  const redact = createRedact(() => ordered);
  return {
    values: () => [...values],
    add(name, value) {
      if (values.has(value)) return;
      values.add(value);
      // A value of several lines comes back line by line, too.
      const parts = value.includes('\n')
        ? [value, ...value.split(/\r?\n/).filter((line) => line.length >= 8 && !line.startsWith('-----'))]
        : [value, value.trim()];
      for (const part of parts) {
        for (const form of formsOf(part)) if (!known.has(form)) known.set(form, name);
        if (known.size > MAX_FORMS) throw new RangeError(`The secret ${name} has too many lines to be kept out of what is told.`);
      }
      // The longest first: a short form may be a part of a longer one.
      ordered = [...known].toSorted((a, b) => b[0].length - a[0].length);
    },
    redact,
    redactCut(text) {
      const longest = ordered[0]?.[0].length ?? 0;
      const clean = redact(text);
      return longest === 0 ? clean : clean.slice(0, Math.max(0, clean.length - longest));
    },
  };
}

const CUT_HEADERS =
  /^(?:set-cookie2?|cookie|(?:proxy-)?authorization|(?:proxy-)?authentication-info|x-(?:auth|csrf|xsrf|api|access|amz-security)-?(?:token|key)?)$/i;
/** Said in place of what is never told. */
export const CUT = '[cut]';

export const isCutHeader = (name: string): boolean => CUT_HEADERS.test(name);

const CUT_PARAMETERS =
  /([?&;#](?:[a-z0-9_-]*(?:token|secret|password|passwd|signature)|code|sig|key|api_?key|session(?:_?id)?|sid|auth|state|nonce)=)[^&;#\s]+/gi;

/** A URL without credentials and without the values of parameters that carry them. */
export const cutUrl = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, '$1').replace(CUT_PARAMETERS, `$1${CUT}`);
