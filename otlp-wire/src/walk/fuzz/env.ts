/** Seconds of random requests for each of the three signals, and of random beacons: few at a desk, 60 on CI. */
export const fuzzSeconds = Number(process.env.SVC_TEST_FUZZ_SECONDS ?? '2');
