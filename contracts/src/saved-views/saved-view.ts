import { z } from 'zod';

/** Saved views of the console's tables: input and output of the `savedViews.*` procedures. */

export const VIEW_PAGES = ['fleet', 'traces', 'logs', 'tests', 'incidents'] as const;
export type ViewPage = (typeof VIEW_PAGES)[number];

/** What a person calls it: trimmed, without control characters and those that only change how others are read. */
export const ViewName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'No control characters, and none that cannot be seen.');

/** The query of the page's address without its question mark. Only the page knows what it means, and leaves out what it does not know. */
export const ViewSearch = z
  .string()
  .max(8192)
  .regex(/^[\x21\x22\x24-\x3e\x40-\x7e]*$/, 'The query of an address, without its question mark.');

export const SavedView = z.object({
  id: z.uuid(),
  page: z.enum(VIEW_PAGES),
  name: z.string(),
  search: z.string(),
  /** Everybody in the tenant who may open the page sees it. */
  shared: z.boolean(),
  /** The reader's own. */
  is_mine: z.boolean(),
  /** The page opens with it, for the reader. */
  is_default: z.boolean(),
  updated_at: z.iso.datetime(),
});
export type SavedView = z.infer<typeof SavedView>;

export const SavedViewList = z.object({
  /** The reader's own and the shared ones, by name. */
  items: z.array(SavedView),
  /** False for API tokens, which own no views. */
  may_save: z.boolean(),
  may_share: z.boolean(),
  /** Shared views of others too. */
  may_delete_any: z.boolean(),
});

export const CreateSavedView = z.object({
  page: z.enum(VIEW_PAGES),
  name: ViewName,
  search: ViewSearch,
  shared: z.boolean().default(false),
});

/** What is left out stays as it is. */
export const UpdateSavedView = z.object({
  id: z.uuid(),
  name: ViewName.optional(),
  search: ViewSearch.optional(),
  shared: z.boolean().optional(),
});
