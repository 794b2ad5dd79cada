/** Writes the window's page into a folder: index.html, index.js, index.css and its typeface. */
export function buildWindow(folder: string): Promise<void>;
