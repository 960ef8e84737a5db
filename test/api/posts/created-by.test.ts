import { describe, test } from "vitest";
import { createKey, listKeys, revokeKey } from "#auth/index.ts";
import { createServiceFixture, obtainTokens, registerClient } from "../../auth/service-fixture.ts";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

const service = createServiceFixture();

describe("created_by", () => {
  test("is the API key, with the name it had then", async ({ expect }) => {
    const caller = await createCaller();
    const { key } = await createKey(service.services, {
      userId: caller.userId,
      name: "Shop “import” </script>",
      scopes: ["posts:read", "posts:write"],
      expiresInDays: null,
    });
    const account = await connectOneAccount(caller);
    const post = await scheduleTextPost({ ...caller, key }, account.id);
    const keys = await listKeys(service.services, { userId: caller.userId });
    const id = keys.find(({ name }) => name.startsWith("Shop"))?.id ?? "";
    await revokeKey(service.services, { userId: caller.userId, id });
    const read = await callApi(caller, { method: "GET", path: `/posts/${post.id}` });
    expect(read.body.post).toMatchObject({
      created_via: "api",
      created_by: { kind: "key", id, name: "Shop “import” </script>" },
    });
    const list = await callApi(caller, { method: "GET", path: "/posts" });
    expect(list.body.posts).toMatchObject([{ created_by: { kind: "key", id } }]);
  });

  test("is the app that acts for the user", async ({ expect }) => {
    const app = await registerClient(service, { client_name: "Planner" });
    const scopes = ["accounts:read", "accounts:write", "posts:read", "posts:write"] as const;
    const { tokens, userId, workspaceId } = await obtainTokens(service, { app, scopes, confirms: "self" });
    const { key } = await createKey(service.services, {
      userId,
      name: "connects",
      scopes: ["accounts:write"],
      expiresInDays: null,
    });
    const account = await connectOneAccount({ userId, workspaceId, key });
    const post = await scheduleTextPost({ userId, workspaceId, key: tokens.access_token }, account.id);
    expect(post).toMatchObject({
      created_by: { kind: "app", id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown, name: "Planner" },
    });
  });
});
