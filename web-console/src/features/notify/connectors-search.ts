/** What the address of the connectors asks for: one of them, opened. */
export interface ConnectorsSearch {
  open?: string | undefined;
}

export const decodeConnectorsSearch = (raw: Record<string, unknown>): ConnectorsSearch =>
  typeof raw.open === 'string' && /^[\w-]{1,64}$/.test(raw.open) ? { open: raw.open } : {};
