/** Refuses the request: one of the reasons of src/walk/walk-fault.ts, and the number of the field that is to blame. */
export declare function refuse(reason: u32, field: u32): void;
