import { z } from 'zod';

const DEFAULT_ITEMS = 100;
const MAX_ITEMS = 1000;

/** Items of one page of a list, over tRPC: every list takes this one. */
export const listLimit = z.int().min(1).max(MAX_ITEMS).default(DEFAULT_ITEMS);
/** The same in a query string, where numbers arrive as text. */
export const listLimitQuery = z.coerce.number().int().min(1).max(MAX_ITEMS).default(DEFAULT_ITEMS);
