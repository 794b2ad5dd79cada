/** Seconds of random requests for each signal. */
export const fuzzSeconds = Number(process.env.SVC_TEST_FUZZ_SECONDS ?? '5');
