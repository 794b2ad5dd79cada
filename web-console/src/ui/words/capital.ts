/** As a sentence or a line of ours begins. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
