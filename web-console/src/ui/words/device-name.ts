/** What a device is called; one that sends no name, by the end of its id, which tells devices of one day apart. */
export const deviceName = (name: string | null, id: string): string => name ?? id.slice(-12);
