import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { facebook } from "#platforms/facebook/index.ts";
import { authorize } from "../../sandbox/facebook-client.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { image, validationInput } from "../../support/adapter-inputs.ts";
import {
  logIn,
  logInAtPlatform,
  publishedPosts,
  publishUntilSettled,
  sandboxCredentials,
  simulatedClient,
  unwrap,
} from "../../support/drive-simulator.ts";

/* The login against the strict simulator: roles, permissions and the proof of the app's secret. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-02T09:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("facebook", { business_management: null, require_proof: null });
});

const WITH_BUSINESSES = { BUSINESS_MANAGEMENT: "true" };

test("a Page of the new kind, whose tasks have a prefix, can be connected", async ({ expect }) => {
  const { accounts, unpostable } = await logIn(facebook, "ada");
  expect(accounts.map(({ displayName, capabilities }) => ({ displayName, capabilities }))).toEqual([
    { displayName: "Shop", capabilities: {} },
    { displayName: "Workshop", capabilities: {} },
  ]);
  expect(unpostable).toEqual([
    {
      platformAccountId: "110011001100330",
      displayName: "Read only",
      reason: "Your role on this Page does not allow apps to post: ask its administrator for a role that does.",
    },
  ]);
});

test("a Page whose token came is not refused for its tasks: the preview warns", async ({ expect }) => {
  const { accounts, unpostable } = await logIn(facebook, "dora");
  expect(unpostable).toEqual([]);
  expect(accounts).toMatchObject([{ displayName: "Insights", capabilities: { maySeeOnly: true } }]);
  const preview = facebook.validate(
    validationInput({
      media: [image()],
      capabilities: accounts[0]?.capabilities ?? {},
    }),
  );
  expect(preview).toMatchObject({ problems: [], warnings: [{ code: "account_not_eligible" }] });
});

describe("business_management", () => {
  test("is not asked for by default, because an app without it is refused as a whole", async ({ expect }) => {
    const { params } = await logInAtPlatform(facebook, "cleo");
    expect(params).toHaveProperty("code");
    await expect(logInAtPlatform(facebook, "cleo", WITH_BUSINESSES)).rejects.toThrow(
      "400 Invalid Scopes: business_management",
    );
  });

  test("lists the Pages of businesses where the operator states that the app has it", async ({ expect }) => {
    await changeSettings("facebook", { business_management: true });
    const { accounts } = await logIn(facebook, "cleo", WITH_BUSINESSES);
    expect(accounts.map(({ displayName }) => displayName)).toEqual(["Agency", "Client"]);
    expect((await logIn(facebook, "cleo")).accounts).toEqual([]);
  });

  test("the refusal of a field is a fault, not a missing Page", async ({ expect }) => {
    await changeSettings("facebook", { business_management: true });
    const { tokens } = await logIn(facebook, "cleo", WITH_BUSINESSES);
    const client = simulatedClient(facebook);
    const refusing = {
      fetch: async (url: string | URL, init?: Parameters<typeof client.fetch>[1]) =>
        String(url).includes("client_pages")
          ? Response.json(
              { error: { code: 100, message: "(#100) Tried accessing nonexisting field" } },
              { status: 400 },
            )
          : await client.fetch(url, init),
    };
    const app = sandboxCredentials(facebook, WITH_BUSINESSES);
    expect(await facebook.connect.listAccounts(refusing, app, tokens)).toMatchObject({
      ok: false,
      fault: { kind: "rejected", platformCode: "100" },
    });
  });
});

test("a permission that was declined is asked for again", async ({ expect }) => {
  const { params, exchange } = await logInAtPlatform(facebook, "ada");
  expect(unwrap(await exchange(params)).tokens.scopes).toContain("pages_manage_posts");
  expect((await authorize({ untick: "pages_manage_posts" })).status).toBe(302);
  const again = await logIn(facebook, "ada");
  expect(again.tokens.scopes).toContain("pages_manage_posts");
});

test("a text with an address shows its preview", async ({ expect }) => {
  const { accounts } = await logIn(facebook, "ada");
  const caption = `The kiln is open: https://example.com/kiln?from=${crypto.randomUUID()}.`;
  expect(await publishUntilSettled(facebook, accounts[0]!, { caption })).toMatchObject({ state: "published" });
  const post = (await publishedPosts(facebook, accounts[0]!.platformAccountId)).find(({ text }) => text === caption);
  expect(post?.options["link"]).toBe(/https:[^ ]+(?=\.$)/.exec(caption)?.[0]);
});

test("a configuration is granted as a whole, so nothing is asked for again", async ({ expect }) => {
  const { accounts } = await logIn(facebook, "ada", { CONFIG_ID: "1" });
  expect(accounts).toHaveLength(2);
});
