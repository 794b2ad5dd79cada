import { router } from '#api';
import type { Slice } from '#kernel';
import type { Slices } from './slices.ts';

/** The slice's namespace, or its name in the list. */
type Namespace<Name, One> = One extends { namespace: infer Given extends string } ? Given : Name;

/** The procedures of all slices under their names. */
type Procedures = {
  [Name in keyof Slices as Slices[Name] extends { procedures: object }
    ? Namespace<Name, Slices[Name]>
    : never]: Slices[Name] extends {
    procedures: infer Own;
  }
    ? Own
    : never;
};

export function createAppRouter(slices: Slices) {
  const named = Object.entries<Slice>(slices).flatMap(([name, { procedures, namespace = name }]) =>
    procedures ? [[namespace, procedures] as const] : [],
  );
  return router(Object.fromEntries(named) as Procedures);
}

/** What the console and other tRPC clients import, as a type. */
export type AppRouter = ReturnType<typeof createAppRouter>;
