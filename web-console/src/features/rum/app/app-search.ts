import { tabSearch } from '../../../ui/page/page.ts';

/** Its snippet and keys, or what the script would send. */
export const decodeAppSearch = tabSearch(['install', 'try']);
