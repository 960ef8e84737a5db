import { describe, test } from "vitest";
import { listKeys } from "#auth/index.ts";
import { type Scope, SCOPES } from "#core/scope.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";

const service = createServiceFixture();
const READ: readonly Scope[] = ["accounts:read", "posts:read", "workspaces:read"];

/** The scopes of the key that a form creates. */
async function createdScopes(fields: Record<string, string | readonly string[]>): Promise<readonly Scope[]> {
  const { browser, userId } = await signInNewUser(service);
  const response = await browser.post("/dashboard/keys", { name: "k", expires_in_days: "90", ...fields });
  const [key] = await listKeys(service.services, { userId });
  return response.status === 200 && key ? key.scopes : [];
}

describe("what a new key may do", () => {
  test.for<[string, readonly Scope[]]>([
    ["read", READ],
    ["schedule", ["accounts:read", "posts:read", "posts:write", "workspaces:read"]],
    ["everything", SCOPES],
  ])("the preset %s sets the permissions, whatever is ticked below it", async ([access, scopes], { expect }) => {
    expect(await createdScopes({ access })).toEqual(scopes);
    expect(await createdScopes({ access, scope: ["accounts:write"] })).toEqual(scopes);
  });

  test("chosen permissions are exactly those that are ticked", async ({ expect }) => {
    expect(await createdScopes({ access: "chosen", scope: ["posts:write"] })).toEqual(["posts:write"]);
  });

  test("an unknown preset gives nothing that is not ticked", async ({ expect }) => {
    expect(await createdScopes({ access: "root", scope: ["posts:read"] })).toEqual(["posts:read"]);
    expect(await createdScopes({ access: "root" })).toEqual([]);
  });

  test("a new form preselects reading, a refused one what was chosen", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    const checked = async (response: Response) =>
      [...(await response.text()).matchAll(/name="access" value="(\w+)" checked/g)].map(([, value]) => value);
    expect(await checked(await browser.get("/dashboard/keys"))).toEqual(["read"]);
    const refused = await browser.post("/dashboard/keys", { name: "", access: "schedule", expires_in_days: "90" });
    expect(refused.status).toBe(400);
    expect(await checked(refused)).toEqual(["schedule"]);
  });
});
