export interface SignInConfig {
  /** Where the console lives, without a slash at its end. */
  publicUrl: string;
  /** False while the address is only the default one: then nothing redirects to it. */
  publicUrlIsSet: boolean;
  /** The identity provider outside; undefined means the built-in one. */
  external: { issuer: string; clientId: string; clientSecret: string | undefined } | undefined;
}

/** Path of the built-in identity provider; its issuer is this below the public URL. */
export const ISSUER_PATH = '/auth/oidc';

export const issuerOf = ({ publicUrl }: Pick<SignInConfig, 'publicUrl'>): string => `${publicUrl}${ISSUER_PATH}`;

export const callbackOf = ({ publicUrl }: Pick<SignInConfig, 'publicUrl'>): string => `${publicUrl}/auth/callback`;
