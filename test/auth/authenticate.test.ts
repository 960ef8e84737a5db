import { describe, test } from "vitest";
import { authenticate, createKey, revokeKey } from "#auth/index.ts";
import { house, person } from "./house.ts";

describe("a bearer credential", () => {
  test("a fresh key opens the door with its scopes", async ({ expect }) => {
    const services = house();
    const { userId, workspaceId } = await person(services);
    const { key, id } = await createKey(services, { userId, name: "ci", scopes: ["posts:read"], expiresInDays: 90 });
    expect(await authenticate(services, `Bearer ${key}`)).toEqual({
      ok: true,
      actor: {
        userId,
        workspaceId,
        plan: "growth",
        subscribed: true,
        scopes: ["posts:read"],
        credential: { kind: "api_key", id },
        via: "api",
      },
    });
    await services.settled();
    await revokeKey(services, { userId, id });
    expect(await authenticate(services, `Bearer ${key}`)).toEqual({ ok: false, reason: "invalid" });
  });
});
