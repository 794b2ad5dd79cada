/** Takes the settings out of an address that stand there as parameters; all others stay in it, in their order and spelling. */
export function splitUrl(text: string, names: readonly string[]): { url: string; settings: Record<string, string> } {
  const [path = '', query] = text.split(/\?(.*)/s, 2);
  const settings: Record<string, string> = {};
  const kept = (query ?? '').split('&').filter((part) => {
    const name = part.split('=', 1)[0] ?? '';
    if (part === '' || !names.includes(name)) return part !== '';
    settings[name] = new URLSearchParams(part).get(name) ?? '';
    return false;
  });
  return { url: kept.length > 0 ? `${path}?${kept.join('&')}` : path, settings };
}
