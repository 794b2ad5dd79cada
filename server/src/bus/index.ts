export { createKafkaBus, type KafkaBusOptions } from './kafka.ts';
export { createLogBus, type LogBusOptions } from './log.ts';
export { createMemoryBus, type MemoryBusOptions } from './memory.ts';
export {
  type BatchHandler,
  type Bus,
  type BusBatch,
  type BusMessage,
  type Checksum,
  MAX_HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  type OutgoingMessage,
  STILL_WRITING,
  type SubscribeOptions,
  type Subscription,
} from './port.ts';
