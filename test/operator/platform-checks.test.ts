import { clientIdentity } from "#accounts/index.ts";
import { describe, test } from "vitest";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { CredentialCheck } from "#platforms/contract.ts";
import { OPERATOR_CHECKS } from "#platforms/operator-registry.ts";
import { adapterFor } from "#platforms/registry.ts";
import { fetchApp, injectFault } from "../sandbox/sandbox-api.ts";
import { scriptedClient, type ScriptedResponse } from "../support/scripted-http-client.ts";
import { askChecks } from "./operator-context.ts";

/** Each platform's call. */
const CALLS: Readonly<Record<Platform, string>> = {
  x: "/2/oauth2/token",
  tiktok: "/v2/oauth/token/",
  youtube: "/token",
  linkedin: "/oauth/v2/accessToken",
  facebook: "/v25.0/oauth/access_token",
  instagram: "/oauth/access_token",
  threads: "/oauth/access_token",
  pinterest: "/v5/oauth/token",
  bluesky: "/.well-known/oauth-protected-resource",
  mastodon: "/api/v2/instance",
};
const WITH_APP = PLATFORMS.filter((platform) => adapterFor(platform)?.operatorCredentials === "required");

async function checkOf(platform: Platform, settings: Readonly<Record<string, string>> = {}) {
  const prefix = platform.toUpperCase();
  const own = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`${prefix}_${name}`, value]));
  const checks = await askChecks(own);
  return checks.find((check) => check.platform === platform);
}

/** Of all calls, because only those of the checks are made meanwhile. */
async function withFault<T>(platform: Platform, fault: object, work: () => Promise<T>): Promise<T> {
  await injectFault(platform, { match: { path: CALLS[platform] }, ...fault });
  try {
    return await work();
  } finally {
    await fetchApp(`/sandbox/platforms/${platform}/faults`, { method: "DELETE" });
  }
}

describe.each(PLATFORMS)("%s", (platform) => {
  test("accepts what the simulator knows, and an unreachable platform is told as such", async ({ expect }) => {
    expect(await checkOf(platform)).toMatchObject({ state: "accepted" });
    const lost = await withFault(platform, { effect: "drop_before", times: 10 }, () => checkOf(platform));
    expect(lost).toMatchObject({ platform, state: "unreachable" });
  });

  test("an answer that nobody knows is shown, without the secret in it", async ({ expect }) => {
    const secret = `sandbox-${platform}-secret`;
    const body = { error: "teapot", error_description: `with ${secret}`, error_message: `teapot ${secret}` };
    const fault = { effect: "answer", status: 418, body, times: 10 };
    const check = await withFault(platform, fault, () => checkOf(platform));
    expect(check).toMatchObject({ state: "unknown" });
    expect(check?.words).not.toBe("");
    expect(JSON.stringify(check)).not.toContain(secret);
  });
});

describe.each(WITH_APP)("%s", (platform) => {
  test("refuses another secret and an app that there is not", async ({ expect }) => {
    const wrongSecret = await checkOf(platform, { CLIENT_SECRET: "another-secret-of-the-operator" });
    expect(wrongSecret).toMatchObject({ state: "refused" });
    expect(JSON.stringify(wrongSecret)).not.toContain("another-secret-of-the-operator");
    expect(await checkOf(platform, { CLIENT_ID: "123456789012345" })).toMatchObject({ state: "refused" });
  });
});

/** What the real platforms were seen to answer, and what the error word means; statuses mean nothing. */
const ANSWERS: readonly (readonly [Platform, string, ScriptedResponse, CredentialCheck["state"]])[] = [
  [
    "tiktok",
    "a refusal with 200",
    { json: { error: "invalid_client", error_description: "Client key or secret is incorrect." } },
    "refused",
  ],
  ["tiktok", "a scope error", { status: 400, json: { error: "invalid_scope" } }, "unknown"],
  [
    "x",
    "an app without a secret",
    { status: 401, json: { error: "unauthorized_client", error_description: "Missing valid authorization header" } },
    "refused",
  ],
  [
    "x",
    "another missing parameter",
    { status: 400, json: { error: "invalid_request", error_description: "Missing required parameter [client_id]." } },
    "unknown",
  ],
  ["youtube", "a deleted client", { status: 401, json: { error: "deleted_client" } }, "refused"],
  [
    "youtube",
    "a bad request",
    { status: 400, json: { error: "invalid_grant", error_description: "Bad Request" } },
    "accepted",
  ],
  [
    "linkedin",
    "a refused token by another word",
    { status: 400, json: { error: "invalid_request", error_description: "The provided refresh token is invalid" } },
    "accepted",
  ],
  [
    "linkedin",
    "a missing parameter",
    {
      status: 400,
      json: { error: "invalid_request", error_description: 'A required parameter "client_id" is missing' },
    },
    "unknown",
  ],
  [
    "facebook",
    "an unknown error of code 1",
    { status: 500, json: { error: { code: 1, message: "An unknown error occurred" } } },
    "unknown",
  ],
  [
    "threads",
    "a call that may not be a POST",
    { status: 400, json: { error: { code: 100, message: "Unsupported request - method type: post" } } },
    "unknown",
  ],
  [
    "pinterest",
    "an unknown app as a bad grant",
    { status: 400, json: { code: 283, message: "The authorization grant is invalid", data: "Invalid Application ID" } },
    "refused",
  ],
  [
    "pinterest",
    "a limit of calls",
    { status: 429, json: { code: 8, message: "You have exceeded your rate limit." } },
    "unknown",
  ],
  [
    "instagram",
    "a code that was not verified",
    {
      status: 400,
      json: {
        error_type: "OAuthException",
        code: 400,
        error_message: "Error validating verification code. Please make sure your redirect_uri is identical",
      },
    },
    "accepted",
  ],
  [
    "instagram",
    "a wrong client id",
    { status: 400, json: { error_type: "OAuthException", code: 400, error_message: "Invalid Client ID" } },
    "refused",
  ],
];

describe("the answer's words decide", () => {
  test.for(ANSWERS)("%s: %s", async ([platform, , answer, state], { expect }) => {
    const checks = OPERATOR_CHECKS[platform];
    const app = { clientId: "id-of-the-app", clientSecret: "secret-of-the-app", settings: {} };
    const identity = clientIdentity("https://a.example", platform);
    const client = scriptedClient(answer);
    expect(await checks.checkCredentials(client, app, identity)).toMatchObject({ state });
    // A form: no secret is part of an address.
    expect(client.requests.map(({ method, url }) => [method, url.search])).toEqual([["POST", ""]]);
  });
});
