import { z } from 'zod';

/** A filter of a list: in a query string one value arrives as text, several as a list. */
export const oneOrMore = <T extends z.ZodType>(one: T, max = 20) => z.union([one, z.array(one).max(max)]).optional();
