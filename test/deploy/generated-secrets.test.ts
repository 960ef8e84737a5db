import { describe, test } from "vitest";
import {
  decideOperatorKey,
  decideSetupCode,
  decideTokenKeys,
  keyIdsVariable,
} from "../../scripts/deploy/generated-secrets.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const GIVEN = JSON.stringify({ k1: KEY, k2: KEY });
const running = (secretNames: readonly string[], vars: Readonly<Record<string, string>> = {}) => ({
  secretNames: new Set(secretNames),
  vars: new Map(Object.entries(vars)),
  changedBy: "wrangler",
  versionId: null,
  deployedAt: null,
});
const values = (entries: Readonly<Record<string, string>> = {}) => new Map(Object.entries(entries));

describe("TOKEN_KEYS", () => {
  test("are made where nothing is sealed, with an id that no other installation has", ({ expect }) => {
    const [one, other] = [0, 1].map(() => decideTokenKeys({ values: values(), running: null, usedKeyIds: [] }));
    const id = one?.get("TOKEN_KEY_ID") ?? "";
    const keys = JSON.parse(one?.get("TOKEN_KEYS") ?? "{}") as Record<string, string>;
    expect(Object.keys(keys)).toEqual([id]);
    expect(Buffer.from(keys[id] ?? "", "base64")).toHaveLength(32);
    expect(other?.get("TOKEN_KEY_ID")).not.toBe(id);
    expect(other?.get("TOKEN_KEYS")).not.toContain(keys[id]);
  });

  test("of the Worker stay, with the id that seals now", ({ expect }) => {
    const worker = running(["TOKEN_KEYS"], { TOKEN_KEY_ID: "k9" });
    const decided = decideTokenKeys({ values: values(), running: worker, usedKeyIds: ["k9"] });
    expect(Object.fromEntries(decided)).toEqual({ TOKEN_KEY_ID: "k9" });
  });

  test.for([
    ["the id that is set", { TOKEN_KEY_ID: "k1" }, { TOKEN_KEY_ID: "k2" }, "k1"],
    ["else the one that seals now", {}, { TOKEN_KEY_ID: "k1" }, "k1"],
    ["else the last one", {}, {}, "k2"],
  ] as const)("that are given seal with %s", ([, set, vars, id], { expect }) => {
    const decided = decideTokenKeys({
      values: values({ TOKEN_KEYS: GIVEN, ...set }),
      running: running([], vars),
      usedKeyIds: ["k1"],
    });
    expect(Object.fromEntries(decided)).toEqual({ TOKEN_KEY_ID: id });
  });

  test.for([
    ["a key is missing with which something is sealed", { TOKEN_KEYS: GIVEN }, [], ["k1", "k7"], /lacks k7/],
    ["the id names none of the keys", { TOKEN_KEYS: GIVEN, TOKEN_KEY_ID: "k3" }, [], [], /only k1, k2/],
    [
      "something is sealed, and the keys are gone",
      {},
      [],
      ["k7"],
      /the key k7 sealed, and the Worker has no TOKEN_KEYS/,
    ],
    ["nothing says which key of the Worker seals", {}, ["TOKEN_KEYS"], [], /nothing says which key seals/],
  ] as const)("are refused when %s", ([, set, secretNames, usedKeyIds, problem], { expect }) => {
    expect(() => decideTokenKeys({ values: values(set), running: running(secretNames), usedKeyIds })).toThrow(problem);
  });
});

