export const TRAY_SIZES: readonly number[];
export const APP_SIZES: readonly number[];
export const TRAY_COLOURS: Readonly<Record<string, Readonly<Record<'light' | 'dark', string>>>>;
export function buildIcons(folder: string): Promise<void>;
