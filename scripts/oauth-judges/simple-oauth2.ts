import { createHash, randomBytes } from "node:crypto";
import { AuthorizationCode } from "simple-oauth2";
import { CALLBACK, type Person } from "./person.ts";

/** Knows nothing of discovery or PKCE, and reads every answer as JSON. */
export async function simpleOauth2(person: Person): Promise<void> {
  const { id, secret } = await person.register("client_secret_basic");
  const client = new AuthorizationCode({
    client: { id, secret },
    auth: {
      tokenHost: person.origin,
      tokenPath: "/oauth/token",
      authorizePath: "/oauth/authorize",
      revokePath: "/oauth/revoke",
    },
  });
  const verifier = randomBytes(32).toString("base64url");
  const address = client.authorizeURL({
    redirect_uri: CALLBACK,
    scope: "accounts:read",
    state: "x",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const back = await person.allow(address);
  const code = back.searchParams.get("code") ?? "";
  const token = await client.getToken({ code, redirect_uri: CALLBACK, code_verifier: verifier });
  await person.expectApi(token.token.access_token, 200);
  const next = await token.refresh();
  await person.expectApi(next.token.access_token, 200);
  await next.revokeAll();
  await person.expectApi(next.token.access_token, 401);
}
