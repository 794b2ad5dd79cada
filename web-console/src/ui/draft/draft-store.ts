/** What was typed, and what the form held when it was. */
export interface StoredDraft {
  basis: unknown;
  typed: unknown;
  /** Unix milliseconds. */
  at: number;
}

/** Whose draft it is, and of which form; a form of one thing among many carries its id. */
export interface DraftKey {
  account: string;
  tenant: string;
  form: string;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const PREFIX = 'svc.draft/';
const MAX_CHARACTERS = 100_000;
const SECRET = /secret|password|passphrase|token|credential/i;

const nameOf = ({ account, tenant, form }: DraftKey): string => `${PREFIX}${account}/${tenant}/${form}`;

/** Session storage: it lasts as long as the tab, over sign-in, and no other tab sees it. A browser that refuses it keeps no drafts. */
function attempt<Result>(act: (store: Store) => Result): Result | undefined {
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}

/** Fields whose name says that they hold a secret are never stored. */
const withoutSecrets = (key: string, value: unknown): unknown => (SECRET.test(key) ? undefined : value);

export function readDraft(key: DraftKey): StoredDraft | undefined {
  const text = attempt((store) => store.getItem(nameOf(key)));
  if (!text) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null || !('typed' in found) || !('at' in found)) return undefined;
    return { basis: undefined, ...found, at: Number(found.at) || 0 } as StoredDraft;
  } catch {
    return undefined;
  }
}

export function writeDraft(key: DraftKey, draft: StoredDraft): void {
  const text = JSON.stringify(draft, withoutSecrets);
  if (text.length <= MAX_CHARACTERS) attempt((store) => store.setItem(nameOf(key), text));
}

export function removeDraft(key: DraftKey): void {
  attempt((store) => store.removeItem(nameOf(key)));
}

function removeWhere(isGone: (name: string) => boolean): void {
  attempt((store) => {
    const names = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
    for (const name of names) if (name.startsWith(PREFIX) && isGone(name)) store.removeItem(name);
  });
}

/** All drafts of this tab: on sign-out. */
export const clearDrafts = (): void => removeWhere(() => true);

/** What another person typed in this tab goes when somebody else signs in. */
export const keepDraftsOf = (account: string): void => removeWhere((name) => !name.startsWith(`${PREFIX}${account}/`));
