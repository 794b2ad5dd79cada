/** Writes svc-agent.mjs and chore.mjs into a folder below the repository. */
export function buildAgent(folder: string): Promise<void>;
