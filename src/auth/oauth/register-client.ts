import { z } from "zod";
import { DAY, HOUR } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { Services } from "#context.ts";
import { hashSecret, generateSecret } from "#auth/secrets.ts";
import { displayName, displayUri } from "./display-name.ts";
import { areRegistrable } from "./redirect-uri.ts";
import { refuseOAuth } from "./oauth-refusal.ts";
import { insertDynamicClient } from "./store.ts";

/** How long (ms) an unused dynamic client is kept. Every consent and every issued token starts the time anew. */
export const CLIENT_LIFETIME_MS = 90 * DAY;
/** How long (ms) a registered client is kept if no user gives it access. */
const UNUSED_LIFETIME_MS = DAY;
/**
 * For how long (ms) no other registration can push a new one out. A client registers just before it asks for consent.
 */
const SAFE_MS = HOUR;
/**
 * How many older registrations without any consent are kept; the newest stay. Anybody can register, so this bounds the
 * table.
 */
const UNUSED_MAX = 1000;
/**
 * How many registrations without consent one network may make in an hour. Without this limit it could fill the table in
 * that hour.
 */
const UNUSED_PER_NETWORK = 200;
/**
 * The maximum total length of a client's redirect URIs, because anybody can fill this storage without authentication.
 */
const REDIRECT_URIS_MAX_LENGTH = 2048;

const SUPPORTED_GRANT_TYPES = ["authorization_code", "refresh_token"];

const AuthMethod = z.enum(["none", "client_secret_basic", "client_secret_post"]);

export interface RegisteredClient {
  readonly clientId: string;
  /** The client secret, shown only once; null for a public client. */
  readonly clientSecret: string | null;
  readonly issuedAt: number;
  readonly name: string;
  readonly uri: string | null;
  readonly redirectUris: readonly string[];
  readonly authMethod: z.infer<typeof AuthMethod>;
  readonly grantTypes: readonly string[];
}

function parseMember<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : refuseOAuth("invalid_client_metadata", `${name} is not valid`);
}

/**
 * Registers an OAuth client dynamically (RFC 7591) and ignores unknown members. Null if the caller's network has
 * registered too many.
 */
export async function registerClient(
  services: Pick<Services, "db" | "clock" | "ids">,
  metadata: Readonly<Record<string, unknown>>,
  network: string,
): Promise<RegisteredClient | null> {
  const redirectUris = z.array(z.string()).safeParse(metadata["redirect_uris"]);
  if (redirectUris.success && redirectUris.data.join("").length > REDIRECT_URIS_MAX_LENGTH) {
    return refuseOAuth(
      "invalid_redirect_uri",
      `redirect_uris may have ${REDIRECT_URIS_MAX_LENGTH} characters in total; register fewer or shorter ones`,
    );
  }
  if (!redirectUris.success || !areRegistrable(redirectUris.data)) {
    return refuseOAuth(
      "invalid_redirect_uri",
      "redirect_uris must be https URLs, or http URLs on a loopback host, without fragment",
    );
  }
  // If the client names no method, it sends its secret with HTTP Basic (RFC 7591 2).
  const authMethod = parseMember(
    AuthMethod.default("client_secret_basic"),
    metadata["token_endpoint_auth_method"],
    "token_endpoint_auth_method",
  );
  const stringList = z.array(z.string());
  const grantTypes = parseMember(stringList.default(["authorization_code"]), metadata["grant_types"], "grant_types");
  if (!grantTypes.includes("authorization_code")) {
    refuseOAuth("invalid_client_metadata", "grant_types must contain authorization_code");
  }
  const responseTypes = parseMember(stringList.default(["code"]), metadata["response_types"], "response_types");
  if (!responseTypes.includes("code")) {
    refuseOAuth("invalid_client_metadata", "response_types must contain code");
  }
  const clientName = parseMember(z.string().default(""), metadata["client_name"], "client_name");
  const { db, clock, ids } = services;
  const now = clock.now();
  const clientSecret = authMethod === "none" ? null : generateSecret(ids, "client_secret");
  const client = {
    id: ids.secretUuid(),
    name: displayName(clientName) || "Unnamed app",
    uri: displayUri(metadata["client_uri"]),
    redirectUris: redirectUris.data,
  };
  const secretHash = clientSecret === null ? null : await hashSecret(clientSecret);
  const isStored = await insertDynamicClient(
    db,
    { ...client, secretHash, createdAt: now, registeredFrom: await sha256Hex(`registration:${network}`) },
    {
      unusedLifetimeMs: UNUSED_LIFETIME_MS,
      safeMs: SAFE_MS,
      keepUnused: UNUSED_MAX,
      perNetwork: UNUSED_PER_NETWORK,
    },
  );
  if (!isStored) {
    return null;
  }
  return {
    clientId: client.id,
    clientSecret,
    issuedAt: now,
    name: client.name,
    uri: client.uri,
    redirectUris: client.redirectUris,
    authMethod,
    // The response must contain the values that are registered (RFC 7591 3.2.1): those the server supports, whatever
    // the client requested.
    grantTypes: SUPPORTED_GRANT_TYPES,
  };
}
