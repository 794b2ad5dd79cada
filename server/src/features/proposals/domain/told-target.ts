/** A target as the trail has it: without who signs in, query and fragment. */
export function toldTarget(target: string): string {
  const url = target.includes('://') ? URL.parse(target) : null;
  if (!url) return target.replace(/[?#].*$/s, '').slice(0, 512);
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, 512);
}
