import { describe, test } from "vitest";
import { decideOperatorKey, decideSetupCode, decideTokenKeys } from "../../scripts/deploy/generated-secrets.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const GIVEN = JSON.stringify({ k1: KEY, k2: KEY });
const running = (secretNames: readonly string[], vars: Readonly<Record<string, string>> = {}) => ({
  secretNames: new Set(secretNames),
  vars: new Map(Object.entries(vars)),
  versionId: null,
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
