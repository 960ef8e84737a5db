import type { TargetErrorCode } from "#core/codes.ts";
import { z } from "@hono/zod-openapi";
import { toBase64 } from "#core/encoding.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody, retryAfterSeconds } from "./response.ts";
import { AddressRefused } from "./client.ts";
import type { AppCredentials, Fault, FaultCode, Result, PlatformClient } from "./contract.ts";
import { failed, rateLimited, reconnect, rejected, succeeded, temporary } from "./fault.ts";
import { type RequestFields, postForm } from "./request-encoding.ts";

/* Token requests of RFC 6749 (OAuth 2.0). Each caller passes the errors with which its platform reports an ended
   grant. */

/** A lifetime in seconds, which some platforms send as text. */
const Seconds = z.coerce.number().nonnegative();

export interface TokenResponse {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number | null;
  readonly refreshExpiresInSeconds: number | null;
  /** The granted scopes. Null if the response names none. */
  readonly scopes: readonly string[] | null;
  /** The whole body, because some platforms send further fields. */
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

/**
 * Matches error codes in the form of RFC 6749. Any other text is not shown, because it could repeat what the service
 * sent, such as a token.
 */
const OAuthErrorCode = z.string().regex(/^[a-z_]{1,60}$/);

const OAuthErrorBody = z.looseObject({ error: OAuthErrorCode, error_description: z.string().nullish() });

export interface TokenRequest {
  readonly url: string;
  readonly fields: RequestFields;
  /** The credentials for an `Authorization: Basic` header. If it is absent, the caller puts them into `fields`. */
  readonly basic?: AppCredentials;
  readonly headers?: Record<string, string>;
  /** Values of `error` that mean an ended grant (a code or a refresh token), in addition to `invalid_grant`. */
  readonly invalidGrantErrors?: readonly string[];
}

/** An `Authorization: Basic` header of client id and secret, each percent-encoded first (RFC 6749, section 2.3.1). */
export function basicAuthorization(app: AppCredentials): Record<string, string> {
  const pair = `${encodeURIComponent(app.clientId)}:${encodeURIComponent(app.clientSecret)}`;
  return { authorization: `Basic ${toBase64(new TextEncoder().encode(pair))}` };
}

export function splitScopes(scope: string): readonly string[] {
  return scope.split(/[\s,]+/).filter((name) => name !== "");
}

/** The scopes that the login requested but the user did not grant. */
export function findMissingScopes(requested: readonly string[], granted: readonly string[]): readonly string[] {
  return requested.filter((scope) => !granted.includes(scope));
}

export function readTokens(response: PlatformResponse): TokenResponse | undefined {
  const tokens = parseBody(Tokens, response);
  return (
    tokens && {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? null,
      expiresInSeconds: tokens.expires_in ?? null,
      refreshExpiresInSeconds: tokens.refresh_token_expires_in ?? tokens.refresh_expires_in ?? null,
      scopes: typeof tokens.scope === "string" ? splitScopes(tokens.scope) : null,
      json: response.json,
    }
  );
}

/**
 * The fault of a token response. It tells an ended grant, after which the user must log in again, from an endpoint that
 * only failed to answer.
 */
export function tokenFault(response: PlatformResponse, invalidGrantErrors: readonly string[] = []): Fault {
  const error = parseBody(OAuthErrorBody, response)?.error ?? null;
  const source = {
    httpStatus: response.status,
    platformCode: error,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  };
  if (response.status === 429) {
    return rateLimited("The platform accepts no more logins at the moment.", source);
  }
  if (error === "invalid_client" || error === "unauthorized_client") {
    return appMisconfigured(source.httpStatus, error);
  }
  if (response.status < 500 && error !== null && (error === "invalid_grant" || invalidGrantErrors.includes(error))) {
    return reconnect("The platform no longer accepts this login. Connect the account again.", source);
  }
  return temporary("The platform did not response the token request as expected.", source);
}

/**
 * The fault if the platform refused the operator's app credentials. No grant has ended, so another login would not
 * help.
 */
export function appMisconfigured(httpStatus: number | null, platformCode: string | null): Fault {
  return temporary(
    "The platform does not accept this service's app credentials.",
    { httpStatus, platformCode },
    { code: "app_misconfigured", category: "permission", whoMustAct: "operator" },
  );
}

function withNextSecret(app: AppCredentials): AppCredentials | undefined {
  const { nextClientSecret: clientSecret, ...rest } = app;
  return clientSecret === undefined ? undefined : { ...rest, clientSecret };
}

/**
 * Makes a call with the app's secret, and again with the next secret if the platform refuses the first. Nobody knows
 * when a platform drops an old secret that the operator replaces. A refusal of the app uses up neither a code nor a
 * token.
 */
export async function withEitherSecret<T, Code extends FaultCode = TargetErrorCode>(
  app: AppCredentials,
  call: (app: AppCredentials) => Promise<Result<T, Code>>,
): Promise<Result<T, Code>> {
  const result = await call(app);
  const next = withNextSecret(app);
  return !result.ok && result.fault.code === "app_misconfigured" && next ? await call(next) : result;
}

function unreachable(): Fault {
  return temporary("The platform could not be reached.", { httpStatus: null });
}

/** Calls the token endpoint once. A lost connection is a temporary fault. */
export async function requestTokens(client: PlatformClient, request: TokenRequest): Promise<Result<TokenResponse>> {
  const headers = { ...request.headers, ...(request.basic && basicAuthorization(request.basic)) };
  return await catchConnectionErrors(async () => {
    const response = await callPlatform(client, request.url, postForm(request.fields, headers));
    const tokens = isOk(response) ? readTokens(response) : undefined;
    return tokens ? succeeded(tokens) : failed(tokenFault(response, request.invalidGrantErrors));
  });
}

/**
 * Turns exceptions of a client into faults: a lost connection is temporary, a host that is not public is a rejection.
 */
export async function catchConnectionErrors<T, Code extends FaultCode = TargetErrorCode>(
  work: () => Promise<Result<T, Code>>,
): Promise<Result<T, Code | TargetErrorCode>> {
  try {
    return await work();
  } catch (error) {
    return failed(error instanceof AddressRefused ? notPublic(error) : unreachable());
  }
}

function notPublic(error: AddressRefused): Fault {
  return rejected(error.message, { httpStatus: null }, { code: "server_not_public", category: "permission" });
}

export function expiresAtFrom(now: number, seconds: number | null): number | null {
  return seconds === null ? null : now + seconds * 1000;
}

/** The authorization code of a callback, or why there is none. Some login dialogs append `#_` or `#_=_` to the code. */
export function authorizationCode(params: Readonly<Record<string, string>>): Result<string, FaultCode> {
  const code = params["code"]?.replace(/#_(=_)?$/, "");
  if (code) {
    return succeeded(code);
  }
  const error = OAuthErrorCode.safeParse(params["error"]).data ?? "no_code";
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
