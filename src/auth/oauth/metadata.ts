import { SCOPES } from "#core/scope.ts";
import type { Config } from "#config.ts";

type ServerUrls = Pick<Config, "authUrl" | "baseUrl" | "mcpUrl" | "docsUrl">;

/** The metadata of the authorization server (RFC 8414). */
export function serverMetadata({ authUrl, baseUrl, mcpUrl, docsUrl }: ServerUrls) {
  return {
    issuer: authUrl,
    authorization_endpoint: `${authUrl}/oauth/authorize`,
    token_endpoint: `${authUrl}/oauth/token`,
    revocation_endpoint: `${authUrl}/oauth/revoke`,
    registration_endpoint: `${authUrl}/oauth/register`,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [baseUrl, mcpUrl],
    service_documentation: docsUrl,
  };
}

/** The metadata of a protected resource (RFC 9728): its URL and the server that issues tokens for it. */
export function resourceMetadata({ authUrl, mcpUrl, docsUrl }: ServerUrls, resource: string) {
  return {
    resource,
    authorization_servers: [authUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: resource === mcpUrl ? "Almanac (MCP server)" : "Almanac",
    resource_documentation: docsUrl,
  };
}
