/** `region=eu, gpu` as labels. */
export const readLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(/[,\n]/)
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => {
        const at = item.indexOf('=');
        return at < 0 ? [item, ''] : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
      }),
  );

export const writeLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join(', ');
