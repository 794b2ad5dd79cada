import type { FormField } from '@svc/contracts/notify/form';
import { AppError, type Connection, type Fault } from '#kernel';

/** What a person fills in becomes what calls are made with. */

export interface Form {
  fields: readonly FormField[];
  /** Schemes of the address; https alone unless told. */
  schemes?: readonly string[];
  /** Whether the address has a query of its own, which is then part of it. */
  keepsQuery?: boolean;
}

/** More than one can be told at once: a form shows all faults. */
export class FaultsOf {
  readonly faults: Fault[] = [];
  add(path: string, message: string): void {
    this.faults.push({ path, message });
  }
  throwAny(): void {
    const [first] = this.faults;
    if (first) throw new AppError('validation', first.message, { faults: this.faults });
  }
}

const MOST_CHARACTERS = 4000;

interface Address {
  url: string;
  settings: Readonly<Record<string, string>>;
}

function readAddress(text: string, { schemes = ['https:'], keepsQuery = false, fields }: Form, faults: FaultsOf): Address {
  const url = URL.parse(text);
  const settings: Record<string, string> = {};
  if (!url || !schemes.includes(url.protocol) || url.hostname === '') {
    faults.add('url', `The address must begin with ${schemes.map((one) => `${one}//`).join(' or ')}.`);
    return { url: '', settings };
  }
  if (url.username || url.password)
    faults.add('url', 'The address must not hold a user or a password: they have a field of their own.');
  if (keepsQuery) return { url: text.replace(/#.*$/s, ''), settings };
  for (const [name, value] of url.searchParams) {
    if (fields.some((field) => field.name === name && name !== 'url' && name !== 'credential')) settings[name] = value;
    else faults.add('url', `${name} in the address is no setting of this provider.`);
  }
  return { url: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`, settings };
}

function checkSetting(field: FormField, value: string, faults: FaultsOf): void {
  const { name, label, choices, is_required: isRequired } = field;
  if (value === '' && isRequired) faults.add(name, `${label} is needed.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break in a header or a mail would begin another
  if (/[\u0000-\u001f\u007f]/.test(value)) faults.add(name, `${label} must be on one line.`);
  if (value.length > MOST_CHARACTERS) faults.add(name, `${label} is longer than ${MOST_CHARACTERS} characters.`);
  if (value !== '' && choices && !choices.includes(value)) faults.add(name, `${label} is one of ${choices.join(', ')}.`);
}

/**
 * Settings that stand in the address are taken out of it; those given apart win. Every fault is named by its field; more are added by the
 * provider, which then calls `throwAny`.
 */
export function readConnection(given: Connection, form: Form): { to: Connection; faults: FaultsOf } {
  const faults = new FaultsOf();
  const fallbackOf = (name: string): string => form.fields.find((field) => field.name === name)?.fallback ?? '';
  const address = given.url.trim() || fallbackOf('url');
  const { url, settings: named }: Address = address === '' ? { url: '', settings: {} } : readAddress(address, form, faults);
  const settings: Record<string, string> = {};
  for (const field of form.fields) {
    if (field.name === 'url' || field.name === 'credential') {
      const value = field.name === 'url' ? address : given.credential.trim();
      checkSetting(field, value, faults);
      continue;
    }
    const own = given.settings[field.name]?.trim();
    const value = own || named[field.name] || field.fallback || '';
    settings[field.name] = value;
    checkSetting(field, value, faults);
  }
  for (const name of Object.keys(given.settings))
    if (!(name in settings)) faults.add(name, `${name} is no setting of this provider.`);
  return { to: { url, credential: given.credential.trim(), settings }, faults };
}

/** A field with what most fields have. */
export const field = (name: string, label: string, rest: Partial<FormField> & { help: string }): FormField => ({
  ...{ name, label, is_secret: false, is_required: false, fallback: null, choices: null, placeholder: '' },
  ...rest,
});
