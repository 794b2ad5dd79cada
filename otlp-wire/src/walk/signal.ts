export type Signal = 'traces' | 'logs' | 'metrics';

export const SIGNALS: readonly Signal[] = ['traces', 'logs', 'metrics'];
