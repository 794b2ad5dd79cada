export * from '@svc/contracts/words/formats';
