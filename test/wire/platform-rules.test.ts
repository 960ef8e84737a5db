import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { readConfig } from "#config.ts";
import { rulesOf } from "#wire/schemas/platform-rules.ts";

test("the rules are those of their own configuration, whichever was asked first", () => {
  const app = { FACEBOOK_CLIENT_ID: "an-app", FACEBOOK_CLIENT_SECRET: "its-secret" };
  const availableWith = (FACEBOOK_EXTRA_SCOPES: string) =>
    rulesOf({ config: readConfig({ ...env, ...app, FACEBOOK_EXTRA_SCOPES }) }, "facebook")
      .option_scopes.filter(({ is_available }) => is_available)
      .map(({ option }) => option);
  expect(availableWith("")).toEqual([]);
  expect(availableWith("pages_manage_engagement")).toEqual(["first_comment"]);
  expect(availableWith("")).toEqual([]);
});
