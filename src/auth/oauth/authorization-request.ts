import type { Scope } from "#core/scope.ts";
import type { Config } from "#config.ts";
import { isAllowed, isUsable, withAnswer } from "./redirect-uri.ts";
import type { OAuthErrorCode } from "./refusal.ts";
import { isOurResource } from "./resource.ts";
import { readScopes } from "./scope-words.ts";
import type { Client } from "./store.ts";

/** What a client asks a person for, proved in every part. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
  readonly state: string | undefined;
  readonly codeChallenge: string;
}

export type ReadRequest =
  /** Nobody to send the answer to: only the person may read it. */
  | { readonly kind: "unanswerable"; readonly message: string }
  | { readonly kind: "refused"; readonly location: string }
  | { readonly kind: "valid"; readonly request: AuthorizationRequest };

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Single values by name; the names that came twice are listed (RFC 6749 3.1 forbids it, RFC 8707 allows it for `resource`). */
export function readParameters(params: URLSearchParams): {
  values: Readonly<Record<string, string | undefined>>;
  resources: string[];
  repeated: string[];
} {
  const names = [...new Set(params.keys())].filter((name) => name !== "resource");
  return {
    // A parameter without a value counts as absent (RFC 6749 3.1).
    values: Object.fromEntries(names.map((name) => [name, params.get(name) || undefined])),
    resources: params.getAll("resource").filter((value) => value !== ""),
    repeated: names.filter((name) => params.getAll(name).length > 1),
  };
}

/** The id a request names; undefined when it names none or several. */
export function namedClient(params: URLSearchParams): string | undefined {
  const named = params.getAll("client_id");
  return named.length === 1 ? named[0] : undefined;
}

/** Checks a request for a client that was looked up. Redirects happen only once client and address are proven. */
export function readRequest(
  config: Pick<Config, "authUrl" | "baseUrl">,
  client: Client | null,
  params: URLSearchParams,
): ReadRequest {
  if (client === null) {
    return { kind: "unanswerable", message: "The app that sent you here is not known to this service." };
  }
  const { values, resources, repeated } = readParameters(params);
  const redirectUri = repeated.includes("redirect_uri") ? undefined : (values["redirect_uri"] ?? onlyAddress(client));
  if (redirectUri === undefined || !isAllowed(client.redirectUris, redirectUri)) {
    return {
      kind: "unanswerable",
      message: "The app wants the answer at an address that it did not register. Nothing was sent there.",
    };
  }
  const state = repeated.includes("state") ? undefined : values["state"];
  const refused = (code: OAuthErrorCode, description: string): ReadRequest => ({
    kind: "refused",
    location: answerLocation(config, { redirectUri, state }, { error: code, error_description: description }),
  });
  if (repeated[0] !== undefined) {
    return refused("invalid_request", "a parameter was sent more than once");
  }
  if (values["request"] !== undefined || values["request_uri"] !== undefined) {
    return refused("request_not_supported", "request objects are not supported");
  }
  if (values["response_type"] === undefined) {
    return refused("invalid_request", "response_type is missing");
  }
  if (values["response_type"] !== "code") {
    return refused("unsupported_response_type", "response_type must be code");
  }
  if ((values["response_mode"] ?? "query") !== "query") {
    return refused("invalid_request", "response_mode must be query");
  }
  const codeChallenge = values["code_challenge"];
  if (codeChallenge === undefined || values["code_challenge_method"] !== "S256" || !CHALLENGE.test(codeChallenge)) {
    return refused("invalid_request", "PKCE with code_challenge_method S256 is required");
  }
  if (!isOurResource(config, resources)) {
    return refused("invalid_target", `the only resource here is ${config.baseUrl}`);
  }
  const scopes = readScopes(values["scope"]);
  if (scopes === null) {
    return refused("invalid_scope", "none of the scopes exists");
  }
  return { kind: "valid", request: { client, redirectUri, scopes, state, codeChallenge } };
}

/** A client with a single address need not repeat it (RFC 6749 3.1.2.3). */
function onlyAddress(client: Client): string | undefined {
  const usable = client.redirectUris.filter(isUsable);
  return usable.length === 1 ? usable[0] : undefined;
}

/** Where the browser goes with an answer; `iss` tells the client whose answer it is (RFC 9207). */
export function answerLocation(
  config: Pick<Config, "authUrl">,
  request: Pick<AuthorizationRequest, "redirectUri" | "state">,
  answer: Record<string, string>,
): string {
  return withAnswer(request.redirectUri, { ...answer, state: request.state, iss: config.authUrl });
}
