export function buildFace(folder: string): Promise<void>;
