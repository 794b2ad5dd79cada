/** The environment of this very process: the only reader of it in the agent. */
export const readEnvironment = (): Record<string, string | undefined> => process.env;
