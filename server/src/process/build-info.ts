declare const __SVC_BUILD_TAG__: string | undefined;
declare const __SVC_VERSION__: string | undefined;

/** Set by the bundler (server/build.js): only `npm run build:dev` makes a dev build; from source it is a release. */
export const BUILD_TAG: 'release' | 'dev' =
  typeof __SVC_BUILD_TAG__ === 'string' && __SVC_BUILD_TAG__ === 'dev' ? 'dev' : 'release';

/** The bundled manifest's version; from source the checkout's. */
export const VERSION: string = typeof __SVC_VERSION__ === 'string' ? __SVC_VERSION__ : '0.1.0';
