import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { invalidXrpc, jsonDocument, notFound, xrpcError } from "./responses.ts";
import {
  accountStatus,
  findPds,
  findUserByDid,
  findUserByHandle,
  HANDLE,
  handleOf,
  isAuthorizationServer,
  pdsOf,
} from "./test-users.ts";

/* Leads from a handle to the servers of an account (section 1.1, rules 1 and 27). */

/** Handles `GET https://plc.directory/{did}`. */
export function didDocument(sim: SimulatorContext, path: string): Response {
  const did = decodeURIComponent(path.slice(1));
  const user = findUserByDid(did);
  if (!user || accountStatus(sim) === "deleted") {
    return Response.json({ message: `DID not registered: ${did}` }, { status: 404 });
  }
  const document = {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
    id: did,
    alsoKnownAs: [`at://${handleOf(sim, user)}`],
    verificationMethod: [
      {
        id: `${did}#atproto`,
        type: "Multikey",
        controller: did,
        publicKeyMultibase: "zQ3shXjHeiBuRCKmM36cuYnm7YEMzhGnCmCyW92sRJ9pribSF",
      },
    ],
    service: [
      { id: "#atproto_labeler", type: "AtprotoLabeler", serviceEndpoint: "https://labeler.example" },
      { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: `https://${pdsOf(sim, user).host}` },
    ],
  } satisfies JsonObject;
  return jsonDocument(document, "application/did+ld+json");
}

/** Handles `GET https://{handle}/.well-known/atproto-did`. */
export function atprotoDid(sim: SimulatorContext, host: string): Response {
  const user = findUserByHandle(sim, host);
  return user ? new Response(user.did, { headers: { "content-type": "text/plain" } }) : notFound();
}

/** Handles `com.atproto.identity.resolveHandle`. */
export function resolveHandle(sim: SimulatorContext, handle: string): Response {
  if (!HANDLE.test(handle)) {
    return xrpcError(400, "InvalidHandle", "Error: handle must be a valid handle");
  }
  const user = findUserByHandle(sim, handle);
  return user ? Response.json({ did: user.did }) : invalidXrpc("Unable to resolve handle");
}

/**
 * A redirect instead of the document, if the setting `metadata` asks for invalid documents (rule 1); otherwise null.
 */
function redirectMode(sim: SimulatorContext, host: string): Response | null {
  return sim.settings.extra["metadata"] === "redirect"
    ? new Response(null, { status: 302, headers: { location: `https://${host}/.well-known/elsewhere` } })
    : null;
}

/** Handles `GET https://{pds}/.well-known/oauth-protected-resource`, which the entryway does not have. */
export function protectedResource(sim: SimulatorContext, host: string): Response {
  const pds = findPds(host);
  if (!pds) {
    return notFound();
  }
  const mode = sim.settings.extra["metadata"];
  const server = `https://${pds.authorizationServer}`;
  return (
    redirectMode(sim, host) ??
    jsonDocument({
      resource: mode === "wrong_resource" ? "https://elsewhere.example" : `https://${host}`,
      authorization_servers: mode === "two_servers" ? [server, "https://second.example"] : [server],
      scopes_supported: [],
      bearer_methods_supported: ["header"],
      resource_documentation: "https://atproto.com",
    })
  );
}

/** Handles `GET https://{server}/.well-known/oauth-authorization-server`. */
export function authorizationServerMetadata(sim: SimulatorContext, host: string): Response {
  if (!isAuthorizationServer(host)) {
    return notFound();
  }
  const origin = `https://${host}`;
  return (
    redirectMode(sim, host) ??
    jsonDocument({
      issuer: sim.settings.extra["metadata"] === "wrong_issuer" ? "https://elsewhere.example" : origin,
      scopes_supported: ["atproto", "transition:email", "transition:generic", "transition:chat.bsky"],
      subject_types_supported: ["public"],
      response_types_supported: ["code"],
      response_modes_supported: ["query", "fragment", "form_post"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256"],
      dpop_signing_alg_values_supported: ["ES256"],
      require_pushed_authorization_requests: true,
      client_id_metadata_document_supported: true,
      pushed_authorization_request_endpoint: `${origin}/oauth/par`,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      jwks_uri: `${origin}/oauth/jwks`,
    })
  );
}
