import type { TargetErrorCode } from "#core/codes.ts";
import { z } from "@hono/zod-openapi";
import { toBase64 } from "#core/encoding.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody, retryAfterSeconds } from "./response.ts";
import { AddressRefused } from "./client.ts";
import type { AppCredentials, Fault, FaultCode, Result, PlatformClient } from "./contract.ts";
import { failed, rateLimited, reconnect, rejected, succeeded, temporary } from "./fault.ts";
import { type RequestFields, postForm } from "./request-encoding.ts";

/*
 * Token requests of RFC 6749 (OAuth 2.0). Platforms differ in the errors that mean an ended grant, so each caller passes
 * its own.
 */

/** Lifetimes are numbers, but some platforms send them as text. */
const Seconds = z.coerce.number().nonnegative();

/** The tokens that a token endpoint returned. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number | null;
  readonly refreshExpiresInSeconds: number | null;
  /** Null when the response does not name them. */
  readonly scopes: readonly string[] | null;
  /** The whole body, for fields that only one platform sends. */
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

/** Error codes in the format of RFC 6749; any other text could repeat what the platform was sent, such as a token. */
const OAuthErrorCode = z.string().regex(/^[a-z_]{1,60}$/);

const OAuthErrorBody = z.looseObject({ error: OAuthErrorCode, error_description: z.string().nullish() });

export interface TokenRequest {
  readonly url: string;
  readonly fields: RequestFields;
  /** Client credentials in an `Authorization: Basic` header; without it the caller puts them into `fields`. */
  readonly basic?: AppCredentials;
  readonly headers?: Record<string, string>;
  /** Values of `error` that mean that the grant (a code, a refresh token) has ended, besides `invalid_grant`. */
  readonly invalidGrantErrors?: readonly string[];
}

/** Client id and secret in an `Authorization: Basic` header, each percent-encoded first (RFC 6749, section 2.3.1). */
export function basicAuthorization(app: AppCredentials): Record<string, string> {
  const pair = `${encodeURIComponent(app.clientId)}:${encodeURIComponent(app.clientSecret)}`;
  return { authorization: `Basic ${toBase64(new TextEncoder().encode(pair))}` };
}

export function splitScopes(scope: string): readonly string[] {
  return scope.split(/[\s,]+/).filter((name) => name !== "");
}

/** Scopes that were requested but not granted. */
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

/** Distinguishes an ended grant, after which the user has to log in again, from an endpoint that only failed to response. */
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

/** The platform refused the operator's app credentials: logging in again would not help, and no grant has ended. */
export function appMisconfigured(httpStatus: number | null, platformCode: string | null): Fault {
  return temporary(
    "The platform does not accept this service's app credentials.",
    { httpStatus, platformCode },
    { code: "app_misconfigured", category: "permission", whoMustAct: "operator" },
  );
}

/** The app with its next secret; undefined where the operator has set none. */
function withNextSecret(app: AppCredentials): AppCredentials | undefined {
  const { nextClientSecret: clientSecret, ...rest } = app;
  return clientSecret === undefined ? undefined : { ...rest, clientSecret };
}

/**
 * Calls with the app's secret, and once more with its next one if the platform does not accept the first: while an operator replaces a
 * secret, nobody knows when the platform begins to refuse the old one. A refusal of the app has used neither a code nor a token.
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

/** One call of the token endpoint; a lost connection is a temporary fault. */
export async function requestTokens(client: PlatformClient, request: TokenRequest): Promise<Result<TokenResponse>> {
  const headers = { ...request.headers, ...(request.basic && basicAuthorization(request.basic)) };
  return await catchConnectionErrors(async () => {
    const response = await callPlatform(client, request.url, postForm(request.fields, headers));
    const tokens = isOk(response) ? readTokens(response) : undefined;
    return tokens ? succeeded(tokens) : failed(tokenFault(response, request.invalidGrantErrors));
  });
}

/** Connector functions return faults: what the client throws becomes a temporary fault, and a host that is not public a rejection. */
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

/** The authorization code of a callback, or the reason why there is none. Some login dialogs append `#_` or `#_=_` to it. */
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
