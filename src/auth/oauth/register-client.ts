import { z } from "zod";
import { DAY } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { hashSecret, mintSecret } from "#auth/secret-format.ts";
import { displayName, displayUri } from "./display-name.ts";
import { isRegistrable } from "./redirect-uri.ts";
import { refuseOAuth } from "./refusal.ts";
import { insertClient } from "./store.ts";

/** A dynamic client that is never used is forgotten after this; each token it gets starts the time anew. */
export const CLIENT_LIFETIME_MS = 90 * DAY;

const GRANT_TYPES = ["authorization_code", "refresh_token"];

const AuthMethod = z.enum(["none", "client_secret_basic", "client_secret_post"]);

export interface RegisteredClient {
  readonly clientId: string;
  /** Shown once; null for a public client. */
  readonly clientSecret: string | null;
  readonly issuedAt: number;
  readonly name: string;
  readonly uri: string | null;
  readonly redirectUris: readonly string[];
  readonly authMethod: z.infer<typeof AuthMethod>;
  readonly grantTypes: readonly string[];
}

function member<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : refuseOAuth("invalid_client_metadata", `${name} is not valid`);
}

/** Registers a client by what it says about itself (RFC 7591); members we do not know are ignored. */
export async function registerClient(
  services: Pick<Services, "db" | "clock" | "ids">,
  metadata: Readonly<Record<string, unknown>>,
): Promise<RegisteredClient> {
  const redirectUris = z.array(z.string()).safeParse(metadata["redirect_uris"]);
  if (!redirectUris.success || !isRegistrable(redirectUris.data)) {
    return refuseOAuth(
      "invalid_redirect_uri",
      "redirect_uris needs https addresses, or http ones on this machine, without fragment",
    );
  }
  // RFC 7591 2: without a word the client has a secret and sends it with Basic.
  const authMethod = member(
    AuthMethod.default("client_secret_basic"),
    metadata["token_endpoint_auth_method"],
    "token_endpoint_auth_method",
  );
  const words = z.array(z.string());
  const grantTypes = member(words.default(["authorization_code"]), metadata["grant_types"], "grant_types");
  if (!grantTypes.includes("authorization_code")) {
    refuseOAuth("invalid_client_metadata", "grant_types must contain authorization_code");
  }
  const responseTypes = member(words.default(["code"]), metadata["response_types"], "response_types");
  if (!responseTypes.includes("code")) {
    refuseOAuth("invalid_client_metadata", "response_types must contain code");
  }
  const givenName = member(z.string().default(""), metadata["client_name"], "client_name");
  const { db, clock, ids } = services;
  const now = clock.now();
  const clientSecret = authMethod === "none" ? null : mintSecret(ids, "client_secret");
  const client = {
    id: ids.secretUuid(),
    name: displayName(givenName) || "An app without a name",
    uri: displayUri(metadata["client_uri"]),
    redirectUris: redirectUris.data,
  };
  await insertClient(db, {
    ...client,
    kind: "dynamic",
    secretHash: clientSecret === null ? null : await hashSecret(clientSecret),
    createdAt: now,
    expiresAt: now + CLIENT_LIFETIME_MS,
  });
  return {
    clientId: client.id,
    clientSecret,
    issuedAt: now,
    name: client.name,
    uri: client.uri,
    redirectUris: client.redirectUris,
    authMethod,
    // What the server really does (RFC 7591 3.2.1), whatever else the client could.
    grantTypes: GRANT_TYPES,
  };
}
