import { clientAddress } from "#core/public-address/client-address.ts";
import { isJsonObject } from "#core/json.ts";
import { OAuthRefusal, registerClient } from "#auth/oauth/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { withinRateLimit } from "#dashboard/request/rate-limit.ts";

async function readMetadata(c: PageContext): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await c.req.json();
    if (isJsonObject(body)) {
      return body;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  throw new OAuthRefusal("invalid_client_metadata", "the body must be a JSON object");
}

function refuseTooMany(c: PageContext, retryAfterSeconds: number): Response {
  c.header("Retry-After", String(retryAfterSeconds));
  return c.json(
    { error: "temporarily_unavailable", error_description: "too many registrations from this address" },
    429,
  );
}

/** Handles `POST /oauth/register` (RFC 7591). It needs no authentication and has a rate limit per IP address. */
export async function register(c: PageContext): Promise<Response> {
  if (!(await withinRateLimit(c, "register"))) {
    return refuseTooMany(c, 60);
  }
  const { network } = clientAddress(c.req.raw.headers);
  const client = await registerClient(c.var.services, await readMetadata(c), network);
  if (client === null) {
    return refuseTooMany(c, 3600);
  }
  return c.json(
    {
      client_id: client.clientId,
      client_id_issued_at: Math.floor(client.issuedAt / 1000),
      ...(client.clientSecret === null ? {} : { client_secret: client.clientSecret, client_secret_expires_at: 0 }),
      client_name: client.name,
      ...(client.uri === null ? {} : { client_uri: client.uri }),
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: client.authMethod,
      grant_types: client.grantTypes,
      response_types: ["code"],
    },
    201,
  );
}
