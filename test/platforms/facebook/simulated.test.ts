import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { facebook } from "#platforms/facebook/index.ts";
import { createCommitRef } from "#platforms/facebook/refs.ts";
import { authorize } from "../../sandbox/facebook-client.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { image, job, NOW, validationInput, video } from "../../support/adapter-inputs.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import {
  injectFault,
  logIn,
  logInAtPlatform,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  sandboxCredentials,
  simulatedClient,
  unwrap,
} from "../../support/drive-simulator.ts";
import { toPlatformAnswer } from "../../support/platform-answer.ts";

/* The adapter against the strict simulator: roles, permissions and the proof of the app's secret at the login, and stories. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-02T09:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("facebook", {
    business_management: null,
    require_proof: null,
    story_archive: null,
    refuse_file_url: null,
  });
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
          ? await toPlatformAnswer(
              Response.json(
                { error: { code: 100, message: "(#100) Tried accessing nonexisting field" } },
                { status: 400 },
              ),
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

const PHOTO = { width: 1080, height: 1920 };
const CLIP = { width: 540, height: 960, durationSeconds: 3 };

describe("a story", () => {
  const story = async (file: string) => ({
    caption: "is not shown",
    media: [await sampleMedia(file, file.endsWith(".mp4") ? CLIP : PHOTO)],
    options: { story: true },
  });
  const shop = async () => (await logIn(facebook, "ada")).accounts[0]!;
  const storiesOf = async ({ platformAccountId }: { readonly platformAccountId: string }) =>
    (await publishedPosts(facebook, platformAccountId)).filter(({ kind }) => kind === "story");
  const PUBLISHING = { "portrait.jpg": "/*/photo_stories", "portrait.mp4": "/*/video_stories" };

  describe.each(["portrait.jpg", "portrait.mp4"] as const)("of %s", (file) => {
    test.for([{}, { refuse_file_url: true }])(
      "is published without the caption, with the address that the list names: %o",
      async (settings, { expect }) => {
        await changeSettings("facebook", settings);
        const account = await shop();
        const before = (await storiesOf(account)).length;
        const content = await story(file);
        const result = await publishUntilSettled(facebook, account, content);
        const stories = await storiesOf(account);
        expect(stories.slice(before)).toMatchObject([
          { text: "", title: null, media: [{ sha256: content.media[0]?.sha256 }], options: {} },
        ]);
        const { id, url } = stories.at(-1)!;
        expect(result, JSON.stringify(result)).toMatchObject({ state: "published", remoteId: id, url });
        expect(url).not.toContain(id);
      },
    );

    test("whose answer is lost is published once and found by its file", async ({ expect }) => {
      const account = await shop();
      const before = (await storiesOf(account)).length;
      const result = await publishUntilSettled(facebook, account, await story(file), () =>
        injectFault(facebook, { match: { method: "POST", path: PUBLISHING[file] }, times: 1, effect: "drop_after" }),
      );
      const stories = await storiesOf(account);
      expect(stories).toHaveLength(before + 1);
      expect(result, JSON.stringify(result)).toMatchObject({
        state: "published",
        remoteId: stories.at(-1)?.id,
        url: stories.at(-1)?.url,
      });
    });

    test("that is not listed after a lost call is never sent again", async ({ expect }) => {
      const account = await shop();
      const before = (await storiesOf(account)).length;
      const result = await publishUntilSettled(facebook, account, await story(file), () =>
        injectFault(facebook, { match: { method: "POST", path: PUBLISHING[file] }, times: 1, effect: "drop_before" }),
      );
      expect(result).toMatchObject({ state: "unknown", detail: expect.stringContaining("archive") });
      expect(result.steps.filter((step) => step.startsWith("commit"))).toHaveLength(1);
      expect(await storiesOf(account)).toHaveLength(before);
    });

    test("of a Page without an archive is published, without an address", async ({ expect }) => {
      await changeSettings("facebook", { story_archive: false });
      const account = await shop();
      const result = await publishUntilSettled(facebook, account, await story(file));
      expect(result).toMatchObject({ state: "published", remoteId: (await storiesOf(account)).at(-1)?.id, url: null });
    });
  });

  test.for([
    ["portrait.jpg", "unknown"],
    // The status of a video tells that it was published; its story's id is not known.
    ["portrait.mp4", "published"],
  ] as const)("of %s without an archive is %s after a lost answer", async ([file, state], { expect }) => {
    await changeSettings("facebook", { story_archive: false });
    const account = await shop();
    const before = (await storiesOf(account)).length;
    const result = await publishUntilSettled(facebook, account, await story(file), () =>
      injectFault(facebook, { match: { method: "POST", path: PUBLISHING[file] }, times: 1, effect: "drop_after" }),
    );
    expect(result.state).toBe(state);
    expect(await storiesOf(account)).toHaveLength(before + 1);
  });

  test("is not taken for another one of the Page", async ({ expect }) => {
    const account = await shop();
    const before = (await storiesOf(account)).length;
    const result = await publishUntilSettled(facebook, account, await story("portrait.jpg"), async () => {
      await publishUntilSettled(facebook, account, await story("portrait.jpg"));
      await injectFault(facebook, {
        match: { method: "POST", path: "/*/photo_stories" },
        times: 1,
        effect: "drop_before",
      });
    });
    expect(result.state).toBe("unknown");
    expect(await storiesOf(account)).toHaveLength(before + 1);
  });

  test("warns of what a story does not show", ({ expect }) => {
    const validate = (item: ReturnType<typeof image>) =>
      facebook.validate(
        validationInput({
          caption: "Out of the kiln",
          media: [item],
          options: { story: true, placement: "timeline", title: "A vase" },
        }),
      );
    const { placement, options, problems, warnings } = validate(
      video({ width: 1080, height: 1080, altText: "A vase turns", cover: { atMs: 0 } }),
    );
    expect([placement, options, problems]).toEqual([null, { story: true }, []]);
    expect(warnings.map(({ code }) => code)).toEqual([
      "caption_ignored",
      "option_ignored",
      "option_ignored",
      "alt_text_ignored",
      "cover_ignored",
      "media_aspect_ratio",
    ]);
    expect(validate(image()).warnings.map(({ code }) => code)).toEqual([
      "caption_ignored",
      "option_ignored",
      "option_ignored",
    ]);
  });

  describe("whose call has no certain outcome", () => {
    const at = (seconds: number) => job({ committedAt: NOW, now: NOW + seconds * 1000 });
    const photo = createCommitRef("story", { photos: ["77"], sendCount: 1, sentAt: NOW });
    const clip = createCommitRef("story", { videoId: "99", sendCount: 1, sentAt: NOW });
    const listed = (...mediaIds: readonly string[]): ScriptedResponse => ({
      json: { data: mediaIds.map((media_id) => ({ post_id: 1234, media_id, url: "/stories/1/Uz0=/" })) },
    });
    const endless: ScriptedResponse = {
      json: { data: [{ media_id: "5" }], paging: { next: "https://x.example/", cursors: { after: "more" } } },
    };
    const ready: ScriptedResponse = {
      json: { status: { video_status: "ready", publishing_phase: { status: "complete" } }, published: true },
    };
    const working: ScriptedResponse = {
      json: { status: { video_status: "processing", publishing_phase: { status: "in_progress" } } },
    };

    test("is looked for three times", async ({ expect }) => {
      expect(await facebook.verify(scriptedClient(), at(3), photo)).toMatchObject({ state: "again", afterSeconds: 7 });
      expect(await facebook.verify(scriptedClient(listed("5")), at(10), photo)).toMatchObject({ afterSeconds: 50 });
      expect(await facebook.verify(scriptedClient(listed("5")), at(60), photo)).toMatchObject({ afterSeconds: 120 });
      expect(await facebook.verify(scriptedClient(listed("5")), at(180), photo)).toMatchObject({
        state: "cannot_tell",
      });
    });

    test("is looked for again where the list cannot be read to its end", async ({ expect }) => {
      for (const client of [scriptedClient(403), scriptedClient(endless)]) {
        expect(await facebook.verify(client, at(180), photo)).toEqual({
          state: "again",
          afterSeconds: 60,
          isProcessing: false,
        });
      }
    });

    test("has the id and the address that the list names", async ({ expect }) => {
      expect(await facebook.verify(scriptedClient(listed("5", "77")), at(10), photo)).toEqual({
        state: "published",
        remoteId: "1234",
        url: "https://www.facebook.com/stories/1/Uz0=/",
      });
    });

    test("is known by the list where the status of its video lags behind", async ({ expect }) => {
      const accepted = { ...clip, accepted: true, storyId: "1234" };
      expect(await facebook.verify(scriptedClient(working), at(10), accepted)).toMatchObject({ state: "again" });
      expect(await facebook.verify(scriptedClient(working, listed()), at(40), accepted)).toMatchObject({
        state: "again",
        isProcessing: true,
      });
      expect(await facebook.verify(scriptedClient(working, listed("99")), at(40), accepted)).toMatchObject({
        state: "published",
        remoteId: "1234",
      });
    });

    test("waits for the list to name the id of a video's story", async ({ expect }) => {
      expect(await facebook.verify(scriptedClient(ready, listed()), at(10), clip)).toMatchObject({ state: "again" });
      expect(await facebook.verify(scriptedClient(ready, listed()), at(40), clip)).toEqual({
        state: "published",
        remoteId: "99",
        url: null,
      });
    });

    test("may be published where the answer names no id", async ({ expect }) => {
      const ref = createCommitRef("story", { photos: ["77"] });
      const answered = await facebook.commit(scriptedClient({ json: { success: true } }), job(), ref);
      expect(answered).toMatchObject({ state: "uncertain", ref: { sendCount: 1 } });
    });

    test("is published where the list fails right after the call", async ({ expect }) => {
      const client = scriptedClient({ json: { success: true, post_id: 1234 } }, 500);
      expect(await facebook.commit(client, job(), createCommitRef("story", { photos: ["77"] }))).toEqual({
        state: "published",
        remoteId: "1234",
        url: null,
      });
    });
  });
});
