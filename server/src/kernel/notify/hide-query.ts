import { AppError } from '../errors.ts';
import type { Connection } from './port.ts';

const HIDDEN = '***';

/** `name=***`; what has no value, or nothing but the end of base64 where one stands, is hidden whole. */
function hidePart(part: string): string {
  const [name, value] = [part.split('=', 1)[0] ?? '', part.slice(part.indexOf('=') + 1)];
  if (part === '') return part;
  return part.includes('=') && !/^=*$/.test(value) ? `${name}=${HIDDEN}` : HIDDEN;
}

/** An address as it may be shown: names of its query stay, but no value, since many receivers take a token there. Done again it changes nothing. */
export function hideQuery(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const parts = url.slice(at + 1).split('&');
  return `${url.slice(0, at)}?${parts.map(hidePart).join('&')}`;
}

const holdsHidden = (url: string): boolean =>
  url
    .split('?')
    .slice(1)
    .join('?')
    .split('&')
    .some((part) => part === HIDDEN || part.endsWith(`=${HIDDEN}`));

/**
 * Values of a form whose address came back as it was shown: it is the former one then. AppError `validation` where hidden values stand in another
 * address, which would be taken at their letters.
 */
export function keepQuery(values: Readonly<Record<string, string>>, former?: Connection): Record<string, string> {
  const url = values.url?.trim();
  if (url === undefined || !holdsHidden(url)) return { ...values };
  if (former && url === hideQuery(former.url)) return { ...values, url: former.url };
  const faults = [
    { path: 'values.url', message: `Give the query of the address again: ${HIDDEN} stands for what is not shown.` },
  ];
  throw new AppError('validation', 'The connector cannot be used like this.', { faults });
}
