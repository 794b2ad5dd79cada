export * from '@svc/contracts/words/message';