describe("a rotation of the keys", () => {
  const decide = (set: Readonly<Record<string, string>>, vars: Readonly<Record<string, string>>) =>
    decideTokenKeys({
      values: values(set),
      running: running(["TOKEN_KEYS"], vars),
      usedKeyIds: ["k1"],
      rotates: true,
    });

  test("takes two deployments: one adds a key, the next seals with it", ({ expect }) => {
    const first = decide({ TOKEN_KEYS: JSON.stringify({ k1: KEY }) }, { TOKEN_KEY_ID: "k1", TOKEN_KEY_IDS: "k1" });
    const keys = first.get("TOKEN_KEYS") ?? "";
    const [kept, added = ""] = Object.keys(JSON.parse(keys) as Record<string, string>);
    expect([kept, first.get("TOKEN_KEY_ID")]).toEqual(["k1", "k1"]);
    expect(Buffer.from((JSON.parse(keys) as Record<string, string>)[added] ?? "", "base64")).toHaveLength(32);

    // The first deployment has failed: nothing more is added.
    const again = decide({ TOKEN_KEYS: keys, TOKEN_KEY_ID: "k1" }, { TOKEN_KEY_ID: "k1", TOKEN_KEY_IDS: "k1" });
    expect(Object.fromEntries(again)).toEqual({ TOKEN_KEYS: keys, TOKEN_KEY_ID: "k1" });

    const [, ids] = keyIdsVariable(keys, null)[0] ?? [];
    expect(ids).toBe(`k1,${added}`);
    const second = decide({ TOKEN_KEYS: keys, TOKEN_KEY_ID: "k1" }, { TOKEN_KEY_ID: "k1", TOKEN_KEY_IDS: ids ?? "" });
    expect(Object.fromEntries(second)).toEqual({ TOKEN_KEYS: keys, TOKEN_KEY_ID: added });
  });

  test("is refused without the keys, and in one step by hand", ({ expect }) => {
    expect(() => decide({}, { TOKEN_KEY_ID: "k1" })).toThrow(/the settings do not have them/);
    const worker = running(["TOKEN_KEYS"], { TOKEN_KEY_ID: "k1", TOKEN_KEY_IDS: "k1" });
    const input = { values: values({ TOKEN_KEYS: GIVEN, TOKEN_KEY_ID: "k2" }), usedKeyIds: ["k1"] };
    expect(() => decideTokenKeys({ ...input, running: worker })).toThrow(/does not have that key/);
    expect(
      decideTokenKeys({ ...input, running: running(["TOKEN_KEYS"], { TOKEN_KEY_ID: "k1", TOKEN_KEY_IDS: "k1,k2" }) }),
    ).toEqual(new Map([["TOKEN_KEY_ID", "k2"]]));
  });

  test("keeps what the Worker has when the settings leave the keys out", ({ expect }) => {
    expect(keyIdsVariable(undefined, running([], { TOKEN_KEY_IDS: "k1,k2" }))).toEqual([["TOKEN_KEY_IDS", "k1,k2"]]);
    expect(keyIdsVariable(undefined, running([]))).toEqual([]);
  });
});

describe("a setup code is", () => {
  test.for([
    ["made for an operator at a terminal", {}, false, {}, true],
    [
      "made for the logs of Workers Builds, which only the account reads",
      {},
      false,
      { CI: "true", WORKERS_CI: "1" },
      true,
    ],
    ["not made where logs may be public", {}, false, { CI: "true" }, false],
    ["not made when it is given", { SETUP_CODE: "a-code-of-the-operator" }, false, {}, false],
    ["not made when there is a user", {}, true, {}, false],
    ["not made when everybody may sign up", { SIGNUP: "open" }, false, {}, false],
  ] as const)("%s", ([, set, hasUsers, env, isMade], { expect }) => {
    const code = decideSetupCode(values(set), hasUsers, env);
    expect(code !== null).toBe(isMade);
    expect(code ?? "x".repeat(32)).toMatch(/^[\w-]{32}$/);
  });
});

describe("an operator's key is", () => {
  test.for([
    ["made for an operator at a terminal", {}, null, {}, true],
    ["not made when it is given", { OPERATOR_KEY: "k".repeat(32) }, null, {}, false],
    ["not made when the Worker has one", {}, running(["OPERATOR_KEY"]), {}, false],
    ["not made in CI, where nothing is kept", {}, null, { CI: "true" }, false],
  ] as const)("%s", ([, set, worker, env, isMade], { expect }) => {
    const key = decideOperatorKey(values(set), worker, env);
    expect(key !== null).toBe(isMade);
    expect(key ?? "x".repeat(43)).toMatch(/^[\w-]{43}$/);
  });
});
