import { createProxyFinder, type ProxyFinder } from '../ipc/proxy-finder.ts';

/** The side of the faces that the service speaks to. */
export interface FaceSide {
  changed(): void;
  hasWindow(): boolean;
  /** Gives how many windows were asked. */
  askForProxy(question: { ask: number; url: string }): number;
}

/** The faces that are there, as the rest of the service knows them: nobody until `connect`. */
export interface ConnectedFaces {
  /** Something that they show is different now. */
  changed(): void;
  hasWindow(): boolean;
  readonly proxies: ProxyFinder;
  connect(side: FaceSide): void;
}

export function createConnectedFaces(): ConnectedFaces {
  let side: FaceSide | undefined;
  return {
    changed: () => side?.changed(),
    hasWindow: () => side?.hasWindow() === true,
    proxies: createProxyFinder((question) => side?.askForProxy(question) ?? 0),
    connect(connected) {
      side = connected;
    },
  };
}
