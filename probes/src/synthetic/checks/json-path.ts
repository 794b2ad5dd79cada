const STEP = /^(?:\.([\p{L}_][\p{L}\p{N}_-]*)|\[(-?\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\])/u;

type Step = string | number;

/** Its steps, or the number of the first character that is none of one. */
function readPath(path: string): Step[] | number {
  if (!path.startsWith('$')) return 1;
  const steps: Step[] = [];
  for (let rest = path.slice(1); rest !== ''; ) {
    const match = STEP.exec(rest);
    if (!match) return path.length - rest.length + 1;
    const [whole, name, index, double, single] = match;
    steps.push(index === undefined ? (name ?? (double ?? single ?? '').replaceAll(/\\(.)/g, '$1')) : Number(index));
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** A sentence that says what is wrong with a path, and where; undefined: nothing is. */
export function checkJsonPath(path: string): string | undefined {
  const steps = readPath(path);
  if (typeof steps !== 'number') return undefined;
  return `This is no path of names and positions, such as $.items[0].name or $['a name']: it cannot be read from character ${steps} on.`;
}

/** What stands at a path of names and positions (below zero: from the end). Only what is in the text itself is found. */
export function readAt(value: unknown, path: string): { found: true; value: unknown } | { found: false } {
  const steps = readPath(path);
  if (typeof steps === 'number') return { found: false };
  let at = value;
  for (const step of steps) {
    if (typeof step === 'number') {
      if (!Array.isArray(at)) return { found: false };
      const index = step < 0 ? at.length + step : step;
      if (index < 0 || index >= at.length) return { found: false };
      at = at[index];
    } else {
      if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, step)) return { found: false };
      at = Reflect.get(at, step);
    }
  }
  return { found: true, value: at };
}

/** Deeper than any person writes; JSON itself has no bound. */
const MAX_DEPTH = 200;

/** The beginning of a value as JSON.stringify writes it; what comes behind it costs nothing. */
export function jsonStart(value: unknown, length: number): string {
  const parts: string[] = [];
  let size = 0;
  const put = (text: string): void => {
    parts.push(text);
    size += text.length;
  };
  const putAll = (ends: string, entries: readonly (readonly [head: string, one: unknown])[], depth: number): void => {
    put(ends.charAt(0));
    for (const [i, [head, one]] of entries.entries()) {
      if (size >= length) return;
      put(`${i === 0 ? '' : ','}${head}`);
      write(one, depth + 1);
    }
    put(ends.charAt(1));
  };
  const write = (one: unknown, depth: number): void => {
    if (typeof one === 'string') put(JSON.stringify(one.slice(0, length)));
    else if (typeof one !== 'object' || one === null) put(JSON.stringify(one) ?? 'null');
    else if (depth >= MAX_DEPTH) put('"…"');
    else if (Array.isArray(one))
      putAll(
        '[]',
        one.slice(0, length).map((item) => ['', item] as const),
        depth,
      );
    else
      putAll(
        '{}',
        Object.keys(one)
          .slice(0, length)
          .map((key) => [`${JSON.stringify(key.slice(0, length))}:`, Reflect.get(one, key)] as const),
        depth,
      );
  };
  write(value, 0);
  return parts.join('').slice(0, length);
}
