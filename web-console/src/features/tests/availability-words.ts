/** Percent with one digit; 100 only where nothing failed: 99.96 is not 100. */
export const availabilityFigure = (ratio: number): string => (ratio === 1 ? '100' : (Math.floor(ratio * 1000) / 10).toFixed(1));

/** "98.0 %" of a ratio, for sentences and facts. */
export const availabilityWords = (ratio: number): string => `${availabilityFigure(ratio)}\u202f%`;
