/** Whether the test of a whole group on Kafka was asked for. */
export const wantsFleet = process.env.SVC_TEST_KAFKA_FLEET !== undefined;
