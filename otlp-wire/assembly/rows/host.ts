/** Ends the building of a message whose bytes no walker let through. */
export declare function fault(): void;

/** Place of the attribute with this name among those that have a column of their own (hot.ts), -1 for another. */
export declare function placeOf(key: usize, size: u32): i32;

/** Reads a KeyValue that is not plain, puts its text where `roomForText` says, and calls `addEntry`. */
export declare function readRare(at: usize, end: usize): void;

/** The same for a body, and `addBody`. */
export declare function readBody(at: usize, end: usize): void;
