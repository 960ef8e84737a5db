import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, JobMedia } from "#platforms/contract.ts";
import { facebook } from "#platforms/facebook/index.ts";
import { withAppSecretProof } from "#platforms/graph-api.ts";
import { image, validationInput, video } from "../../support/adapter-inputs.ts";
import {
  logIn,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
} from "../../support/drive-simulator.ts";
import { LOST_ANSWERS, loseAnswer, useQuotaFreeClock } from "../../support/lost-answers.ts";

/* The cover of a video, which is set once the video is public, with two rights beyond those of every login. */

const RIGHTS = ["pages_manage_engagement", "pages_read_user_content"];
const EXTRA_SCOPES = { EXTRA_SCOPES: RIGHTS.join(",") };
const COVERED = { extraScopes: RIGHTS };

describe("against the simulator", () => {
  useQuotaFreeClock("2033-06-01T09:00:00Z");

  /** With the capabilities that a sync stores for a login with these rights. */
  const accountWith = async (settings: Record<string, string>, capabilities = COVERED): Promise<AccountAccess> => {
    const account = (await logIn(facebook, "ada", settings)).accounts[0]!;
    return { ...account, capabilities: { ...account.capabilities, ...capabilities } };
  };

  const publish = async (account: AccountAccess, caption: string, options: JsonObject = { placement: "reels" }) => {
    const picture = await sampleMedia("portrait.jpg", { width: 1080, height: 1350 });
    const shape = { width: 540, height: 960, durationSeconds: 3 };
    const media: JobMedia[] = [{ ...(await sampleMedia("portrait.mp4", shape)), cover: { image: picture } }];
    const result = await publishUntilSettled(facebook, account, { caption, media, options });
    const posts = (await publishedPosts(facebook, account.platformAccountId)).filter(({ text }) => text === caption);
    const read = await withAppSecretProof(simulatedClient(facebook), account.app).fetch(
      `https://graph.facebook.com/v25.0/${posts[0]?.id ?? ""}/thumbnails`,
      { headers: { authorization: `Bearer ${account.accessToken}` } },
    );
    const { data = [] } = JSON.parse(read.text ?? "") as {
      data?: readonly { uri: string; is_preferred: boolean }[];
    };
    const preferred = data.filter((thumbnail) => thumbnail.is_preferred).map(({ uri }) => uri);
    return { result, posts, preferred, shown: [expectedUri(picture.sha256)] };
  };
  const expectedUri = (sha256: string) => `https://scontent.example.com/${sha256}.jpg`;

  test.for(LOST_ANSWERS)("is shown after %s, and the video is there once", async (effect, { expect }) => {
    const account = await accountWith(EXTRA_SCOPES);
    await loseAnswer(facebook, "/*/thumbnails", effect);
    const { result, posts, preferred, shown } = await publish(account, `Covered, ${effect}`);
    expect(posts).toHaveLength(1);
    expect(preferred).toEqual(shown);
    expect(result, result.steps.join(" ")).toMatchObject({
      state: "published",
      remoteId: posts[0]?.id,
      extras: { cover: { status: "published", fault: null } },
    });
  });

  test("is set on a video of the timeline too", async ({ expect }) => {
    const { result, preferred, shown } = await publish(await accountWith(EXTRA_SCOPES), "On the timeline", {
      placement: "timeline",
    });
    expect(result).toMatchObject({ state: "published", extras: { cover: { status: "published" } } });
    expect(preferred).toEqual(shown);
  });

  test("is no part of a story", async ({ expect }) => {
    const { result } = await publish(await accountWith(EXTRA_SCOPES), "", { story: true });
    expect(result).toMatchObject({ state: "published" });
    expect(result).not.toHaveProperty("extras.cover");
  });

  test.for([
    COVERED,
    // As a sync lists it after the preview.
    { extraScopes: [] },
  ])("that the login may not set any more is a failed extra of a published post: %o", async (lost, { expect }) => {
    const account = await accountWith({ EXTRA_SCOPES: "pages_manage_engagement" }, lost);
    const { result, posts, preferred } = await publish(
      { ...account, app: { ...account.app, settings: EXTRA_SCOPES } },
      `Without the right, ${lost.extraScopes.length}`,
    );
    expect(posts).toHaveLength(1);
    expect(preferred).toEqual([]);
    expect(result).toMatchObject({
      state: "published",
      extras: { cover: { status: "failed", fault: { code: "missing_scope" } } },
    });
  });

  test("is not sent where the operator does not ask for the rights, as the preview said", async ({ expect }) => {
    const { result } = await publish(await accountWith({}, { extraScopes: [] }), "No rights");
    expect(result).toMatchObject({ state: "published" });
    expect(result).not.toHaveProperty("extras.cover");
  });
});

describe("a preview", () => {
  const validate = (capabilities: object, cover: NonNullable<JobMedia["cover"]>) =>
    facebook.validate(
      validationInput({ capabilities: { ...capabilities }, media: [video({ width: 540, height: 960, cover })] }),
    );
  const picture = { image: image({ sizeBytes: 10_000_000 }) } as NonNullable<JobMedia["cover"]>;

  test("takes a cover with both rights, and says what else is needed without them", ({ expect }) => {
    const covered = validate(COVERED, picture);
    expect([covered.problems, covered.warnings]).toEqual([[], []]);
    for (const extraScopes of [[], ["pages_manage_engagement"]]) {
      const { problems, warnings } = validate({ extraScopes }, picture);
      expect(problems).toEqual([]);
      expect(warnings).toMatchObject([
        { code: "cover_ignored", message: expect.stringContaining("pages_read_user_content") },
      ]);
    }
  });

  test("refuses a picture that is too large or of another type, and warns of a moment", ({ expect }) => {
    const large = validate(COVERED, { image: { ...picture.image!, sizeBytes: 10_000_001 } });
    expect(large.problems).toMatchObject([{ code: "cover_invalid", param: "media_items[0].cover.url" }]);
    const other = validate(COVERED, { image: { ...picture.image!, contentType: "image/webp" } });
    expect(other.problems).toMatchObject([{ code: "cover_invalid" }]);
    expect(validate(COVERED, { atMs: 500 }).warnings).toMatchObject([{ code: "cover_ignored" }]);
  });
});

test("the rights of covers are told with those of options", ({ expect }) => {
  expect(facebook.optionScopes()).toEqual({ first_comment: ["pages_manage_engagement"], cover: RIGHTS });
});
