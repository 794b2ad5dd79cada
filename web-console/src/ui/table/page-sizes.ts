export const PAGE_SIZES = [25, 50, 100, 200] as const;
