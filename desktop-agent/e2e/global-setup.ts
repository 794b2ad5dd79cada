import { buildAll } from './build.ts';

export default buildAll;
