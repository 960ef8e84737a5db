import type { Call } from "./call.ts";

/* Error bodies and their texts (docs/platforms/facts/mastodon.md 1.4, part 3, 4.3 and part 5). */

/**
 * The language of a translated text comes, in this order, from `lang`, the locale of the token's user, Accept-Language and the locale of
 * the instance (M concerns/api localized.rb). The setting `language` is the locale of users and instance.
 */
function isGerman({ request, url, settings }: Call): boolean {
  const lang = url.searchParams.get("lang");
  if (lang !== null) {
    return lang === "de";
  }
  const isUserCall = request.headers.has("authorization");
  const accepted = request.headers.get("accept-language");
  return isUserCall || accepted === null ? settings.language === "de" : accepted.toLowerCase().startsWith("de");
}

export type Translated = readonly [english: string, german: string];

/**
 * The status that the instance sends for Mastodon's status: GoToSocial answers 400 where Mastodon answers 422 (7 in the
 * facts).
 */
const statusFor = ({ instance }: Call, status: number): number =>
  status === 422 && instance.isGoToSocial ? 400 : status;

/** An error whose text is English in every locale. */
export const fixedError = (call: Call, status: number, error: string): Response =>
  Response.json({ error }, { status: statusFor(call, status) });

export const translatedError = (call: Call, status: number, [english, german]: Translated): Response =>
  fixedError(call, status, isGerman(call) ? german : english);

export const validationError = (call: Call, [english, german]: Translated): Response =>
  translatedError(call, 422, [`Validation failed: ${english}`, `Gültigkeitsprüfung fehlgeschlagen: ${german}`]);

const html = (status: number, title: string): Response =>
  new Response(`<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`, {
    status,
    headers: { "content-type": "text/html; charset=utf-8" },
  });

/** The response of a front end such as nginx whose server takes too long. */
export const gatewayTimeout = (): Response => html(504, "504 Gateway Time-out");
export const bodyTooLarge = (): Response => html(413, "413 Request Entity Too Large");

/**
 * An error as a page of the instance: errors of the authorization request never reach the callback (1.3 in the facts).
 */
export const errorPage = (status: number, text: string): Response => html(status, text);

export const missingUserAgent = (call: Call): Response =>
  fixedError(call, 418, "I'm a teapot: no user-agent sent with request");
export const recordNotFound = (call: Call): Response => fixedError(call, 404, "Record not found");
export const outsideScopes = (call: Call): Response =>
  fixedError(call, 403, "This action is outside the authorized scopes");
export const loginDisabled = (call: Call): Response => fixedError(call, 403, "Your login is currently disabled");
export const temporaryProblem = (call: Call): Response =>
  fixedError(call, 503, "There was a temporary problem serving your request, please try again");
export const tooManyRequests = (call: Call): Response =>
  translatedError(call, 429, ["Too many requests", "Zu viele Anfragen"]);

/** An error with status 500. Without `Accept: application/json` it is HTML (5 in the facts). */
export function internalError(call: Call, error: string): Response {
  return call.request.headers.get("accept")?.includes("application/json")
    ? fixedError(call, 500, error)
    : html(500, "We're sorry, but something went wrong on our end.");
}

export function routeNotFound(call: Call): Response {
  return call.request.headers.get("accept")?.includes("application/json")
    ? fixedError(call, 404, "Not Found")
    : html(404, "The page you are looking for isn't here.");
}

export type TokenProblem = "invalid" | "revoked" | "expired";

const TOKEN_TEXTS: Readonly<Record<TokenProblem, Translated>> = {
  invalid: ["The access token is invalid", "Das Zugriffstoken ist ungültig"],
  revoked: ["The access token was revoked", "Das Zugriffstoken wurde widerrufen"],
  expired: ["The access token expired", "Das Zugriffstoken ist abgelaufen"],
};

export const tokenRefused = (call: Call, problem: TokenProblem): Response =>
  translatedError(call, 401, TOKEN_TEXTS[problem]);

const OAUTH_ERRORS = {
  invalid_client: [
    401,
    "Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.",
    "Client-Authentifizierung fehlgeschlagen: Client unbekannt, keine Authentifizierung mitgeliefert oder Methode nicht unterstützt.",
  ],
  invalid_grant: [
    400,
    "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.",
    "Die Zugriffsberechtigung ist ungültig, abgelaufen, widerrufen oder einem anderen Client ausgestellt.",
  ],
  invalid_scope: [
    400,
    "The requested scope is invalid, unknown, or malformed.",
    "Die angeforderten Berechtigungen sind ungültig, unbekannt oder fehlerhaft.",
  ],
  unsupported_grant_type: [
    400,
    "The authorization grant type is not supported by the authorization server.",
    "Der Autorisierungstyp wird nicht unterstützt.",
  ],
  unauthorized_client: [
    403,
    "You are not authorized to revoke this token",
    "Du bist nicht berechtigt, dieses Token zu widerrufen",
  ],
} as const satisfies Record<string, readonly [number, string, string]>;

function oauthErrorResponse(call: Call, status: number, error: string, [english, german]: Translated): Response {
  return Response.json({ error, error_description: isGerman(call) ? german : english }, { status });
}

export function oauthError(call: Call, error: keyof typeof OAUTH_ERRORS): Response {
  const [status, english, german] = OAUTH_ERRORS[error];
  return oauthErrorResponse(call, status, error, [english, german]);
}

export const invalidOauthRequest = (call: Call, description: string): Response =>
  oauthErrorResponse(call, 400, "invalid_request", [description, description]);

export const missingOauthParam = (call: Call, name: string): Response =>
  oauthErrorResponse(call, 400, "invalid_request", [
    `Missing required parameter: ${name}.`,
    `Erforderlicher Parameter fehlt: ${name}.`,
  ]);
