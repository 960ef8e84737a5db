import { z } from "@hono/zod-openapi";
import type { AppCredentials, PlatformClient, CredentialCheck } from "./contract.ts";
import { sanitizeMessage } from "./fault.ts";
import { postForm } from "./request-encoding.ts";
import { callPlatform, type PlatformResponse, parseBody } from "./response.ts";

/**
 * The check of the operator's credentials sends this as a grant. No platform issued it, so a platform that accepts the
 * app complains about the grant.
 */
export const UNKNOWN_GRANT = "almanac-checks-its-credentials";

const OAuthAnswer = z.looseObject({
  access_token: z.string().min(1).optional(),
  error: z.string().optional(),
  error_description: z.string().nullish(),
});

/** The error in a token endpoint's answer, with the members of RFC 6749, 5.2. */
export interface OAuthWords {
  /** The error word. Empty if the answer has none. */
  readonly error: string;
  readonly description: string;
  /** True if the platform unexpectedly accepted the grant and issued a token. */
  readonly hasToken: boolean;
}

export function oauthWords(response: PlatformResponse): OAuthWords {
  const answer = parseBody(OAuthAnswer, response);
  return {
    error: answer?.error ?? "",
    description: answer?.error_description ?? "",
    hasToken: answer?.access_token !== undefined,
  };
}

/** Removes the app's secret, which a platform may repeat, and everything that looks like a token. */
function publicWords(app: AppCredentials, words: string): string {
  return sanitizeMessage(app.clientSecret === "" ? words : words.replaceAll(app.clientSecret, "…"));
}

/** Wraps a client so that it remembers whether a call got no answer, which a fault does not show. */
export function rememberLostCalls(client: PlatformClient): PlatformClient & { readonly hasLostCall: boolean } {
  let hasLostCall = false;
  return {
    get hasLostCall() {
      return hasLostCall;
    },
    async fetch(url, init) {
      try {
        return await client.fetch(url, init);
      } catch (error) {
        hasLostCall = true;
        throw error;
      }
    },
  };
}

/**
 * Requests tokens with a refresh token that nobody issued, to see whether the platform accepts the app. The app
 * authenticates with `headers`, or else in the form (RFC 6749, section 2.3.1).
 */
export async function refreshUnknownGrant(
  client: PlatformClient,
  url: string,
  app: AppCredentials,
  headers?: Record<string, string>,
): Promise<PlatformResponse> {
  const grant = { grant_type: "refresh_token", refresh_token: UNKNOWN_GRANT };
  return await callPlatform(
    client,
    url,
    headers === undefined
      ? postForm({ ...grant, client_id: app.clientId, client_secret: app.clientSecret })
      : postForm(grant, headers),
  );
}

/**
 * Judges a platform's answer and adds its words. This happens here, so that no adapter forgets to remove secrets from
 * them.
 */
export async function checkAnswer(
  app: AppCredentials,
  send: () => Promise<PlatformResponse>,
  judge: (response: PlatformResponse) => { readonly state: "accepted" | "refused" | "unknown"; readonly words: string },
): Promise<CredentialCheck> {
  let response: PlatformResponse;
  try {
    response = await send();
  } catch {
    return { state: "unreachable", words: "" };
  }
  const { state, words } = judge(response);
  const text = words === "" ? `HTTP ${response.status} without words that are known` : words;
  return { state, words: state === "accepted" ? publicWords(app, words) : publicWords(app, text) };
}

/** Judges an answer in the form of RFC 6749 by its error word. */
export function judgeOAuth(rules: {
  /** Whether these words complain about the grant, which means that the platform accepts the app. */
  readonly accepts: (words: OAuthWords) => boolean;
  /** Error words with which the platform refuses the app. */
  readonly refusals: readonly string[];
}): Parameters<typeof checkAnswer>[2] {
  return (response) => {
    const words = oauthWords(response);
    const text = [words.error, words.description].filter((part) => part !== "").join(": ");
    if (rules.refusals.includes(words.error)) {
      return { state: "refused", words: text };
    }
    return { state: rules.accepts(words) ? "accepted" : "unknown", words: text };
  };
}
