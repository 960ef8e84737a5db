import type { Config } from "#config.ts";
import { isSignedFor, signFor } from "#core/derived-key.ts";
import { fromBase64Url, toBase64Url } from "#core/encoding.ts";
import type { Ids } from "#core/ids.ts";

/**
 * Who tries to sign in. Failed attempts count for this client alone, so that nobody can delay another person's sign-in.
 */
export interface SignInClient {
  /**
   * `network:…` for a stranger, `browser:…` for a browser that has signed in before, `session:…` for a signed-in
   * browser.
   */
  readonly id: string;
  /** Whether the client has proved the password before. A known client does not wait behind strangers. */
  readonly isKnown: boolean;
}

const RANDOM_BYTES = 16;
const KNOWN_BROWSER = /^([\w-]{22})\.([\w-]{43})$/;

const signedText = (email: string, browserId: string) => `${browserId}\n${email.trim().toLowerCase()}`;

/** Makes the cookie value by which a browser later shows that it has signed in with this e-mail address. */
export async function makeKnownBrowser(
  { config, ids }: { readonly config: Config; readonly ids: Pick<Ids, "random"> },
  email: string,
): Promise<string> {
  const browserId = toBase64Url(ids.random(RANDOM_BYTES));
  return `${browserId}.${toBase64Url(await signFor(config, "known browser", signedText(email, browserId)))}`;
}

/** Identifies who signs in: the known browser if its cookie is for this address, otherwise the network. */
export async function signInClient(
  { config }: { readonly config: Config },
  request: { readonly email: string; readonly network: string; readonly knownBrowser: string | undefined },
): Promise<SignInClient> {
  const [, browserId, signature] = KNOWN_BROWSER.exec(request.knownBrowser ?? "") ?? [];
  const isKnown =
    browserId !== undefined &&
    signature !== undefined &&
    (await isSignedFor(config, "known browser", {
      text: signedText(request.email, browserId),
      signature: fromBase64Url(signature),
    }));
  return isKnown ? { id: `browser:${browserId}`, isKnown } : { id: `network:${request.network}`, isKnown };
}
