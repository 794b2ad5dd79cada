import type { IsolatedWorld } from './isolated-world.ts';

const MAX_BYTES = 512 * 1024;
const LIMIT_MS = 5000;
const TRIES = [
  { quality: 70, scale: 1 },
  { quality: 40, scale: 1 },
  { quality: 40, scale: 0.5 },
] as const;

/** Hides what a secret was put into and whatever shows one; runs beside the page, in the same document. */
const hide = (secrets: readonly string[]): string => `(() => {
  const secrets = ${JSON.stringify(secrets)};
  const hide = (element) => element.style.setProperty('visibility', 'hidden', 'important');
  for (const input of document.querySelectorAll('input, textarea, select, [contenteditable]')) hide(input);
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement && secrets.some((secret) => node.data.includes(secret))) hide(node.parentElement);
  return true;
})()`;

/** WebP of what is seen, base64; undefined where the page lets none be made, or shows a secret that could not be hidden. */
export async function takeScreenshot(
  world: IsolatedWorld,
  viewport: { width: number; height: number },
  secrets: readonly string[],
): Promise<string | undefined> {
  if (secrets.length > 0 && (await world.evaluate(hide(secrets))) !== true) return undefined;
  for (const { quality, scale } of TRIES) {
    const taken = world.session.send('Page.captureScreenshot', {
      format: 'webp',
      quality,
      clip: { x: 0, y: 0, ...viewport, scale },
      captureBeyondViewport: false,
    });
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, LIMIT_MS, undefined).unref());
    const data = await Promise.race([taken.then((answer) => answer.data), late]).catch(() => undefined);
    if (data === undefined) return undefined;
    if ((data.length * 3) / 4 <= MAX_BYTES) return data;
  }
  return undefined;
}
