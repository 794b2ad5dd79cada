import type { WayOut } from './way-out.ts';

/** What a system announced. Hardware addresses stand in the messages and are not read. */
export type RouteEvent =
  | { readonly kind: 'link'; readonly index: number; readonly up: boolean; readonly carrier: boolean }
  | { readonly kind: 'address'; readonly index: number; readonly removed: boolean; readonly address: string | undefined }
  | { readonly kind: 'route'; readonly index: number | undefined; readonly removed: boolean; readonly isDefault: boolean };

/**
 * Whether an announcement ends the way out, even where the next one looks the same. A radio loses its carrier for a moment when it
 * roams within its network: that alone ends nothing, and `isRadio` knows which interfaces are radios.
 */
export function endsWayOut(event: RouteEvent, { v4, v6 }: WayOut, isRadio: (index: number) => boolean): boolean {
  if (event.kind === 'address') {
    return event.removed && event.address !== undefined && v4?.interfaceIndex === event.index && v4.source === event.address;
  }
  const carries = v4?.interfaceIndex === event.index || v6?.interfaceIndex === event.index;
  if (event.kind === 'route') return event.removed && event.isDefault && carries;
  return carries && (!event.up || (!event.carrier && !isRadio(event.index)));
}
