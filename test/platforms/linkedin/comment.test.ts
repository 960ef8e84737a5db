import { describe, test } from "vitest";
import type { AccountAccess, Job } from "#platforms/contract.ts";
import { linkedin } from "#platforms/linkedin/index.ts";
import { accountAccess, job, NOW, validationInput } from "../../support/adapter-inputs.ts";
import { logIn, publishUntilSettled } from "../../support/drive-simulator.ts";
import { LOST_ANSWERS, loseAnswer, useQuotaFreeClock } from "../../support/lost-answers.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-http-client.ts";

/* The first comment of a page below its post. */

const SETTINGS = {
  PRODUCTS: "community",
  EXTRA_SCOPES: "w_organization_social_feed,r_organization_social_feed",
};

describe("against the simulator", () => {
  useQuotaFreeClock("2027-01-01T09:00:00Z");

  const page = async (settings: Record<string, string> = SETTINGS): Promise<AccountAccess> =>
    (await logIn(linkedin, "ada", settings)).accounts.find(
      ({ capabilities }) => capabilities["kind"] === "organization",
    )!;

  test.for(LOST_ANSWERS)("is there once after %s", async (effect, { expect }) => {
    const account = await page();
    await loseAnswer(linkedin, "/rest/socialActions/*", effect);
    const post = { caption: `A page's post, ${effect}`, options: { first_comment: "The (link)" } };
    const result = await publishUntilSettled(linkedin, account, post);
    expect(result, result.steps.join(" ")).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "published", id: expect.any(String), fault: null } },
    });
    const sends = result.steps.filter((step) => step.startsWith("commit"));
    expect(sends).toHaveLength(effect === "drop_before" ? 3 : 2);
  });

  test("without its right it is a failed extra of a published post", async ({ expect }) => {
    const account = await page({ ...SETTINGS, EXTRA_SCOPES: "" });
    const post = { caption: "No right to comment", options: { first_comment: "First" } };
    expect(await publishUntilSettled(linkedin, account, post)).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "failed", fault: { kind: "rejected", platformCode: "ACCESS_DENIED" } } },
    });
  });
});

describe("the look", () => {
  const URN = "urn:li:organization:1";
  const commented = (changes: Partial<Job> = {}): Job =>
    job({
      options: { first_comment: "The (link)" },
      account: accountAccess({ platformAccountId: URN, capabilities: { kind: "organization", canList: true } }),
      lastCommittedAt: NOW - 90_000,
      progress: {
        extras: {
          post: { id: "urn:li:share:1", url: null, at: NOW },
          open: ["first_comment"],
          index: 0,
          tries: 0,
          looksFirst: false,
          results: {},
        },
      },
      ...changes,
    });
  const list = (...elements: object[]): ScriptedResponse => ({ json: { elements } });
  const verify = (answer: ScriptedResponse, missingSince: number | null = null) =>
    linkedin.verify(scriptedClient(answer), commented(), { extras: true, missingSince });

  test("finds the page's own text, and leads back to sending after two whole lists only", async ({ expect }) => {
    const own = { id: "7", actor: URN, message: { text: "The (link)" } };
    expect(await verify(list(own))).toMatchObject({ extras: { first_comment: { status: "published", id: "7" } } });
    expect(await verify(list({ ...own, actor: "urn:li:person:a" }))).toMatchObject({
      state: "again",
      afterSeconds: 60,
    });
    expect(await verify(list(), NOW - 59_000)).toMatchObject({ state: "again", afterSeconds: 1 });
    expect(await verify(list(), NOW - 60_000)).toMatchObject({ state: "more" });
    expect(await verify({ status: 403, json: { code: "ACCESS_DENIED" } }, NOW - 60_000)).toMatchObject({
      extras: { first_comment: { status: "unconfirmed" } },
    });
    expect(await verify(503, NOW - 60_000)).toMatchObject({ state: "again" });
    const full = list(...Array.from({ length: 100 }, (_, index) => ({ id: `${index}`, message: { text: "" } })));
    expect(await verify(full, NOW - 60_000)).toMatchObject({ extras: { first_comment: { status: "unconfirmed" } } });
  });

  test("an accepted comment without an id is uncertain", async ({ expect }) => {
    const client = scriptedClient({ status: 201, json: {} });
    const ref = { extras: true, missingSince: null };
    expect(await linkedin.commit(client, commented(), ref)).toMatchObject({ state: "uncertain" });
    expect(client.requests[0]?.url.pathname).toBe("/rest/socialActions/urn%3Ali%3Ashare%3A1/comments");
    expect(client.requests[0]?.body).toBe(
      JSON.stringify({ actor: URN, object: "urn:li:share:1", message: { text: "The (link)" } }),
    );
  });
});

test("is for pages only", ({ expect }) => {
  const validate = (kind: string) =>
    linkedin.validate(
      validationInput({
        caption: "Text",
        options: { first_comment: "First" },
        capabilities: { kind },
      }),
    ).problems;
  expect(validate("organization")).toEqual([]);
  expect(validate("member")).toMatchObject([{ code: "option_not_available", param: "platform_options.first_comment" }]);
});
