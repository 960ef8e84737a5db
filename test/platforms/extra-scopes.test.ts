import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import { PLATFORMS } from "#core/platform.ts";
import { extraScopes, optionScopeProblems, optionScopesOf, withGrantedScopes } from "#platforms/extra-scopes.ts";
import { adapterFor } from "#platforms/registry.ts";
import { toOptionsSchema } from "#platforms/options-schema.ts";
import { authorizeUrl } from "../support/call-connector.ts";
import { sandboxCredentials } from "../support/drive-simulator.ts";

const adapter = {
  platform: "youtube",
  optionScopes: () => ({ lists: ["lists.read", "lists.write"] }),
} as const;
const LISTED = { EXTRA_SCOPES: "lists.read lists.write,other" };

type Settings = Readonly<Record<string, string>>;

const problemsOf = (lists: JsonValue, granted: readonly string[], settings: Settings) =>
  optionScopeProblems(adapter, { lists }, withGrantedScopes({}, granted, settings), settings);

describe("an option that needs further rights", () => {
  test("is not available where the operator does not list all of them, whatever the login has", ({ expect }) => {
    const incomplete: readonly Settings[] = [{}, { EXTRA_SCOPES: "lists.read" }];
    for (const settings of incomplete) {
      expect(problemsOf(["a"], ["lists.read", "lists.write"], settings)).toMatchObject([
        {
          code: "option_not_available",
          param: "platform_options.lists",
          message: expect.stringMatching(/lists needs lists\.read, lists\.write.*YOUTUBE_EXTRA_SCOPES/),
        },
      ]);
    }
  });

  test("is refused for a login without them, with what to do next", ({ expect }) => {
    expect(problemsOf(["a"], ["lists.read"], LISTED)).toMatchObject([
      { code: "missing_scope", message: expect.stringMatching(/lists needs lists\.write,.*connect the account again/) },
    ]);
  });

  test("is accepted with them, and needs nothing while it is not set", ({ expect }) => {
    expect(problemsOf(["a"], ["lists.read", "lists.write"], LISTED)).toEqual([]);
    for (const notSet of [null, false, []]) {
      expect(problemsOf(notSet, [], {})).toEqual([]);
    }
  });

  test("is listed with its rights", ({ expect }) => {
    expect(optionScopesOf(adapter, LISTED)).toEqual([
      { option: "lists", scopes: ["lists.read", "lists.write"], isAvailable: true },
    ]);
    expect(optionScopesOf(adapter)).toMatchObject([{ isAvailable: false }]);
  });
});

test("an account without listed rights keeps its capabilities as they are", ({ expect }) => {
  expect(withGrantedScopes({ a: 1 }, ["lists.read"], {})).toEqual({ a: 1 });
});

describe.each(PLATFORMS)("%s", (platform) => {
  const real = adapterFor(platform)!;

  test("names rights only of options that it has, and of covers", ({ expect }) => {
    const known = new Set([...Object.keys((toOptionsSchema(real)["properties"] ?? {}) as object), "cover"]);
    expect(optionScopesOf(real).filter(({ option }) => !known.has(option))).toEqual([]);
  });
});

test.for(PLATFORMS.filter((platform) => adapterFor(platform)?.optionScopes))(
  "a login at %s asks for the listed rights, and only then",
  async (platform, { expect }) => {
    const real = adapterFor(platform)!;
    const app = sandboxCredentials(real);
    const scopeWith = async (settings: Record<string, string>) =>
      (await authorizeUrl(real.connect, { ...app, settings })).searchParams.get("scope") ?? "";
    expect(extraScopes({ EXTRA_SCOPES: " a.b,  c" })).toEqual(["a.b", "c"]);
    expect(await scopeWith({})).not.toContain("one.more");
    expect((await scopeWith({ EXTRA_SCOPES: "one.more" })).split(/[ ,]/)).toContain("one.more");
  },
);
