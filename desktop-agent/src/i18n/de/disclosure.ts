export { disclosure } from '@svc/contracts/words/disclosure/de';
