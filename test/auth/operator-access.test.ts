import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import {
  createKey,
  disableUser,
  enableUser,
  listUsers,
  revokeAccess,
  setPassword,
  signIn,
  startSession,
} from "#auth/index.ts";
import { SCOPES } from "#core/scope.ts";
import { callApi, createServiceFixture, obtainTokens, requestToken } from "./service-fixture.ts";
import { STRANGER } from "./test-context.ts";

/* What an operator does to a user with `npm run user`. */

const service = createServiceFixture();
const { services } = service;
const PASSWORD = "correct horse battery staple";

/** A user with a session, a key and an app, each of which was used, so that an isolate remembers it. */
async function createActiveUser() {
  const user = await obtainTokens(service);
  const { key } = await createKey(services, { userId: user.userId, name: "k", scopes: SCOPES, expiresInDays: 90 });
  await setPassword(services, { ...user, password: PASSWORD });
  user.browser.session = await startSession(services, user);
  const statuses = async () => [
    (await callApi(service, key)).status,
    (await callApi(service, user.tokens.access_token)).status,
    (await user.browser.get("/dashboard/keys")).status,
  ];
  const refresh = async () => {
    const { refresh_token: token } = user.tokens;
    return (await requestToken(service, { grant_type: "refresh_token", client_id: user.app.id, refresh_token: token }))
      .status;
  };
  return { ...user, key, statuses, refresh };
}

describe("a disabled user", { timeout: 60_000 }, () => {
  test("is refused with every credential by the very next request, and nobody else is", async ({ expect }) => {
    const user = await createActiveUser();
    const other = await createActiveUser();
    expect(await user.statuses()).toEqual([200, 200, 200]);
    await disableUser(services, user);
    expect(await user.statuses()).toEqual([401, 401, 303]);
    expect(await user.refresh()).toBe(400);
    expect(await other.statuses()).toEqual([200, 200, 200]);
  });

  test("cannot sign in, and what a request that was under way has made is of no use", async ({ expect }) => {
    const user = await createActiveUser();
    await disableUser(services, user);
    expect(await signIn(services, { client: STRANGER, email: user.email, password: PASSWORD })).toBeNull();
    const late = await createKey(services, { userId: user.userId, name: "late", scopes: SCOPES, expiresInDays: 90 });
    user.browser.session = await startSession(services, user);
    expect((await callApi(service, late.key)).status).toBe(401);
    expect((await user.browser.get("/dashboard/keys")).status).toBe(303);
    await env.DB.prepare("UPDATE oauth_grants SET revoked_at = NULL WHERE user_id = ?").bind(user.userId).run();
    expect((await callApi(service, user.tokens.access_token)).status).toBe(401);
  });

  test("signs in again once enabled; keys and apps stay revoked", async ({ expect }) => {
    const user = await createActiveUser();
    await disableUser(services, user);
    const row = (await listUsers(services)).find(({ userId }) => userId === user.userId);
    expect(row?.disabledAt).toEqual(expect.any(Number));
    await enableUser(services, user);
    user.browser.session = (await signIn(services, { client: STRANGER, email: user.email, password: PASSWORD })) ?? "";
    expect(await user.statuses()).toEqual([401, 401, 200]);
  });
});

describe("the operator", { timeout: 60_000 }, () => {
  test("ends the keys and apps of one user; his sessions stay", async ({ expect }) => {
    const user = await createActiveUser();
    const other = await createActiveUser();
    expect(await revokeAccess(services, user)).toEqual({ keys: 1, apps: 1, webhooks: 0, feeds: 0 });
    expect(await user.statuses()).toEqual([401, 401, 200]);
    expect(await other.statuses()).toEqual([200, 200, 200]);
    expect(await revokeAccess(services, user)).toEqual({ keys: 0, apps: 0, webhooks: 0, feeds: 0 });
  });

  test("sets a password, which ends the sessions and leaves keys and apps", async ({ expect }) => {
    const user = await createActiveUser();
    await setPassword(services, { ...user, password: "another one entirely" });
    expect(await user.statuses()).toEqual([200, 200, 303]);
    expect(await signIn(services, { client: STRANGER, email: user.email, password: PASSWORD })).toBeNull();
    expect(
      await signIn(services, { client: STRANGER, email: user.email, password: "another one entirely" }),
    ).not.toBeNull();
  });
});
