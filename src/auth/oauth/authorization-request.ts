import type { Scope } from "#core/scope.ts";
import type { Config } from "#config.ts";
import { isRegisteredRedirectUri, isUsableRedirectUri, appendParameters } from "./redirect-uri.ts";
import type { OAuthErrorCode } from "./oauth-refusal.ts";
import { findResource, supportedResources } from "./resource.ts";
import { parseScopeParameter } from "./parse-scopes.ts";
import type { Client } from "./store.ts";

export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
  /** Which server the app wants access to: the URL of the API or of the MCP server. */
  readonly resource: string;
  readonly state: string | undefined;
  readonly codeChallenge: string;
}

export type RequestValidation =
  /**
   * An error that only this service's page may show. The redirect URI is not validated, so the browser must not be sent
   * to it.
   */
  | { readonly kind: "show_error"; readonly message: string }
  /**
   * An error that goes back to the app. The app registered `redirectUri` itself, so this address is valid but not
   * trusted by the user.
   */
  | {
      readonly kind: "client_error";
      readonly clientId: string;
      readonly redirectUri: string;
      readonly description: string;
      readonly location: string;
    }
  | { readonly kind: "valid"; readonly request: AuthorizationRequest };

const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the parameters by name, and lists the names that occur twice. RFC 6749 3.1 forbids repeated parameters; RFC
 * 8707 allows them for `resource`.
 */
export function parseParameters(params: URLSearchParams): {
  values: Readonly<Record<string, string | undefined>>;
  resources: string[];
  repeated: string[];
} {
  const names = [...new Set(params.keys())].filter((name) => name !== "resource");
  return {
    // A parameter without a value counts as missing (RFC 6749 3.1).
    values: Object.fromEntries(names.map((name) => [name, params.get(name) || undefined])),
    resources: params.getAll("resource").filter((value) => value !== ""),
    repeated: names.filter((name) => params.getAll(name).length > 1),
  };
}

/** The client id in a request's parameters; undefined if there is none or more than one. */
export function requestedClientId(params: URLSearchParams): string | undefined {
  const clientIds = params.getAll("client_id");
  return clientIds.length === 1 ? clientIds[0] : undefined;
}

/**
 * Validates an app's request for access. An error may go to the redirect URI only after the client and this URI are
 * validated.
 */
export function validateRequest(
  config: Pick<Config, "authUrl" | "baseUrl" | "mcpUrl">,
  client: Client | null,
  params: URLSearchParams,
): RequestValidation {
  if (client === null) {
    return { kind: "show_error", message: "The app that sent you here is not registered with this service." };
  }
  const { values, resources, repeated } = parseParameters(params);
  const redirectUri = repeated.includes("redirect_uri")
    ? undefined
    : (values["redirect_uri"] ?? onlyRedirectUri(client));
  if (redirectUri === undefined || !isRegisteredRedirectUri(client.redirectUris, redirectUri)) {
    return {
      kind: "show_error",
      message: "The app asked to send you to an address that it has not registered. Nothing was sent there.",
    };
  }
  const state = repeated.includes("state") ? undefined : values["state"];
  const clientError = (code: OAuthErrorCode, description: string): RequestValidation => ({
    kind: "client_error",
    clientId: client.id,
    redirectUri,
    description,
    location: responseLocation(config, { redirectUri, state }, { error: code, error_description: description }),
  });
  if (repeated[0] !== undefined) {
    return clientError("invalid_request", "a parameter was sent more than once");
  }
  if (values["request"] !== undefined || values["request_uri"] !== undefined) {
    return clientError("request_not_supported", "request objects are not supported");
  }
  if (values["response_type"] === undefined) {
    return clientError("invalid_request", "response_type is missing");
  }
  if (values["response_type"] !== "code") {
    return clientError("unsupported_response_type", "response_type must be code");
  }
  if ((values["response_mode"] ?? "query") !== "query") {
    return clientError("invalid_request", "response_mode must be query");
  }
  const codeChallenge = values["code_challenge"];
  if (
    codeChallenge === undefined ||
    values["code_challenge_method"] !== "S256" ||
    !CODE_CHALLENGE.test(codeChallenge)
  ) {
    return clientError("invalid_request", "PKCE with code_challenge_method S256 is required");
  }
  const resource = findResource(config, resources);
  if (resource === null) {
    return clientError("invalid_target", supportedResources(config));
  }
  const scopes = parseScopeParameter(values["scope"]);
  if (scopes === null) {
    return clientError("invalid_scope", "none of the requested scopes exists");
  }
  return {
    kind: "valid",
    request: { client, redirectUri, scopes, resource: resource ?? config.baseUrl, state, codeChallenge },
  };
}

/** The client's redirect URI if it has only one. The request may then omit the parameter (RFC 6749 3.1.2.3). */
function onlyRedirectUri(client: Client): string | undefined {
  const usable = client.redirectUris.filter(isUsableRedirectUri);
  return usable.length === 1 ? usable[0] : undefined;
}

/**
 * The URL with which the browser returns to the app. `iss` names the server that answered (RFC 9207, issuer
 * identification).
 */
export function responseLocation(
  config: Pick<Config, "authUrl">,
  request: Pick<AuthorizationRequest, "redirectUri" | "state">,
  parameters: Record<string, string>,
): string {
  return appendParameters(request.redirectUri, { ...parameters, state: request.state, iss: config.authUrl });
}
