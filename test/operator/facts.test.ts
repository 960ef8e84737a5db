import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { redirectUriPattern } from "#accounts/index.ts";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { createCaller } from "../support/create-caller.ts";
import { connectOneAccount } from "../support/api-workflows.ts";
import { ORIGIN } from "../support/origin.ts";
import { ask, askFacts, envWith, OPERATOR_KEY } from "./operator-context.ts";

describe("who does not show the operator's key", () => {
  test.for([
    ["shows nothing", null, {}],
    ["shows another text", "operator-of-the-sandbox-0123456780", {}],
    ["shows the key's beginning", OPERATOR_KEY.slice(0, 20), {}],
    ["shows a key where none is set", OPERATOR_KEY, { OPERATOR_KEY: "" }],
    ["shows nothing where none is set", null, { OPERATOR_KEY: "" }],
  ] as const)("is told nothing: %s", async ([, key, settings], { expect }) => {
    const facts = await ask("GET", "/operator/facts", { key, bindings: envWith(settings) });
    const checks = await ask("POST", "/operator/platform-checks", { key, bindings: envWith(settings) });
    expect([facts.status, checks.status]).toEqual([401, 401]);
    expect(JSON.parse(facts.text)).toEqual({ error: "send OPERATOR_KEY as a bearer token", code: "unauthenticated" });
  });

  test("is told nothing with a user's key, and the operator's key is no user's", async ({ expect }) => {
    const { key } = await createCaller();
    expect((await ask("GET", "/operator/facts", { key })).status).toBe(401);
    const asUser = await exports.default.fetch(`${ORIGIN}/v1/accounts`, {
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    });
    expect(asUser.status).toBe(401);
  });

  test("cannot try keys without end", async ({ expect }) => {
    const limited = { limit: () => Promise.resolve({ success: false }) };
    const { status } = await ask("GET", "/operator/facts", {
      key: "guess",
      bindings: envWith({ LIMIT_ANONYMOUS: limited }),
    });
    expect(status).toBe(429);
  });
});

describe("the operator", () => {
  test("is told how the service is set up, at its own address", async ({ expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/operator/facts`, {
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    });
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const facts = await askFacts();
    expect(await response.json()).toMatchObject({ origin: ORIGIN, version: facts.version });
    expect(facts).toMatchObject({
      origin: env.ORIGIN,
      isSimulated: true,
      tokenKeys: { isJson: true, keys: [{ id: "sandbox", isRight: true }], sealingId: "sandbox" },
      mail: { isBound: false, from: null },
      operator: { hasName: false, hasContact: false },
      verificationFiles: [],
    });
    expect(facts.health).toMatchObject({ database: "ok", tokens: "ok", media: "ok", objects: "ok", publishing: "ok" });
    expect(facts.platforms.map(({ platform, state }) => [platform, state])).toEqual(
      PLATFORMS.map((platform) => [platform, "configured"]),
    );
    for (const { platform, redirectUri, scopes } of facts.platforms) {
      expect(redirectUri).toBe(redirectUriPattern(env.ORIGIN, adapterFor(platform)!));
      expect(platform === "mastodon" || (scopes?.length ?? 0) > 0, platform).toBe(true);
    }
  });

  test("sees how many texts each key seals", async ({ expect }) => {
    const caller = await createCaller();
    await connectOneAccount(caller, "x");
    const { tokenKeys, platforms } = await askFacts({ TOKEN_KEY_ID: "k2" });
    expect(tokenKeys.sealingId).toBe("k2");
    expect(tokenKeys.sealed.find(({ id }) => id === "sandbox")?.rows).toBeGreaterThan(0);
    expect(platforms.find(({ platform }) => platform === "x")?.accounts).toBeGreaterThan(0);
  });

  test.for([
    ["no JSON", "k1=abc", { isJson: false, keys: [] }],
    ["a list", "[]", { isJson: false, keys: [] }],
    ["absent", "", { isJson: false, keys: [] }],
    [
      "a key of 16 bytes and one that is no text",
      JSON.stringify({ k1: btoa("sixteen bytes..."), k2: 7 }),
      {
        isJson: true,
        keys: [
          { id: "k1", isRight: false },
          { id: "k2", isRight: false },
        ],
      },
    ],
  ] as const)("sees what is wrong with TOKEN_KEYS: %s", async ([, value, expected], { expect }) => {
    expect((await askFacts({ TOKEN_KEYS: value })).tokenKeys).toMatchObject(expected);
  });

  test("sees half a pair of credentials, and mistakes in their shape", async ({ expect }) => {
    const { platforms } = await askFacts({
      X_CLIENT_SECRET: "",
      TIKTOK_CLIENT_ID: "",
      TIKTOK_CLIENT_SECRET: "",
      FACEBOOK_CLIENT_ID: "my-app",
    });
    const of = (name: string) => platforms.find(({ platform }) => platform === name);
    expect(of("x")).toMatchObject({ state: "half", missing: ["X_CLIENT_SECRET"] });
    expect(of("tiktok")).toMatchObject({ state: "not_configured", shapeProblems: [] });
    expect(of("facebook")?.shapeProblems).toContain("the app id is not a number");
  });

  test("is told the rest when the database does not answer", async ({ expect }) => {
    const broken = {
      prepare: () => ({
        all: () => Promise.reject(new Error("no such table")),
        first: () => Promise.reject(new Error("down")),
      }),
    };
    const facts = await askFacts({ DB: broken });
    expect(facts).toMatchObject({ migrations: null, cronRanAt: null, origin: env.ORIGIN });
    expect(facts.health).toMatchObject({ database: "does not answer", tokens: "ok", media: "ok", objects: "ok" });
  });

  test("gets no secret, even where a setting repeats one", async ({ expect }) => {
    const secret = "a-secret-that-was-pasted-twice";
    const next = "the-secret-that-replaces-it";
    const settings = {
      X_CLIENT_SECRET: secret,
      X_CLIENT_ID: secret,
      MAIL_FROM: `${secret}@example.com`,
      X_CLIENT_SECRET_NEXT: next,
      TIKTOK_SCOPES: `${secret},${next}`,
      TOKEN_KEY_ID: "c2FuZGJveC1zYW5kYm94LXNhbmRib3gtc2FuZGJveCE=",
    };
    const bindings = envWith(settings);
    const facts = await ask("GET", "/operator/facts", { bindings });
    expect(facts.status).toBe(200);
    const secrets = [
      secret,
      next,
      settings.TOKEN_KEY_ID,
      OPERATOR_KEY,
      ...PLATFORMS.map((one) => `sandbox-${one}-secret`),
    ];
    expect(secrets.filter((text) => facts.text.includes(text))).toEqual([]);
  });
});
