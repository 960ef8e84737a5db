import type { Confirms } from "#core/actor.ts";
import { SECOND } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import { refuseQuota } from "#core/quota.ts";
import type { Services } from "#context.ts";
import { parseConfirms, refuseUnknownPin } from "#auth/parse-inputs.ts";
import { hashSecret, generateSecret } from "#auth/secrets.ts";
import { type AuthorizationRequest, responseLocation } from "./authorization-request.ts";
import { CLIENT_LIFETIME_MS } from "./register-client.ts";
import { hasApproved, insertGrant, selectLastChoice } from "./store.ts";

const CODE_LIFETIME_MS = 60 * SECOND;

/** By default, a person must confirm the posts that an app prepares. */
const DEFAULT_CONFIRMS: Confirms = "person";

/** What the user chooses for an app beside its scopes. */
export interface ConsentChoice {
  readonly confirms: Confirms;
  /** The only workspace in which the app works; null for all. */
  readonly workspaceId: string | null;
}

/**
 * The preselected answers on the consent page. They are the user's last choice for the app, because an app that needs
 * more scopes asks again.
 */
export async function lastChoice(
  services: Pick<Services, "db">,
  input: { userId: string; clientId: string },
): Promise<ConsentChoice> {
  const { confirms, workspaceId } = await selectLastChoice(services.db, input);
  return { confirms: confirms ?? DEFAULT_CONFIRMS, workspaceId };
}

/**
 * Gives the app access with the scopes that the user left selected. Returns the redirect with the authorization code.
 */
export async function approveRequest(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  input: {
    userId: string;
    request: AuthorizationRequest;
    selectedScopes: readonly string[];
    /** The answer of the consent page. Undefined if the page did not ask, because the app cannot write posts. */
    confirms: string | undefined;
    workspaceId: string | null;
    limit: number;
  },
): Promise<string> {
  const { db, clock, ids, config } = services;
  const { request } = input;
  const scopes = request.scopes.filter((scope) => input.selectedScopes.includes(scope));
  if (scopes.length === 0) {
    refuse({
      code: "invalid_request",
      message: "select at least one permission, or deny access",
      param: "scope",
    });
  }
  const confirms = parseConfirms(input.confirms ?? DEFAULT_CONFIRMS);
  const now = clock.now();
  const code = generateSecret(ids, "authorization_code");
  const grant = {
    id: ids.uuid(),
    userId: input.userId,
    clientId: request.client.id,
    scopes,
    confirms,
    workspaceId: input.workspaceId,
    resource: request.resource,
    redirectUri: request.redirectUri,
    codeHash: await hashSecret(code),
    codeChallenge: request.codeChallenge,
    codeExpiresAt: now + CODE_LIFETIME_MS,
    createdAt: now,
  };
  const used = await insertGrant(db, grant, now + CLIENT_LIFETIME_MS, input.limit);
  if (used !== null && used < input.limit) {
    refuseUnknownPin();
  }
  if (used !== null) {
    const nextStep = "remove one under AI & API, Connected apps, or choose a larger plan";
    refuseQuota({ key: "connectedApps", limit: input.limit, used, what: "connected apps", nextStep });
  }
  return responseLocation(config, request, { code });
}

/**
 * Whether the browser may be redirected to an app with an error before the user clicks anything. Only if the user has
 * given access to this address before: anybody can register an app, so otherwise this endpoint would redirect anywhere.
 */
export function mayRedirectError(
  services: Pick<Services, "db">,
  input: { userId: string; clientId: string; redirectUri: string },
): Promise<boolean> {
  return hasApproved(services.db, input);
}

/** The redirect that tells the client that the user denied access. */
export function denyRequest(services: Pick<Services, "config">, request: AuthorizationRequest): string {
  return responseLocation(services.config, request, {
    error: "access_denied",
    error_description: "the user denied access",
  });
}
