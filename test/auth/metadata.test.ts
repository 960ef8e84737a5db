import { describe, test } from "vitest";
import { SCOPES } from "#core/scope.ts";
import { openApiDocument } from "../support/openapi-document.ts";
import {
  authorizePath,
  ORIGIN,
  createPkcePair,
  registerClient,
  signInNewUser,
  createServiceFixture,
} from "./service-fixture.ts";

const service = createServiceFixture();

async function document(path: string): Promise<Record<string, unknown>> {
  const response = await service.fetch(path);
  return response.json<Record<string, unknown>>();
}

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";

describe("F. Metadata", () => {
  test("F62 the issuer is AUTH_URL, byte for byte", async ({ expect }) => {
    expect(await document(SERVER)).toMatchObject({ issuer: ORIGIN });
    const otherIssuer = createServiceFixture({ AUTH_URL: "https://id.example" });
    expect(await (await otherIssuer.fetch(SERVER)).json()).toMatchObject({
      issuer: "https://id.example",
      token_endpoint: "https://id.example/oauth/token",
    });
  });

  test("F63 the resource metadata is served at the path-inserted URL and at the URL without path", async ({
    expect,
  }) => {
    const inserted = await document(`${RESOURCE}/v1`);
    expect(inserted).toMatchObject({
      resource: `${ORIGIN}/v1`,
      authorization_servers: [ORIGIN],
      scopes_supported: SCOPES,
    });
    expect(await document(RESOURCE)).toEqual(inserted);
    expect(await document(`${RESOURCE}/mcp`)).toEqual({
      ...inserted,
      resource: `${ORIGIN}/mcp`,
      resource_name: "Almanac (MCP server)",
    });
    expect(await document(SERVER)).toMatchObject({ protected_resources: [`${ORIGIN}/v1`, `${ORIGIN}/mcp`] });
    for (const other of ["/v2", "/mcp/", "/mcp/x", "/v1/", "/v1/posts", "/"]) {
      expect((await service.fetch(`${RESOURCE}${other}`)).status, other).toBe(404);
    }
  });

  test("F64 S256, iss and metadata documents are advertised, and every endpoint responds", async ({ expect }) => {
    const server = await document(SERVER);
    expect(server).toMatchObject({
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      grant_types_supported: ["authorization_code", "refresh_token"],
      response_types_supported: ["code"],
      scopes_supported: SCOPES,
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    });
    const { browser } = await signInNewUser(service);
    const app = await registerClient(service);
    const path = authorizePath(app.id, createPkcePair().challenge);
    expect(`${ORIGIN}${path}`.startsWith(String(server["authorization_endpoint"]))).toBe(true);
    expect((await browser.get(path)).status).toBe(200);
    for (const name of ["token_endpoint", "revocation_endpoint", "registration_endpoint"]) {
      const response = await service.fetch(String(server[name]), { method: "POST", body: new URLSearchParams() });
      expect([400, 401], name).toContain(response.status);
      expect(await response.json()).toHaveProperty("error");
    }
  });

  test("F65 the OpenAPI document contains the same endpoints and scopes", async ({ expect }) => {
    const { components } = await openApiDocument();
    const server = await document(SERVER);
    const flow = components.securitySchemes["oauth2"]?.["flows"] as {
      authorizationCode: {
        authorizationUrl: string;
        tokenUrl: string;
        refreshUrl: string;
        scopes: Record<string, string>;
      };
    };
    expect(flow.authorizationCode).toMatchObject({
      authorizationUrl: server["authorization_endpoint"],
      tokenUrl: server["token_endpoint"],
      refreshUrl: server["token_endpoint"],
    });
    expect(Object.keys(flow.authorizationCode.scopes).toSorted()).toEqual([...SCOPES].toSorted());
  });
});
