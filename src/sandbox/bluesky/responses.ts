import type { JsonObject } from "#core/json.ts";

/* The error forms of OAuth (section 1.5) and of XRPC (section 4). */

export const oauthError = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status, headers: { "cache-control": "no-store" } });

export const invalidRequest = (description: string): Response => oauthError(400, "invalid_request", description);
export const invalidGrant = (description: string): Response => oauthError(400, "invalid_grant", description);
export const invalidClient = (description: string): Response => oauthError(400, "invalid_client", description);

export const xrpcError = (
  status: number,
  error: string,
  message: string,
  headers: Record<string, string> = {},
): Response => Response.json({ error, message }, { status, headers });

export const invalidXrpc = (message: string): Response => xrpcError(400, "InvalidRequest", message);

/** The `WWW-Authenticate` header of a DPoP refusal (1.4). */
export const dpopChallenge = (error: string, description: string): string =>
  `DPoP algs="ES256", error="${error}", error_description="${description.replaceAll('"', "'")}"`;

/** What a client gets for an existing record key (3.2): an error without a name and a reason. */
export const internalServerError = (): Response => xrpcError(500, "InternalServerError", "Internal Server Error");

export const payloadTooLarge = (): Response => xrpcError(413, "PayloadTooLarge", "request entity too large");

export const htmlErrorPage = (text: string): Response =>
  new Response(`<!doctype html><html lang="en"><title>Error</title><h1>An error occurred</h1><p>${text}</p></html>`, {
    status: 400,
    headers: { "content-type": "text/html; charset=utf-8" },
  });

/** A JSON document, which a client must accept only with status 200 (rule 1). */
export const jsonDocument = (document: JsonObject, contentType = "application/json"): Response =>
  new Response(JSON.stringify(document), { headers: { "content-type": contentType } });

export const notFound = (): Response => new Response("Not Found", { status: 404 });
