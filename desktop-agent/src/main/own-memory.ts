import type { Electron } from './electron.ts';

export interface OwnMemory {
  read(): { bytes: number; closedBytes: number | null };
  /** To be called now and then: keeps what is held while no window is open. */
  note(isOpen: boolean): void;
}

/** Memory of Electron's processes, the measuring service not among them. Working sets: what processes share counts in each. */
export function createOwnMemory({ app }: Pick<Electron, 'app'>): OwnMemory {
  let closedBytes: number | null = null;
  const sum = (): number => app.getAppMetrics().reduce((total, { memory }) => total + memory.workingSetSize * 1024, 0);
  return {
    read: () => ({ bytes: sum(), closedBytes }),
    note(isOpen) {
      if (!isOpen) closedBytes = sum();
    },
  };
}
