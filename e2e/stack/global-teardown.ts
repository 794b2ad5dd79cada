import { removeData } from './product.ts';

export async function stopAfterRun(): Promise<void> {
  const product = globalThis.svcProduct;
  if (!product) return;
  const code = await product.stop();
  removeData(product);
  if (code !== 0) throw new Error(`npm start ended with ${code} after Ctrl-C:\n${product.output().slice(-4000)}`);
}
export default stopAfterRun;
