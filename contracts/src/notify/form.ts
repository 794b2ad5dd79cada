import { z } from 'zod';

/** One thing to fill in about a connector. */
export const FormField = z.object({
  /** `url`, `credential`, or the name of a setting, which is a parameter of the URL in SVC_NOTIFY_CONNECTORS too. */
  name: z.string(),
  label: z.string(),
  /** What to paste, where to find it, which rights it needs. */
  help: z.string(),
  /** Sealed, and never shown again. */
  is_secret: z.boolean(),
  is_required: z.boolean(),
  /** Taken where nothing is given; null: none. */
  fallback: z.string().nullable(),
  /** The only values that are taken; null: any text. */
  choices: z.array(z.string()).nullable(),
  placeholder: z.string(),
});
export type FormField = z.infer<typeof FormField>;
