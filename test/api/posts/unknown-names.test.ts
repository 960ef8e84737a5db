import { beforeAll, describe, test } from "vitest";
import { createUniqueFile, uploadFile } from "../../journeys/journey-driver.ts";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

/* What a preview says of names that nothing reads, and of texts and lists that are as good as empty. */

let caller: ApiCaller;
let x: string;
let linkedin: string;
beforeAll(async () => {
  caller = await createCaller();
  x = (await connectOneAccount(caller)).id;
  linkedin = (await connectOneAccount(caller, "linkedin")).id;
});

const preview = (body: object) =>
  callApi(caller, {
    method: "POST",
    path: "/posts/preview",
    body: { caption: "Hello", scheduled_at: isoInDays(1), ...body },
  });

describe("options that the platform does not have", () => {
  const withOptions = async (accountId: string, options: object) =>
    await preview({ targets: [{ account_id: accountId, platform_options: options }] });

  test("are kept with a warning", async ({ expect }) => {
    const { status, body } = await withOptions(x, { made_with_a: true });
    expect(status).toBe(200);
    expect(body.preview.targets).toMatchObject([
      {
        platform_options: { made_with_a: true },
        warnings: [{ code: "option_unknown", message: expect.stringContaining("do you mean made_with_ai?") }],
      },
    ]);
  });

  test.for(["thread", "visibilty"])(
    "are refused where they would have been content or an audience: %s",
    async (name, { expect }) => {
      const { status, body } = await withOptions(linkedin, { [name]: "connections" });
      expect(status).toBe(400);
      expect(body.details).toMatchObject([
        { code: "option_unknown", param: `targets[0].platform_options.${name}`, platform: "linkedin" },
      ]);
    },
  );
});

describe("members that nothing reads", () => {
  const messagesOf = async (body: object) => {
    const response = await preview(body);
    const { warnings }: { warnings: { code: string; message: string }[] } = response.body.preview;
    return warnings.map(({ code, message }) => `${code}: ${message}`);
  };

  test("are warned of with the name that they most likely mean, also inside", async ({ expect }) => {
    const messages = await messagesOf({
      media_url: ["https://images.example.net/a.jpg"],
      schedule: "weekly",
      targets: [{ account_id: x, captoin: "Hi" }],
    });
    expect(messages).toEqual([
      "unknown_member: media_url is not known here and ignored: do you mean media_urls?",
      "unknown_member: schedule is not known here and ignored: do you mean scheduled_at?",
      "unknown_member: targets[0].captoin is not known here and ignored: do you mean caption?",
    ]);
  });

  test("are no members of what a read returns, nor free keys", async ({ expect }) => {
    const { url } = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const { body } = await preview({
      account_ids: [x],
      media_urls: [url],
    });
    const { confirmation_token } = body;
    const made = await callApi(caller, { method: "POST", path: "/posts/confirm", body: { confirmation_token } });
    const [post] = made.body.posts;
    expect(await messagesOf({ ...post, metadata: { any: "1" }, caption: "Another" })).toEqual([]);
  });

  test("are few of very many", async ({ expect }) => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`captio${index}`, 1]));
    expect(await messagesOf({ ...many, account_ids: [x] })).toHaveLength(10);
  });
});

describe("a caption of characters that nobody sees", () => {
  test.for(["\u200B", " \u2060\uFEFF ", "\u3164", "\u2800\u00AD", "\u{E0020}"])(
    "is empty: %j",
    async (caption, { expect }) => {
      const { status, body } = await preview({ caption, account_ids: [x] });
      expect(status).toBe(400);
      // X refuses some of these characters too.
      expect(body.details).toContainEqual(expect.objectContaining({ code: "caption_required", param: "caption" }));
    },
  );

  test.for(["🏺", "·", "1", "👩‍🎨", "\u0301"])("is not empty: %j", async (caption, { expect }) => {
    expect((await preview({ caption, account_ids: [x] })).status).toBe(200);
  });
});

test("a time without seconds is taken", async ({ expect }) => {
  const scheduledAt = isoInDays(2);
  const short = `${scheduledAt.slice(0, 16)}Z`;
  const { body } = await preview({ scheduled_at: short, account_ids: [x] });
  expect(body.preview.scheduled_at).toBe(`${scheduledAt.slice(0, 16)}:00.000Z`);
  const offset = `${scheduledAt.slice(0, 16)}+00:00`;
  expect((await preview({ scheduled_at: offset, account_ids: [x] })).body.preview.scheduled_at).toBe(
    body.preview.scheduled_at,
  );
});

test("an empty list of targets is named, and what it replaces", async ({ expect }) => {
  const { body } = await preview({
    targets: [],
    account_ids: [x],
    platforms: ["x"],
  });
  expect(body.details).toMatchObject([
    {
      code: "targets_required",
      param: "targets",
      message:
        "targets is an empty list, which replaces account_ids and platforms: leave targets out, or name the accounts in it",
    },
  ]);
});
