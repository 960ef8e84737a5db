import { z } from "@hono/zod-openapi";
import { toBase64 } from "#core/encoding.ts";
import { type Answer, call, isOk, read, retryAfterSeconds } from "./answer.ts";
import type { AppCredentials, Fault, Result, PlatformClient } from "./contract.ts";
import { failed, rateLimited, reconnect, rejected, succeeded, temporary } from "./fault.ts";
import { type Fields, postForm } from "./form.ts";

/*
 * The token calls of RFC 6749, as most platforms speak them. Which errors mean that a grant is dead differs, so every
 * caller names its own.
 */

/** Lifetimes come as numbers, and from some platforms as text. */
const Seconds = z.coerce.number().nonnegative();

/** What a token endpoint gave. */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number | null;
  readonly refreshExpiresInSeconds: number | null;
  /** Null when the answer does not say. */
  readonly scopes: readonly string[] | null;
  readonly json: unknown;
}

const Tokens = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: Seconds.nullish(),
  refresh_token_expires_in: Seconds.nullish(),
  refresh_expires_in: Seconds.nullish(),
  scope: z.string().nullish(),
});

/** Words of RFC 6749 and their like; anything else in that place could be whatever the platform was sent. */
const ErrorWord = z.string().regex(/^[a-z_]{1,60}$/);

const OAuthError = z.looseObject({ error: ErrorWord, error_description: z.string().nullish() });

export interface TokenCall {
  readonly url: string;
  readonly fields: Fields;
  /** Client credentials in an `Authorization: Basic` header; without it the caller puts them into `fields`. */
  readonly basic?: AppCredentials;
  readonly headers?: Record<string, string>;
  /** Values of `error` that mean the grant (a code, a refresh token) is dead; `invalid_grant` always does. */
  readonly deadErrors?: readonly string[];
}

/** Client id and secret as RFC 6749 wants them in a header. */
export function basicAuthorization(app: AppCredentials): Record<string, string> {
  const pair = `${encodeURIComponent(app.clientId)}:${encodeURIComponent(app.clientSecret)}`;
  return { authorization: `Basic ${toBase64(new TextEncoder().encode(pair))}` };
}

export function splitScopes(scope: string): readonly string[] {
  return scope.split(/[\s,]+/).filter((word) => word !== "");
}

/** Scopes asked for and not granted. */
export function missingFrom(wanted: readonly string[], granted: readonly string[]): readonly string[] {
  return wanted.filter((scope) => !granted.includes(scope));
}

export function readTokens(answer: Answer): TokenAnswer | undefined {
  const tokens = read(Tokens, answer);
  return (
    tokens && {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? null,
      expiresInSeconds: tokens.expires_in ?? null,
      refreshExpiresInSeconds: tokens.refresh_token_expires_in ?? tokens.refresh_expires_in ?? null,
      scopes: typeof tokens.scope === "string" ? splitScopes(tokens.scope) : null,
      json: answer.json,
    }
  );
}

/** Tells a dead grant from an endpoint that merely did not answer: the first costs the person a login. */
export function tokenFault(answer: Answer, deadErrors: readonly string[] = []): Fault {
  const error = read(OAuthError, answer)?.error ?? null;
  const source = {
    httpStatus: answer.status,
    platformCode: error,
    retryAfterSeconds: retryAfterSeconds(answer.headers),
  };
  if (answer.status === 429) {
    return rateLimited("The platform takes no more logins for the moment.", source);
  }
  if (error === "invalid_client" || error === "unauthorized_client") {
    return misconfigured(source.httpStatus, error);
  }
  if (answer.status < 500 && error !== null && (error === "invalid_grant" || deadErrors.includes(error))) {
    return reconnect("The platform no longer accepts this login. Connect the account again.", source);
  }
  return temporary("The platform did not answer the token request as expected.", source);
}

/** The operator's app credentials are refused: no person can help, and no login is dead because of it. */
export function misconfigured(httpStatus: number | null, platformCode: string | null): Fault {
  return temporary(
    "The platform does not accept this service's app credentials.",
    { httpStatus, platformCode },
    { code: "app_misconfigured", category: "permission", whoMustAct: "operator" },
  );
}

function unreachable(): Fault {
  return temporary("The platform could not be reached.", { httpStatus: null });
}

/** One call of the token endpoint; a lost connection is a passing fault. */
export async function requestTokens(client: PlatformClient, request: TokenCall): Promise<Result<TokenAnswer>> {
  const headers = { ...request.headers, ...(request.basic && basicAuthorization(request.basic)) };
  return await guarded(async () => {
    const answer = await call(client, request.url, postForm(request.fields, headers));
    const tokens = isOk(answer) ? readTokens(answer) : undefined;
    return tokens ? succeeded(tokens) : failed(tokenFault(answer, request.deadErrors));
  });
}

/** Connecting answers with values: what the client throws becomes a passing fault. */
export async function guarded<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch {
    return failed(unreachable());
  }
}

export function expiry(now: number, seconds: number | null): number | null {
  return seconds === null ? null : now + seconds * 1000;
}

/** The code the browser brought back, or why there is none. */
export function codeFrom(params: Readonly<Record<string, string>>): Result<string> {
  const code = params["code"]?.replace(/#_(=_)?$/, "");
  if (code) {
    return succeeded(code);
  }
  const error = ErrorWord.safeParse(params["error"]).data ?? "no_code";
  const cancelled =
    error === "access_denied" || error === "user_cancelled_login" || error === "user_cancelled_authorize";
  return failed(
    rejected(
      cancelled ? "The login was cancelled." : "The platform sent no login code back.",
      { httpStatus: null, platformCode: error },
      { code: cancelled ? "login_cancelled" : "login_refused", category: "auth" },
    ),
  );
}
