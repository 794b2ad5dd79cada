declare const __SVC_BUILD_TAG__: string | undefined;
declare const __SVC_VERSION__: string | undefined;

const tag = typeof __SVC_BUILD_TAG__ === 'string' ? __SVC_BUILD_TAG__ : 'release';

/** Set by the bundler (server/build.js): only `npm run build:dev` makes a dev build; from source it is a release. */
export const BUILD_TAG: 'release' | 'dev' = tag === 'dev' ? 'dev' : 'release';

/** Only the build that `npm run demo` makes for itself, which is as a release but for a past that can be given in. */
export const IS_DEMO_BUILD = tag === 'demo';

/** The bundled manifest's version; from source the checkout's. */
export const VERSION: string = typeof __SVC_VERSION__ === 'string' ? __SVC_VERSION__ : '0.1.0';
