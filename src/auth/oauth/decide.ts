import { SECOND } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { hashSecret, mintSecret } from "#auth/secret-format.ts";
import { type AuthorizationRequest, answerLocation } from "./authorization-request.ts";
import { insertGrant } from "./store.ts";

const CODE_LIFETIME_MS = 60 * SECOND;

/** The person lets the app in with those of the asked scopes that stayed ticked; returns where the browser goes with the code. */
export async function approve(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  input: { userId: string; request: AuthorizationRequest; ticked: readonly string[] },
): Promise<string> {
  const { db, clock, ids, config } = services;
  const { request } = input;
  const scopes = request.scopes.filter((scope) => input.ticked.includes(scope));
  if (scopes.length === 0) {
    refuse({
      code: "invalid_request",
      message: "leave at least one permission ticked, or deny access",
      param: "scope",
    });
  }
  const now = clock.now();
  const code = mintSecret(ids, "authorization_code");
  await insertGrant(db, {
    id: ids.uuid(),
    userId: input.userId,
    clientId: request.client.id,
    scopes,
    resource: config.baseUrl,
    redirectUri: request.redirectUri,
    codeHash: await hashSecret(code),
    codeChallenge: request.codeChallenge,
    codeExpiresAt: now + CODE_LIFETIME_MS,
    createdAt: now,
  });
  return answerLocation(config, request, { code });
}

/** Where the browser goes when the person says no. */
export function denial(services: Pick<Services, "config">, request: AuthorizationRequest): string {
  return answerLocation(services.config, request, {
    error: "access_denied",
    error_description: "the person denied access",
  });
}
