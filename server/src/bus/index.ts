export { createKafkaBus, type KafkaBusOptions } from './kafka.ts';
export { createLogBus, type LogBusOptions } from './log.ts';
export { createMemoryBus, type MemoryBusOptions } from './memory.ts';
export { isTransient } from './poison.ts';
export {
  type BatchHandler,
  type Bus,
  type BusBatch,
  type BusMessage,
  type Checksum,
  MAX_HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  type OutgoingMessage,
  type Quarantine,
  type QuarantineRow,
  SET_ASIDE_REASONS,
  type SetAsideMessage,
  type SetAsideReason,
  STILL_WRITING,
  type SubscribeOptions,
  type Subscription,
} from './port.ts';
