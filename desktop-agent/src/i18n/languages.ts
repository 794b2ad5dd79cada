export * from '@svc/contracts/words/languages';
