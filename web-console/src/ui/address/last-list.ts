/** The fleet page last looked at, so that a device page can lead back to it and to its neighbours. Lives as long as the tab. */
export interface LastList {
  /** Its query, with the question mark. */
  query: string;
  ids: readonly string[];
  /** Place of the first id in the whole filtered list. */
  offset: number;
  matched: number;
  /** What it was filtered by, in words; empty for the whole fleet. */
  words: string;
}

let last: LastList | undefined;

export const rememberList = (list: LastList): void => {
  last = list;
};

export const lastList = (): LastList | undefined => last;
