import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { meQuery } from '../../queries.ts';
import { readStoredJson, writeStored } from '../preferences/stored.ts';
import { assignSlots, COLORS, colorOf, type Slots, tellApart } from './service-color.ts';

/** What this browser has given out, by tenant. */
const given = new Map<string, Slots>();

const isEntry = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === 'string' && Number.isInteger(entry[1]) && entry[1] >= 0 && entry[1] < COLORS;

function knownSlots(tenant: string): Slots {
  const stored = given.get(tenant) ?? readStoredJson(`svc.service-colors.${tenant}`);
  if (stored instanceof Map) return stored;
  return new Map(Array.isArray(stored) ? stored.filter(isEntry) : []);
}

/** The tenant's numbers with those of new names, which are kept: a service looks the same on every page and tomorrow. */
function rememberSlots(tenant: string, names: readonly string[]): Slots {
  const known = knownSlots(tenant);
  const slots = assignSlots(known, names);
  given.set(tenant, slots);
  if (names.some((name) => !known.has(name))) writeStored(`svc.service-colors.${tenant}`, JSON.stringify([...slots]));
  return slots;
}

const ColorOf = createContext<(name: string) => string>((name) => colorOf(name));

/** Colours for the services that are shown together: each its own, as long as there are no more than there are colours. */
export function ServiceColors({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const tenant = useQuery(meQuery).data?.tenant.id;
  const together = JSON.stringify([...new Set(names)].sort());
  const value = useMemo(() => {
    const shown: string[] = JSON.parse(together);
    if (tenant === undefined) return (name: string) => colorOf(name);
    const slots = rememberSlots(tenant, shown);
    const apart = tellApart(slots, shown);
    return (name: string) => colorOf(name, apart.get(name) ?? slots.get(name));
  }, [tenant, together]);
  return <ColorOf value={value}>{children}</ColorOf>;
}

/** The colour of a service as CSS, by the nearest ServiceColors. */
export const useServiceColor = (): ((name: string) => string) => useContext(ColorOf);

/** The bar in a service's colour that stands before its name. */
export function ServiceMark({ name }: { name: string }) {
  const color = useServiceColor()(name);
  return <i className="svc-mark" style={{ background: color }} aria-hidden="true" />;
}
