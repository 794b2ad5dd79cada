interface Shown {
  readonly nodeValue: string | null;
  readonly parentElement: { closest(selector: string): unknown } | null;
}
interface Named {
  getAttribute(name: string): string | null;
  readonly labels?: Iterable<unknown> | null;
  readonly type?: unknown;
  readonly value?: unknown;
}
/** Of the page that it runs in. */
declare const document: {
  createTreeWalker(root: unknown, show: number): { nextNode(): Shown | null };
  getElementById(id: string): unknown;
};

/** What an element shows, first, and then what it is called by; runs in the page, so that it names nothing of this file. */
export function readTexts(element: unknown): string[] {
  const shown = (root: unknown): string => {
    const parts: string[] = [];
    // Nodes of text.
    const walker = root ? document.createTreeWalker(root, 4) : undefined;
    for (let one = walker?.nextNode(); one; one = walker?.nextNode())
      if (!one.parentElement?.closest('script, style, noscript, template')) parts.push(one.nodeValue ?? '');
    return parts.join('');
  };
  const named = element as Named;
  const texts = [shown(element)];
  for (const name of ['aria-label', 'title', 'alt', 'placeholder']) texts.push(named.getAttribute(name) ?? '');
  for (const id of (named.getAttribute('aria-labelledby') ?? '').split(/\s+/))
    if (id) texts.push(shown(document.getElementById(id)));
  for (const label of Array.from(named.labels ?? []).slice(0, 5)) texts.push(shown(label));
  if (/^(?:button|submit|reset)$/.test(String(named.type))) texts.push(String(named.value));
  return texts;
}
